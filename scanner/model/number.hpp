// Parses numbers as the kernel prints them: digits, perhaps a minus, nothing else.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>

namespace reaper::scanner {

// Takes the number at the front of `text` off it. False, with both arguments unchanged: there is no
// number, or it does not fit.
template <std::integral Number>
[[nodiscard]] bool take_number(std::string_view& text, Number& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

// Returns the number that the whole of `text` is. None: it is something else, or does not fit.
template <std::integral Number>
[[nodiscard]] std::optional<Number> to_number(std::string_view text) {
    Number value{};
    if (!take_number(text, value) || !text.empty()) return std::nullopt;
    return value;
}

}  // namespace reaper::scanner
