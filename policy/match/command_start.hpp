// Finds where the own options of an interpreter end in an argv, and what it runs begins.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "policy/rules/rules.hpp"

namespace reaper::policy {

struct Start {
    // none: a script, which is the first of the remaining words
    std::optional<std::string_view> module;
    std::span<const std::string> left;
    bool in_child = false;   // run by a launcher, or by a child of the interpreter
    std::string doubt = {};  // an unknown option: what follows may be its value
};

// Finds one of the program's modules or scripts in the words after argv[0] of `exe`. None: it runs
// something else, or that cannot be determined. After an unknown option any later word that names a
// script or module of the program counts.
[[nodiscard]] std::optional<Start> find_start(const Program& program, std::string_view exe,
                                              std::span<const std::string> words);

}  // namespace reaper::policy
