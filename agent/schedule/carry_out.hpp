// Does what a plan says, or only prints it.
#pragma once

#include <string>
#include <vector>

#include "agent/schedule/parts.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

// What a dry run prints: each file with its content, each command with what it reads.
[[nodiscard]] std::string steps_text(const std::vector<ScheduleStep>& steps);

// Does one after the other. Fails at the first that does not work and matters; those before it are
// done then. Folders are made where they are missing; such as a removal leaves empty are removed,
// up to `kept`.
[[nodiscard]] Result<void> carry_out(const std::vector<ScheduleStep>& steps,
                                     const std::string& kept);

}  // namespace reaper::agent
