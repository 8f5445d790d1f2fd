#include "policy/groups.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace reaper::policy {

namespace {

using scanner::Pid;
using scanner::Uid;

// family, role, user, home, host, values of same_options
using GroupKey = std::tuple<std::string, std::string, Uid, std::string, Pid, std::vector<std::string>>;

GroupKey group_key(const Member& member, const Judgement& judgement) {
    std::vector<std::string> values;
    for (const std::string& option : member.rule().same_options) {
        values.push_back(option_value(member.match.invocation.arguments, option).value_or(""));
    }
    return {member.rule().name, member.match.role.name, member.facts->row.uid,
            member.home,        judgement.host,         std::move(values)};
}

bool is_newer(const Member* left, const Member* right) {
    return std::pair(left->facts->row.start_ticks, left->pid()) >
           std::pair(right->facts->row.start_ticks, right->pid());
}

// The host has closed neither end: the newest of those that it can still talk to is the one that it uses.
bool is_connected(const Member& member) {
    const auto is_dead = [](const scanner::Reading<scanner::StdioEnd>& end) {
        return end.ok() && end.value.peer == scanner::PeerState::dead;
    };
    return !is_dead(member.facts->standard_input) && !is_dead(member.facts->standard_output);
}

// Attached because its host lives, and for no other reason. A launcher is counted by the bridge that it runs.
bool can_be_duplicate(const Member& member, const Judgement& judgement) {
    if (!member.rule().single_instance || member.match.role.outlives_host || judgement.launcher) return false;
    if (judgement.verdict != Verdict::attached || !is_connected(member)) return false;
    if (is_marked(member.rule().several_with, member.facts->environment)) return false;
    const auto vetoes = std::count_if(judgement.evidence.begin(), judgement.evidence.end(),
                                      [](const Evidence& piece) { return piece.weight == Weight::veto; });
    return vetoes == 1 && judgement.host > 0;
}

std::size_t index_of(const std::vector<Member>& members, Pid pid) {
    const auto found =
        std::find_if(members.begin(), members.end(), [pid](const Member& member) { return member.pid() == pid; });
    return static_cast<std::size_t>(found - members.begin());
}

// The launcher and everything that it runs.
std::vector<std::size_t> unit_of(const std::vector<Member>& members, Pid launcher) {
    std::vector<std::size_t> unit = {index_of(members, launcher)};
    for (std::size_t at = 0; at < members.size(); ++at) {
        if (members[at].launcher == launcher) unit.push_back(at);
    }
    return unit;
}

void keep_with(Judgement& judgement, const Judgement& partner) {
    judgement.evidence.push_back(
        {"veto.partner", Weight::veto,
         fmt::format("pid {} belongs to it and stays ({})", partner.identity.pid, to_string(partner.verdict))});
    judgement.verdict = partner.verdict;
    judgement.action = partner.action;
}

void settle_unit(const std::vector<std::size_t>& unit, std::vector<Judgement>& judgements) {
    const auto stays =
        std::find_if(unit.begin(), unit.end(), [&](std::size_t at) { return judgements[at].action != Action::reap; });
    for (const std::size_t at : unit) {
        Judgement& judgement = judgements[at];
        if (stays != unit.end() && judgement.action == Action::reap) keep_with(judgement, judgements[*stays]);
        for (const std::size_t other : unit) {
            if (other != at) judgement.ends_with.push_back(judgements[other].identity.pid);
        }
    }
}

}  // namespace

std::map<Pid, Pid> find_duplicates(const std::vector<Member>& members, const std::vector<Judgement>& judgements) {
    std::map<GroupKey, std::vector<const Member*>> groups;
    for (std::size_t at = 0; at < members.size(); ++at) {
        if (can_be_duplicate(members[at], judgements[at]))
            groups[group_key(members[at], judgements[at])].push_back(&members[at]);
    }
    std::map<Pid, Pid> duplicates;
    for (auto& [key, group] : groups) {
        std::sort(group.begin(), group.end(), is_newer);
        for (std::size_t at = 1; at < group.size(); ++at) {
            duplicates[group[at]->pid()] = group.front()->pid();
            if (group[at]->launcher) duplicates[*group[at]->launcher] = group.front()->pid();
        }
    }
    return duplicates;
}

void settle_units(const std::vector<Member>& members, std::vector<Judgement>& judgements) {
    for (const Member& member : members) {
        if (!member.match.invocation.launcher) continue;
        const auto unit = unit_of(members, member.pid());
        if (unit.size() > 1) settle_unit(unit, judgements);
    }
}

}  // namespace reaper::policy
