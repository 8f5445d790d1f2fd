// For a process that had children before it became `run`, as in a shell's `job & exec
// orphan-reaper run ...`. It must not adopt: what such a child leaves behind could not be told from
// what the helper does. So another process is `run`, and this one stands in for it.
#pragma once

#include <optional>

#include "scanner/fd.hpp"
#include "scanner/model/result.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

struct StandIn {
    std::optional<int> status;                  // in the process that stood in, when all is over
    std::optional<scanner::PidHandle> process;  // in the new process: the one that stands in
    Fd alive;                                   // there, for the guard: held open until it ends
};

// True if this process has children, or cannot tell.
[[nodiscard]] bool has_children();

// Forks. Returns in the new process at once: that is to be `run`, and is killed when the other one
// dies. Returns in this process when it has ended, and if it was killed, its guard as well; until
// then passes signals on, stops and goes on with it. Signals but SIGCHLD are blocked. Fails if no
// process can be started.
[[nodiscard]] Result<StandIn> stand_in(const scanner::ProcessTable& table);

}  // namespace reaper::agent
