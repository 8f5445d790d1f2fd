// What --help prints.
#pragma once

#include <optional>
#include <string>

#include "agent/cli/options.hpp"

namespace reaper::agent {

// About the whole program, or about one command and the options that apply to it. At most 80
// columns.
[[nodiscard]] std::string help_text(std::optional<Command> command);

}  // namespace reaper::agent
