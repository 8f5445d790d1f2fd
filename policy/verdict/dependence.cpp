#include "policy/verdict/dependence.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "policy/verdict/designation.hpp"

namespace reaper::policy {

namespace {

using scanner::Facts;
using scanner::Pid;
using scanner::ProcessFacts;
using Pids = std::set<Pid>;

// Returns the upper end of its unit: what a launcher runs is below it.
Pids unit_of(const std::vector<Member>& members, Pid pid) {
    const auto found = std::ranges::find(members, pid, &Member::pid);
    if (found == members.end()) return {};
    return {pid, found->launcher.value_or(pid)};
}

// Adds what is below, members or not: what holds a member can be several generations below it.
void add_below(const Facts& facts, Pids& pids) {
    std::unordered_multimap<Pid, Pid> children;
    for (const auto* all : {&facts.candidates, &facts.descendants}) {
        for (const ProcessFacts& one : *all) children.emplace(one.row.ppid, one.row.pid);
    }
    std::vector<Pid> above(pids.begin(), pids.end());
    while (!above.empty()) {
        const auto [begin, end] = children.equal_range(above.back());
        above.pop_back();
        for (auto child = begin; child != end; ++child) {
            if (pids.insert(child->second).second) above.push_back(child->second);
        }
    }
}

// Adds the members of the same families and homes, as find_duplicates() compares those.
void add_possible_duplicates(const std::vector<Member>& members, Pids& pids) {
    std::set<std::pair<std::string_view, HomeKey>> kinds;
    for (const Member& member : members) {
        if (pids.contains(member.pid()) && member.rule().single_instance)
            kinds.emplace(member.rule().name, home_key(member));
    }
    for (const Member& member : members) {
        if (!kinds.contains({member.rule().name, home_key(member)})) continue;
        pids.insert(member.pid());
        if (member.launcher) pids.insert(*member.launcher);
    }
}

}  // namespace

Pids judged_together(const std::vector<Member>& members, const Facts& facts, Pid pid) {
    Pids pids = unit_of(members, pid);
    add_below(facts, pids);
    add_possible_duplicates(members, pids);
    std::erase_if(
        pids, [&](Pid one) { return !std::ranges::binary_search(members, one, {}, &Member::pid); });
    return pids;
}

}  // namespace reaper::policy
