// Where the script that argv names lies.
#pragma once

#include <string>
#include <string_view>

namespace reaper::scanner {

// Absolute and without "." and "..", by text alone (links are not followed). Empty: the script is relative and `cwd` is
// no absolute path, or one of the two holds a NUL.
[[nodiscard]] std::string resolve_script(std::string_view script, std::string_view cwd);

// The folder of an absolute path: "/" for "/x" and for "/".
[[nodiscard]] std::string_view folder_of(std::string_view path);

}  // namespace reaper::scanner
