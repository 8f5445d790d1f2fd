// Reads one text out of a JSON object.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "scanner/model/result.hpp"

namespace reaper::scanner::json {

// Returns the text that the keys of `path`, from the outermost object inwards, lead to. None: there
// is no such key. invalid_argument: no JSON object, the value is no text or stands there twice, or
// it is longer than Stream::kLongest or has escapes.
[[nodiscard]] Result<std::optional<std::string>> text_at(std::string_view json,
                                                         std::span<const std::string_view> path);

}  // namespace reaper::scanner::json
