// "*" in what a rule names.
#pragma once

#include <string_view>

namespace reaper::policy {

// Is this the whole text? Each "*" of the pattern stands for any letters, "/" too, or none.
[[nodiscard]] bool fits(std::string_view pattern, std::string_view text);

// "bridge.*" is the name of a file, "ui-tui/dist/entry.js" the end of a path.
[[nodiscard]] bool fits_path(std::string_view pattern, std::string_view path);

}  // namespace reaper::policy
