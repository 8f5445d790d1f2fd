// JSON from a stranger, into a tree that it is safe to walk.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "scanner/result.hpp"

namespace reaper::scanner::json {

// invalid_argument: no JSON, nested deeper than `deepest`, or an object that has one name twice.
[[nodiscard]] Result<nlohmann::json> parse_strictly(std::string_view text, std::size_t deepest);

}  // namespace reaper::scanner::json
