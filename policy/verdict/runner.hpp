// Recognises programs that run another one in their own place, and end it when they end: npm, sh,
// timeout, uv, tsx, ...
#pragma once

#include "scanner/model/process.hpp"

namespace reaper::policy {

// Compares the name of its executable, the name that it was started as, and the script that its
// interpreter runs.
[[nodiscard]] bool is_runner(const scanner::ProcessRow& row);

}  // namespace reaper::policy
