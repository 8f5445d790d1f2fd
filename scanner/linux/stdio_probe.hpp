// Tells whether the other end of the stdin or stdout of a process is still open.
#pragma once

#include "scanner/model/process.hpp"

namespace reaper::scanner {

enum class StandardStream { input, output };

// Probes one stream of the open /proc/PID `process`, without reading or writing anything.
// `same_network`: the process is in the network namespace of this program, so its sockets can be
// looked up. Not ok only if the descriptor itself could not be read.
[[nodiscard]] Reading<StdioEnd> probe_stdio(int process, Uid user, StandardStream stream,
                                            bool same_network);

}  // namespace reaper::scanner
