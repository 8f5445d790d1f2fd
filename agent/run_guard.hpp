// The second process of `run`: it starts the helper, adopts what that leaves behind, and ends all of it when the host, or the first
// process, dies.
#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "agent/options.hpp"
#include "agent/own_cgroup.hpp"
#include "agent/run_host.hpp"
#include "agent/stdio_watch.hpp"
#include "scanner/fd.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

struct GuardParts {
    const scanner::Procfs& procfs;
    const Options& options;
    const RunHost& host;
    const std::optional<OwnCgroup>& cgroup;
    std::string no_cgroup_because;     // for --verbose
    std::optional<StdioWatch>& stdio;  // where --idle was asked for
    const Fd& link;                    // to the first process
    const scanner::PidHandle& first;   // that process
    sigset_t mask;                     // that the helper starts with
    std::vector<int> ignored;          // signals that it ignores, as the caller did
};

// Returns when nobody of the helper's is left. What came of it was told over the link.
void guard(const GuardParts& parts);

}  // namespace reaper::agent
