// Converts between bytes of the system and text of JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace reaper::scanner::json {

// True if RFC 3629 allows it: no overlong forms, no surrogates, nothing beyond U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view bytes);
// Returns the length of the first character of `bytes`, which is not empty. 0: there is none, or it
// is incomplete.
[[nodiscard]] std::size_t length_of_first(std::string_view bytes);

[[nodiscard]] std::string to_hex(std::string_view bytes);
// None: an odd number of digits, or one that is not lower-case hexadecimal.
[[nodiscard]] std::optional<std::string> from_hex(std::string_view digits);

}  // namespace reaper::scanner::json
