// Lets one process at a time change what is scheduled for the whole system.
#pragma once

#include <chrono>

#include "scanner/fd.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

// Waits until no other `schedule --system` is at work; then it is this one's turn until the result
// is closed. Without that, two of them read /etc/cron.d/orphan-reaper, and the one that writes last
// removes the line of the other. Fails when the other is still at work after `limit`. Needs root.
[[nodiscard]] Result<Fd> take_turn(std::chrono::milliseconds limit);

}  // namespace reaper::agent
