// Which program wrote a line of the history: its pid alone is soon another one's.
#pragma once

#include <compare>
#include <string>

#include "scanner/identity.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

struct Program {
    scanner::Pid pid = 0;
    std::string identity;  // as scanner::to_string() has it; empty: not known

    auto operator<=>(const Program&) const = default;
};

// This one.
[[nodiscard]] Program this_program();

// False: it has exited, whoever has its pid now. True where that cannot be known, but somebody has it.
[[nodiscard]] bool still_runs(const Program& program);

}  // namespace reaper::agent
