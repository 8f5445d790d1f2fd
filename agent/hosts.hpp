// Who started whom, as one look saw it: what a watch waits for.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "policy/rules.hpp"
#include "scanner/facts.hpp"

namespace reaper::agent {

struct WatchedHost {
    scanner::Pid pid = 0;
    std::uint64_t start_ticks = 0;
    std::set<scanner::Pid> members;  // that it started, or is recorded as the owner of, and the members below those

    bool operator==(const WatchedHost&) const = default;
};

// By pid. A parent that only adopted a member is no host of it, nor is anybody who has exited. Members that are never ended need none.
[[nodiscard]] std::vector<WatchedHost> hosts_of(const scanner::Facts& facts, const policy::Rules& rules);

// `pids`, and the candidates that they started, and so on.
[[nodiscard]] std::set<scanner::Pid> with_descendants(const scanner::Facts& facts, std::set<scanner::Pid> pids);

}  // namespace reaper::agent
