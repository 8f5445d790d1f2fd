#include "agent/watch/hosts.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "policy/match/member.hpp"
#include "policy/match/parentage.hpp"
#include "policy/verdict/ownership.hpp"

namespace reaper::agent {

namespace {

using policy::Member;
using scanner::Facts;
using scanner::Pid;
using scanner::ProcessRow;

bool has_exited(const ProcessRow& row) {
    return row.state == 'Z' && row.threads <= 1;
}

// Returns nothing when the process has exited, or when the look did not read its row.
std::optional<std::uint64_t> start_of(const Facts& facts, Pid pid) {
    const ProcessRow* row = policy::find_row(facts, pid);
    if (row == nullptr) {
        const auto is_it = [pid](const auto& claim) {
            return claim.spawner == pid && claim.spawner_row.ok();
        };
        const auto claim = std::ranges::find_if(facts.claims, is_it);
        if (claim == facts.claims.end()) return std::nullopt;
        row = &claim->spawner_row.value;
    }
    return has_exited(*row) ? std::nullopt : std::optional(row->start_ticks);
}

// Returns the member's parent, the launcher of its unit, and the owners that records name.
std::set<Pid> hosts_of(const Member& member, const Facts& facts) {
    std::set<Pid> pids;
    if (!member.parentage.adopted()) pids = {member.parentage.pid, member.facts->row.ppid};
    if (member.launcher) pids.insert(*member.launcher);
    for (const policy::Owner& owner : policy::recorded_owners(member, facts)) {
        if (owner.state == policy::OwnerState::alive) pids.insert(owner.pid);
    }
    std::erase_if(pids, [](Pid pid) { return pid <= 1; });
    return pids;
}

}  // namespace

std::vector<WatchedHost> hosts_of(const Facts& facts, const policy::Rules& rules) {
    std::map<Pid, std::set<Pid>> members;
    for (const Member& member : policy::find_members(facts, rules)) {
        if (has_exited(member.facts->row) || policy::is_never_ended(member)) continue;
        for (const Pid host : hosts_of(member, facts)) members[host].insert(member.pid());
    }
    std::vector<WatchedHost> hosts;
    for (auto& [pid, started] : members) {
        if (const auto start = start_of(facts, pid))
            hosts.push_back({pid, *start, with_descendants(facts, std::move(started))});
    }
    return hosts;
}

std::set<Pid> with_descendants(const Facts& facts, std::set<Pid> pids) {
    for (std::size_t before = 0; before != pids.size();) {
        before = pids.size();
        for (const scanner::ProcessFacts& candidate : facts.candidates) {
            if (pids.contains(candidate.row.ppid)) pids.insert(candidate.row.pid);
        }
    }
    return pids;
}

}  // namespace reaper::agent
