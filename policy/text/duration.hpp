// Durations as people write them: 500ms 30s 5m 2h 7d.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace reaper::policy {

// Parses one whole number and one unit, at most 3650d. The error begins with the text itself: "30:
// a duration needs a unit: 30s".
[[nodiscard]] tl::expected<std::chrono::milliseconds, std::string> parse_duration(
    std::string_view text);

// Writes a duration with the largest unit in which it is whole: 90 s is "90s", 120 s is "2m", zero
// is "0s".
[[nodiscard]] std::string duration_text(std::chrono::milliseconds duration);

}  // namespace reaper::policy
