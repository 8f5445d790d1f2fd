// Is this executable the interpreter that a rule means?
#pragma once

#include <string_view>

namespace reaper::scanner {

// The file name of `exe` is `name`, or `name` and a version: "python" takes python, python3 and python3.11, but
// not python3-config; a trailing " (deleted)" is ignored (an upgrade replaces interpreters under running helpers).
[[nodiscard]] bool is_interpreter(std::string_view exe, std::string_view name);

// Linux adds " (deleted)" to the name of an executable that was replaced.
[[nodiscard]] std::string_view without_deleted_mark(std::string_view exe);

}  // namespace reaper::scanner
