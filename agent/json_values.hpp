// Values of a JSON object that was written by this program, but perhaps by another version of it: what is not there, or of another
// kind, is empty.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace reaper::agent {

template <class Number>
Number number_of(const nlohmann::json& record, const char* key) {
    const auto found = record.find(key);
    return found != record.end() && found->is_number() ? found->template get<Number>() : Number{};
}

inline std::string text_of(const nlohmann::json& record, const char* key) {
    const auto found = record.find(key);
    return found != record.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace reaper::agent
