// The command lines of interpreters that are known, so that rules need not repeat them.
#pragma once

#include "policy/rules.hpp"

namespace reaper::policy {

// Fills in the options of python, node and bun for a program that names none of its own.
void add_known_options(Program& program);

}  // namespace reaper::policy
