// Tells whether a watch does already what a request asks for.
#pragma once

#include "agent/cli/options.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

// True if `watch` ends all that a sweep with these options would.
[[nodiscard]] bool does_as_much(const WatchOptions& watch, const SweepOptions& sweep);

// True if a watch of this user runs that does, and sees what this program sees. False also if that
// cannot be told.
[[nodiscard]] bool is_watched(const scanner::ProcessTable& table, const SweepOptions& sweep);

}  // namespace reaper::agent
