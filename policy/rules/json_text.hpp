// Parses JSON with comments, and records where each value is, so that a mistake is reported with
// line and column.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

namespace reaper::policy {

struct JsonText {
    nlohmann::ordered_json value;  // members in the order of the text
    // JSON pointer -> byte; for a member the byte of its key
    std::map<std::string, std::size_t> offsets;
};

// Parses the text. The error reads "3:14: what is wrong". Duplicate keys in an object are an error,
// too.
[[nodiscard]] tl::expected<JsonText, std::string> parse_json_text(std::string_view text);

// Returns "line:column" of a byte, both from 1, columns in characters of UTF-8.
[[nodiscard]] std::string place_of(std::string_view text, std::size_t offset);

// Returns the JSON pointer of a member of the object at `pointer`.
[[nodiscard]] std::string member_pointer(const std::string& pointer, const std::string& key);

}  // namespace reaper::policy
