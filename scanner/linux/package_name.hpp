// Finds the package that a script belongs to.
#pragma once

#include <string>

#include "scanner/model/identity.hpp"
#include "scanner/model/reading.hpp"

namespace reaper::scanner {

// Returns "name" of the nearest package.json that has one, from the folder of `script` (absolute)
// upwards, as seen from the root of the process whose /proc/PID is open as `process`, of `user`.
// gone: none in the first 16 folders.
[[nodiscard]] Reading<std::string> read_package_name(int process, Uid user,
                                                     const std::string& script);

}  // namespace reaper::scanner
