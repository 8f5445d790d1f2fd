// Makes untrusted bytes safe to print, so that no terminal, log or label ever sees the raw bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reaper::policy {

inline constexpr std::size_t kLongestShown = 400;

// Returns printable ASCII only: every byte outside 0x20-0x7e becomes \xNN. At most `longest`
// characters, then "...".
[[nodiscard]] std::string escape(std::string_view bytes, std::size_t longest = kLongestShown);

}  // namespace reaper::policy
