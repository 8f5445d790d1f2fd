// Bytes of strangers, made safe to print: no terminal, log or label ever sees what they really were.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reaper::agent {

inline constexpr std::size_t kLongestShown = 400;

// Printable ASCII only: everything outside 0x20-0x7e becomes \xNN. At most `longest` characters, then "...".
[[nodiscard]] std::string escape(std::string_view bytes, std::size_t longest = kLongestShown);

}  // namespace reaper::agent
