// The folder that this very process works in.
#pragma once

#include <string>

#include "scanner/model/result.hpp"

namespace reaper::scanner {

// Reads its absolute path. On Linux a folder that was deleted keeps the name that it had; elsewhere
// that is a failure.
[[nodiscard]] Result<std::string> read_own_working_folder();

}  // namespace reaper::scanner
