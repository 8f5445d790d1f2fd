// Strings of the system are bytes, strings of JSON are text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace reaper::scanner::json {

// As RFC 3629 has it: no overlong forms, no surrogates, nothing beyond U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view bytes);

[[nodiscard]] std::string to_hex(std::string_view bytes);
// None: an odd number of digits, or something that is no lower-case hexadecimal digit.
[[nodiscard]] std::optional<std::string> from_hex(std::string_view digits);

}  // namespace reaper::scanner::json
