// Matches names and paths against patterns with "*".
#pragma once

#include <string_view>

namespace reaper::policy {

// True if the pattern fits the whole text. Each "*" stands for any letters, "/" included, or none.
[[nodiscard]] bool fits(std::string_view pattern, std::string_view text);

// Matches "bridge.*" against the file name, and "ui-tui/dist/entry.js" against the end of the path.
[[nodiscard]] bool fits_path(std::string_view pattern, std::string_view path);

// Returns the package of node in which a script lies: what follows the last "node_modules/" of its
// path, with its scope ("@scope/name"). Of a link in "node_modules/.bin/": its name. Empty: it lies
// in none.
[[nodiscard]] std::string_view package_of(std::string_view path);

}  // namespace reaper::policy
