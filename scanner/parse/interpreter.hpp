// Tells whether an executable is the interpreter that a rule means.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace reaper::scanner {

// True if the file name of `exe` is `name`, or `name` with a version or a kind of build: "python"
// stands for python, python3, python3.11, python3.13t, python3.11-dbg and for PyPy, but not for
// python3-config, and for the Python of a framework on macOS; "node" stands for nodejs, too, and
// "bun" for bun.exe. Ignores a trailing " (deleted)" (an upgrade replaces interpreters under
// running helpers) and what Nix puts around a name (".node-wrapped").
[[nodiscard]] bool is_interpreter(std::string_view exe, std::string_view name);

// The same for several names. One with a "/" is the end of the path of `exe`; in each part of it
// one "*" stands for any letters but "/": "claude/versions/*".
[[nodiscard]] bool is_one_of(std::string_view exe, std::span<const std::string> names);

// Takes off the " (deleted)" that Linux adds to the name of an executable that was replaced.
[[nodiscard]] std::string_view without_deleted_mark(std::string_view exe);

}  // namespace reaper::scanner
