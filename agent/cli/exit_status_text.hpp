// What the exit statuses mean, as --help says it.
#pragma once

#include <optional>
#include <string_view>

#include "agent/cli/options.hpp"

namespace reaper::agent {

// Of that command; none: of all. Those that look at processes share one table.
[[nodiscard]] std::string_view exit_status_text(std::optional<Command> command);

}  // namespace reaper::agent
