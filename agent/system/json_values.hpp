// Values of a JSON object that was written by this program, but perhaps by another version of it:
// what is not there, or of another kind, is empty.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "scanner/json/bytes.hpp"

namespace reaper::agent {

// Returns 0 where there is no number of that name.
template <class Number>
Number number_of(const nlohmann::json& record, const char* key) {
    const auto found = record.find(key);
    return found != record.end() && found->is_number() ? found->template get<Number>() : Number{};
}

// Reads what is no text from {"hex": "2f686f6d652f6a6f73e9"}. None: neither a text nor that, or the
// digits are wrong.
inline std::optional<std::string> bytes_from(const nlohmann::json& value) {
    if (value.is_string()) return value.get<std::string>();
    const auto digits = value.is_object() ? value.find("hex") : value.end();
    if (digits == value.end() || !digits->is_string()) return std::nullopt;
    return scanner::json::from_hex(digits->get_ref<const std::string&>());
}

// Returns an empty text where bytes_from() has none.
inline std::string text_of(const nlohmann::json& record, const char* key) {
    const auto found = record.find(key);
    return found == record.end() ? std::string() : bytes_from(*found).value_or("");
}

}  // namespace reaper::agent
