// Tells where a process runs.
#pragma once

#include <string>
#include <vector>

#include "scanner/model/process.hpp"

namespace reaper::policy {

// True if its working folder, its executable, or the script that an interpreter or shell runs lies
// in a folder or below it. `names`: absolute paths of that folder, the first without links. What
// could not be read lies nowhere.
[[nodiscard]] bool runs_below(const std::vector<std::string>& names, const scanner::ProcessRow& row,
                              const scanner::Reading<std::string>& cwd);

}  // namespace reaper::policy
