// gateway.pid and gateway.lock: whether a gateway runs is told by its lock, before any pid.
#pragma once

#include "policy/pid_files.hpp"

namespace reaper::policy {

[[nodiscard]] FileJudgement judge_gateway_pid(const scanner::ClaimFile& file, const scanner::Machine& machine,
                                              const Rules& rules);

// The file stays when its gateway is gone, and is used again by the next one.
[[nodiscard]] FileJudgement judge_gateway_lock(const scanner::ClaimFile& file);

}  // namespace reaper::policy
