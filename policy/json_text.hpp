// JSON with comments, and where in its text each value stands: a mistake is told with line and column.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

namespace reaper::policy {

struct JsonText {
    nlohmann::ordered_json value;                // members as they stand in the text
    std::map<std::string, std::size_t> offsets;  // JSON pointer -> byte; of a member: its key
};

// The error reads "3:14: what is wrong". Besides what JSON forbids, a key that stands twice in one object is an error.
[[nodiscard]] tl::expected<JsonText, std::string> parse_json_text(std::string_view text);

// "line:column" of a byte, both from 1, columns in letters of UTF-8.
[[nodiscard]] std::string place_of(std::string_view text, std::size_t offset);

// The JSON pointer of a member of the object at `pointer`.
[[nodiscard]] std::string member_pointer(const std::string& pointer, const std::string& key);

}  // namespace reaper::policy
