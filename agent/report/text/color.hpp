// Colours for terminals.
#pragma once

#include <string>
#include <string_view>

namespace reaper::agent {

enum class Style { strong, bad, warning, good, faint };

// Returns `text` between escape sequences; as it is where `color` is false.
[[nodiscard]] std::string colorize(std::string_view text, Style style, bool color);

}  // namespace reaper::agent
