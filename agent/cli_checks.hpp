// What is right by itself, but not together, or not for that command. Inside of the command line only.
#pragma once

#include "agent/cli_values.hpp"

namespace reaper::agent {

// An option that the command would pay no heed to is a mistake too: nobody is left to believe that it did something.
[[nodiscard]] Done check(const Words& words, const Options& options);

}  // namespace reaper::agent
