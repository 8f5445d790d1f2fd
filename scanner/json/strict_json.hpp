// Parses untrusted JSON into a tree that is safe to walk.
#pragma once

#include <cstddef>
#include <string_view>

#include <nlohmann/json.hpp>

#include "scanner/model/result.hpp"

namespace reaper::scanner::json {

// True for what no program of ours writes: a tree of it could not be copied or printed.
[[nodiscard]] bool is_nested_deeper(std::string_view text, std::size_t deepest);

// invalid_argument: no JSON, nested deeper than `deepest`, or an object with a duplicate name.
[[nodiscard]] Result<nlohmann::json> parse_strictly(std::string_view text, std::size_t deepest);

}  // namespace reaper::scanner::json
