// What is right by itself, but not together, or not for that command. Inside of the command line
// only.
#pragma once

#include "agent/cli/tokens.hpp"

namespace reaper::agent {

// Returns what is wrong, or an empty text. An option that the command would ignore is a mistake
// too, except that `report` takes what `sweep` does: it ends nothing in any case.
[[nodiscard]] std::string check(const CommandLineTokens& tokens, const Options& options);

}  // namespace reaper::agent
