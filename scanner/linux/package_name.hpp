// Which package does a script belong to?
#pragma once

#include <string>

#include "scanner/reading.hpp"

namespace reaper::scanner {

// "name" of the nearest package.json with a name, from the folder of `script` (absolute) upwards, in the root folder of the process
// whose /proc/PID is open as `process`. gone: none in the first 16 folders.
[[nodiscard]] Reading<std::string> read_package_name(int process, const std::string& script);

}  // namespace reaper::scanner
