// The hosts of one look, each with the helpers that it started: what a watch waits for.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "policy/rules/rules.hpp"
#include "scanner/model/facts.hpp"

namespace reaper::agent {

// Two are equal only if they have the same members, too.
struct WatchedHost {
    scanner::Pid pid = 0;
    std::uint64_t start_ticks = 0;
    // Helpers that it started or is recorded as the owner of, and the members below those.
    std::set<scanner::Pid> members;

    bool operator==(const WatchedHost&) const = default;
};

// Returns the hosts, sorted by pid. Leaves out parents that only adopted a member, hosts that have
// exited, and hosts whose members are all of families that are never ended.
[[nodiscard]] std::vector<WatchedHost> hosts_of(const scanner::Facts& facts,
                                                const policy::Rules& rules);

// Returns `pids` and all candidates below them, at any depth.
[[nodiscard]] std::set<scanner::Pid> with_descendants(const scanner::Facts& facts,
                                                      std::set<scanner::Pid> pids);

}  // namespace reaper::agent
