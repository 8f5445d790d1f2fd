// Is there still anybody at the other end of a process's stdin or stdout?
#pragma once

#include "scanner/process.hpp"

namespace reaper::scanner {

enum class StandardStream { input, output };

// `process` is /proc/PID, open. Reads and writes nothing. `same_network`: the process lives in this program's network namespace,
// so that its sockets can be looked up. Failed only when the descriptor itself could not be looked at.
[[nodiscard]] Reading<StdioEnd> probe_stdio(int process, StandardStream stream, bool same_network);

}  // namespace reaper::scanner
