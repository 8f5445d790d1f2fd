// Tells where a process runs.
#pragma once

#include <string>

#include "scanner/model/process.hpp"

namespace reaper::policy {

// True if its working folder, its executable, or the script that an interpreter or shell runs lies
// in `folder`, an absolute path without links, or below it. What could not be read lies nowhere.
[[nodiscard]] bool runs_below(const std::string& folder, const scanner::ProcessRow& row,
                              const scanner::Reading<std::string>& cwd);

}  // namespace reaper::policy
