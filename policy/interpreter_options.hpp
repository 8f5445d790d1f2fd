// The command lines of interpreters that are known, so that rules need not repeat them.
#pragma once

#include "policy/rules.hpp"

namespace reaper::policy {

// Those that the program names; if it names none, those of python, or of node and bun.
[[nodiscard]] const InterpreterOptions& options_of(const Program& program);

}  // namespace reaper::policy
