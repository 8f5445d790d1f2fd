// The first process of `run`: the one that the host sees. It behaves as the helper does, and takes
// over from the guard.
#pragma once

#include <sys/types.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/cli/options.hpp"
#include "agent/run/cgroup.hpp"
#include "agent/run/host.hpp"
#include "scanner/fd.hpp"
#include "scanner/model/result.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

struct SupervisorParts {
    const scanner::ProcessTable& table;
    const ScopeOptions& options;
    const std::vector<std::string>& program;
    const RunHost& host;
    const std::optional<OwnCgroup>& cgroup;
    const Fd& link;     // to the guard
    const Fd& signals;  // signalfd(2): what is sent to this process, and blocked here
    pid_t guard;        // a child of this process
    const Result<scanner::PidHandle>& guard_handle;
    std::set<scanner::Pid> excluded;  // children that it had before it became `run`
};

// Passes signals on, stops with the helper, and takes over when the guard dies. Returns the
// helper's exit status.
[[nodiscard]] int supervise(const SupervisorParts& parts);

}  // namespace reaper::agent
