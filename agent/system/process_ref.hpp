// The process that wrote a line of the history. Its pid alone may soon be another's.
#pragma once

#include <compare>
#include <string>

#include "scanner/model/identity.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

struct Program {
    scanner::Pid pid = 0;
    std::string identity;  // as scanner::to_string() has it; empty: not known

    auto operator<=>(const Program&) const = default;
};

// Returns this process, with an empty identity where /proc does not give it.
[[nodiscard]] Program this_program();

// False: it has exited, also when another process has its pid. True when that cannot be known, but
// the pid is in use.
[[nodiscard]] bool still_runs(const Program& program);

}  // namespace reaper::agent
