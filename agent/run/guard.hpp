// The second process of `run`: it starts the helper, adopts what that leaves behind, and ends all
// of it when the host, or the first process, dies.
#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "agent/cli/options.hpp"
#include "agent/run/cgroup.hpp"
#include "agent/run/host.hpp"
#include "agent/run/idle_stdio.hpp"
#include "agent/run/stand_in.hpp"
#include "scanner/fd.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

struct GuardParts {
    const scanner::ProcessTable& table;
    const ScopeOptions& options;
    const std::vector<std::string>& program;
    bool verbose;
    const RunHost& host;
    const std::optional<OwnCgroup>& cgroup;
    std::string no_cgroup_because;     // for --verbose
    std::optional<StdioWatch>& stdio;  // where --idle was asked for
    const Fd& link;                    // to the first process
    const scanner::PidHandle& first;   // that process
    sigset_t mask;                     // that the helper starts with
    const std::optional<StandIn>& front;
    std::vector<int> ignored;  // signals that it ignores, as the caller did
};

// Returns when the helper and all that it started have ended, or cannot be ended. Sends the result
// over the link.
void guard(const GuardParts& parts);

}  // namespace reaper::agent
