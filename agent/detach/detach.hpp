// A sweep that outlives what asked for it.
#pragma once

#include <functional>

#include "agent/cli/options.hpp"

namespace reaper::agent {

// Hands the sweep over to a process in a session of its own, and returns within a fraction of a
// second. That process, or another one that waits already, calls `sweep` in a copy when the host
// has ended; `sweep` writes its own report, and returns its exit status. Stdout and stderr of this
// process are /dev/null afterwards. What fails is told to the journal of systemd, and to nothing
// else.
void detach_sweep(const Options& options, const std::function<int(const Options&)>& sweep);

}  // namespace reaper::agent
