// Colour, where the terminal and its user want it.
#pragma once

#include <string>
#include <string_view>

namespace reaper::agent {

enum class Ink { strong, bad, warning, good, faint };

[[nodiscard]] std::string paint(std::string_view text, Ink ink, bool color);

}  // namespace reaper::agent
