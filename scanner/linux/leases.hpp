// Reads the leases of Hermes installs that a process holds.
#pragma once

#include <string>
#include <vector>

#include "scanner/model/process.hpp"

namespace reaper::scanner {

// Returns those among the files that the process has locked, each with the generation that is
// selected now, as seen from the root of the process whose /proc/PID is open as `process`, of
// `user`.
[[nodiscard]] std::vector<Lease> read_leases(int process, Uid user,
                                             const std::vector<std::string>& locked);

}  // namespace reaper::scanner
