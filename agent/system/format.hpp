// Numbers, sizes, ages and paragraphs, as people like to read them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reaper::agent {

// "1 helper", "2 helpers"
[[nodiscard]] std::string count_text(std::size_t count, std::string_view noun);
// "512 KB", "92 MB", "1.4 GB"; steps of 1024
[[nodiscard]] std::string size_text(std::uint64_t bytes);
// "42s", "5m", "3h 10m", "2d 4h"
[[nodiscard]] std::string age_text(std::uint64_t seconds);
// "41 ms", "3.2 s", "2 min"
[[nodiscard]] std::string took_text(std::chrono::microseconds took);
// "2026-01-31T12:00:00Z"; a time outside of the years 1970 to 9999 is "unknown"
[[nodiscard]] std::string time_text(double epoch);
// "~/.hermes" when it lies in the usual home directory of `user`
[[nodiscard]] std::string home_text(std::string_view home, std::string_view user);
// Breaks `text` between words so that no line is longer than `width`; a word that is longer stays
// whole.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

}  // namespace reaper::agent
