// Reads only the name of the package from a package.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scanner/model/result.hpp"

namespace reaper::scanner {

// None: an object without a "name" (as {"type":"module"} beside built files). invalid_argument: no
// JSON object, or its name is no string.
[[nodiscard]] Result<std::optional<std::string>> parse_package_name(std::string_view text);

}  // namespace reaper::scanner
