// The first process of `run`: the one that the host sees. It behaves as the helper does, and takes
// over from the guard.
#pragma once

#include <sys/signalfd.h>
#include <sys/types.h>

#include <optional>
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
};

// True if the helper got this signal as well: a terminal sends it to the whole group.
[[nodiscard]] bool helper_has_it(const signalfd_siginfo& taken);

// Passes signals on, stops with the helper, and takes over when the guard dies. Returns the
// helper's exit status.
[[nodiscard]] int supervise(const SupervisorParts& parts);

}  // namespace reaper::agent
