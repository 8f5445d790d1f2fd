// Finds the path of a script that argv names.
#pragma once

#include <string>
#include <string_view>

namespace reaper::scanner {

// Makes the path absolute, without "." and "..", by text alone (links are not followed). Empty: the
// script is relative and `cwd` is not absolute, or one of the two holds a NUL.
[[nodiscard]] std::string resolve_script(std::string_view script, std::string_view cwd);

// Returns the folder of an absolute path: "/" for "/x" and for "/".
[[nodiscard]] std::string_view folder_of(std::string_view path);

}  // namespace reaper::scanner
