// Whether another process can see what this program sees.
#pragma once

#include <string>

#include "scanner/process_table.hpp"

namespace reaper::scanner {

// True if it is in the same pid namespace, has the same root directory, and finds the same folder
// at `home`, an absolute path. False also where that cannot be read: a container can share a home,
// and nothing else.
[[nodiscard]] bool shares_our_view(const ProcessTable& table, Pid pid, const std::string& home);

}  // namespace reaper::scanner
