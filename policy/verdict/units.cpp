#include "policy/verdict/units.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include <fmt/format.h>

namespace reaper::policy {

namespace {

using scanner::Pid;
using scanner::Uid;

// family, role, user, home, host, values of same_options
using GroupKey =
    std::tuple<std::string, std::string, Uid, std::string, Pid, std::vector<std::string>>;

GroupKey group_key(const Member& member, const Judgement& judgement) {
    std::vector<std::string> values;
    for (const std::string& option : member.rule().same_options) {
        values.push_back(option_value(member.match.invocation.arguments, option).value_or(""));
    }
    return {member.rule().name, member.match.role.name, member.facts->row.uid,
            member.home,        judgement.host,         std::move(values)};
}

// Compares what the host started: on a busy machine the bridge of an older launcher can start after
// the bridge of a newer one.
bool is_newer(const Member* left, const Member* right) {
    return std::pair(left->eldest->start_ticks, left->eldest->pid) >
           std::pair(right->eldest->start_ticks, right->eldest->pid);
}

// True if the host has closed neither end. Of several such members a host uses the newest.
bool is_connected(const Member& member) {
    const auto is_dead = [](const scanner::Reading<scanner::StdioEnd>& end) {
        return end.ok() && end.value.peer == scanner::PeerState::dead;
    };
    return !is_dead(member.facts->standard_input) && !is_dead(member.facts->standard_output);
}

// True if the host may still use it. A launcher is counted by its bridge.
bool serves_host(const Member& member, const Judgement& judgement) {
    if (!member.rule().single_instance || member.match.role.outlives_host || judgement.launcher)
        return false;
    if (judgement.verdict != Verdict::attached || !is_connected(member)) return false;
    if (is_marked(member.rule().several_with, member.facts->environment)) return false;
    return judgement.host > 0;
}

// True if it is attached because its host is alive, and for no other reason.
bool can_be_duplicate(const Judgement& judgement) {
    const auto vetoes =
        std::count_if(judgement.evidence.begin(), judgement.evidence.end(),
                      [](const Evidence& piece) { return piece.weight == Weight::veto; });
    return vetoes == 1;
}

// True if launcher and bridge can work: a launcher that is stopped does not pass on what its bridge
// says.
bool is_unit_at_work(const Member& member, const std::vector<Member>& members) {
    return is_at_work(*member.facts) && std::ranges::all_of(members, [&](const Member& other) {
               return other.pid() != member.launcher || is_at_work(*other.facts);
           });
}

// Returns the launcher and everything that it runs.
std::vector<std::size_t> unit_of(const std::vector<Member>& members, std::size_t launcher) {
    std::vector<std::size_t> unit = {launcher};
    for (std::size_t at = 0; at < members.size(); ++at) {
        if (members[at].launcher == members[launcher].pid()) unit.push_back(at);
    }
    return unit;
}

void keep_with(Judgement& judgement, const Judgement& partner) {
    judgement.evidence.push_back({"veto.partner", Weight::veto,
                                  fmt::format("pid {} belongs to it and stays ({})",
                                              partner.identity.pid, to_string(partner.verdict))});
    judgement.verdict = partner.verdict;
    judgement.action = partner.action;
}

// What has exited holds nothing: its launcher only has to collect it.
void settle_unit(std::vector<std::size_t> unit, std::vector<Judgement>& judgements) {
    std::erase_if(unit, [&](std::size_t at) { return judgements[at].verdict == Verdict::zombie; });
    const auto stays = std::find_if(unit.begin(), unit.end(), [&](std::size_t at) {
        return judgements[at].action != Action::reap;
    });
    for (const std::size_t at : unit) {
        Judgement& judgement = judgements[at];
        if (stays != unit.end() && judgement.action == Action::reap)
            keep_with(judgement, judgements[*stays]);
        for (const std::size_t other : unit) {
            if (other != at) judgement.ends_with.push_back(judgements[other].identity.pid);
        }
    }
}

// Adds the older members of `group`, which is sorted from newest to oldest. A newest member that
// cannot work proves nothing about the others.
void add_duplicates(const std::vector<std::size_t>& group, const std::vector<Member>& members,
                    const std::vector<Judgement>& judgements, std::map<Pid, Pid>& duplicates) {
    std::optional<Pid> newest;
    for (const std::size_t at : group) {
        if (!newest && !is_unit_at_work(members[at], members)) return;
        if (!can_be_duplicate(judgements[at])) continue;
        if (newest) {
            duplicates[members[at].pid()] = *newest;
            if (members[at].launcher) duplicates[*members[at].launcher] = *newest;
        } else {
            newest = members[at].pid();
        }
    }
}

}  // namespace

std::map<Pid, Pid> find_duplicates(const std::vector<Member>& members,
                                   const std::vector<Judgement>& judgements) {
    std::map<GroupKey, std::vector<std::size_t>> groups;
    for (std::size_t at = 0; at < members.size(); ++at) {
        if (serves_host(members[at], judgements[at]))
            groups[group_key(members[at], judgements[at])].push_back(at);
    }
    std::map<Pid, Pid> duplicates;
    for (auto& [key, group] : groups) {
        std::ranges::sort(group, [&](std::size_t left, std::size_t right) {
            return is_newer(&members[left], &members[right]);
        });
        add_duplicates(group, members, judgements, duplicates);
    }
    return duplicates;
}

void settle_units(const std::vector<Member>& members, std::vector<Judgement>& judgements) {
    for (std::size_t at = 0; at < members.size(); ++at) {
        if (!members[at].match.invocation.launcher) continue;
        settle_unit(unit_of(members, at), judgements);
    }
}

}  // namespace reaper::policy
