// Tells the port of a debugger from one on which a program serves.
#pragma once

#include "scanner/model/process.hpp"

namespace reaper::policy {

// False: the listener is certainly none that node or bun opened for a debugger. They do that by an
// option, by a variable, by a file that an option names, and node also when it gets SIGUSR1.
[[nodiscard]] bool may_be_of_debugger(const scanner::Listener& listener,
                                      const scanner::ProcessFacts& process);

}  // namespace reaper::policy
