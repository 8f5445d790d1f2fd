// What may be wrong with the machine around the helpers: process 1, and limits on processes.
#pragma once

#include "agent/observe/judged.hpp"
#include "scanner/model/diagnosis.hpp"
#include "scanner/task_limits.hpp"

namespace reaper::agent {

// Reads it once the processes were judged. Waits for a second at most, and only where process 1 has
// children that ended. The limits are those of this program and of the hosts of `user`; none: all
// users, and those of the user of this program.
[[nodiscard]] scanner::Diagnosis diagnose(const scanner::ProcessTable& table, const Judged& judged,
                                          std::optional<scanner::Uid> user);

}  // namespace reaper::agent
