// Reads fields of a record by the table of layout.hpp.
#pragma once

#include <cassert>
#include <cstring>
#include <string>
#include <string_view>

#include "scanner/model/result.hpp"
#include "scanner/parse/darwin/layout.hpp"

namespace reaper::scanner::darwin {

// The record must be long enough: check its length first.
template <class T>
[[nodiscard]] T get(std::string_view record, Field<T> field) {
    assert(field.offset + sizeof(T) <= record.size());
    T value{};
    std::memcpy(&value, record.data() + field.offset, sizeof value);
    return value;
}

[[nodiscard]] inline std::string get(std::string_view record, TextField field) {
    const std::string_view text = record.substr(field.offset, field.size);
    return std::string(text.substr(0, text.find('\0')));
}

// An answer that is not in the form of layout.hpp: of a macOS that has changed, or cut off.
[[nodiscard]] inline tl::unexpected<Error> malformed(std::string_view subject) {
    return failure(std::errc::invalid_argument, "make sense of", subject);
}

}  // namespace reaper::scanner::darwin
