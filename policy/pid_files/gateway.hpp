// Judges gateway.pid. Its lock, before any pid, tells whether a gateway runs.
#pragma once

#include "policy/pid_files/judge_files.hpp"

namespace reaper::policy {

[[nodiscard]] FileJudgement judge_gateway_pid(const scanner::ClaimFile& file,
                                              const scanner::Machine& machine, const Rules& rules);

// Judges gateway.lock. That file stays when its gateway ends, and the next one reuses it. In a
// container a lock that no visible process holds is foreign, as a process outside may hold it.
[[nodiscard]] FileJudgement judge_gateway_lock(const scanner::ClaimFile& file,
                                               const scanner::Machine& machine);

}  // namespace reaper::policy
