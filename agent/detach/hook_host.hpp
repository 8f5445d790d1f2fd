// Finds the host of a hook: what has to end before anything is left behind.
#pragma once

#include <optional>
#include <string>

#include "scanner/pid_handle.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

// Returns a handle of the process that a detached sweep waits for. `after`: its pid; "host": the
// nearest ancestor that the built-in rules know as a host, else the nearest one that does more than
// to run this program; empty: only one that the rules know. None: there is no such process, or it
// has ended.
[[nodiscard]] std::optional<scanner::PidHandle> find_hook_host(const scanner::ProcessTable& table,
                                                               const std::string& after);

}  // namespace reaper::agent
