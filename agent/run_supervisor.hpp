// The first process of `run`: the one that the host sees. It looks like the helper, and looks after the guard.
#pragma once

#include <sys/types.h>

#include <optional>
#include <set>

#include "agent/options.hpp"
#include "agent/own_cgroup.hpp"
#include "agent/run_host.hpp"
#include "scanner/fd.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/process_table.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

struct SupervisorParts {
    const scanner::Procfs& procfs;
    const Options& options;
    const RunHost& host;
    const std::optional<OwnCgroup>& cgroup;
    const Fd& link;     // to the guard
    const Fd& signals;  // signalfd(2): what is sent to this process, and blocked here
    pid_t guard;        // a child of this process
    const Result<scanner::PidHandle>& guard_handle;
    std::set<scanner::Pid> strangers;  // children that it had before it became `run`
};

// Passes signals on, stops with the helper, and takes over when the guard dies. Returns the helper's exit status.
[[nodiscard]] int supervise(const SupervisorParts& parts);

}  // namespace reaper::agent
