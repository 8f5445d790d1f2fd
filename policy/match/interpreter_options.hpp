// The command lines of known interpreters, so that rules need not repeat them.
#pragma once

#include <string_view>
#include <vector>

#include "policy/rules/rules.hpp"

namespace reaper::policy {

// Returns the options that the program names; if it names none, those of python, node or bun, by
// `exe`.
[[nodiscard]] const InterpreterOptions& options_of(const Program& program, std::string_view exe);

[[nodiscard]] const InterpreterOptions& python_options();

// Returns the options of one of its launchers, by the path that starts that.
[[nodiscard]] const InterpreterOptions& launcher_options_of(const Program& program,
                                                            std::string_view launcher);

// Returns all that the two functions above may return for this program, each once.
[[nodiscard]] std::vector<const InterpreterOptions*> all_options_of(const Program& program);

}  // namespace reaper::policy
