// Judges .hermes-update-in-progress. One that is left over keeps Hermes from starting.
#pragma once

#include "policy/pid_files/judge_files.hpp"

namespace reaper::policy {

// Live: an update runs, or may. Stale: its updater is provably dead; or its pid cannot be looked up
// (in a container, where /proc hides processes, or as the marker is malformed) and the marker is
// older than 20 minutes. While a process has the pid the marker is never stale, however old it is:
// the clock may have been stepped.
[[nodiscard]] FileJudgement judge_update_marker(const scanner::ClaimFile& file,
                                                const scanner::Machine& machine,
                                                const Rules& rules);

}  // namespace reaper::policy
