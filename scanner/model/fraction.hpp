// Parses a number with a fraction. from_chars would do it, but not with the C++ library of macOS
// before 26.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace reaper::scanner {

// Returns the number that the whole of `text` is: digits, perhaps a minus, a point, an exponent.
// None: it is something else, or does not fit.
[[nodiscard]] inline std::optional<double> to_fraction(std::string_view text) {
    if (text.empty() || text.front() == '+') return std::nullopt;
    if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return std::nullopt;
    const std::string copy(text);
    char* end = nullptr;
    errno = 0;
    const double value = std::strtod(copy.c_str(), &end);
    if (errno != 0 || *end != '\0') return std::nullopt;
    return value;
}

}  // namespace reaper::scanner
