// Finds where the own options of an interpreter end in an argv, and what it runs begins.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "policy/match/bootstrap.hpp"
#include "policy/rules/rules.hpp"

namespace reaper::policy {

struct Start {
    // none: a script, which is the first of the remaining words
    std::optional<std::string_view> module;
    std::span<const std::string> left;
    bool in_child = false;   // run by a launcher, or by a child of the interpreter
    std::string doubt = {};  // an unknown option: what follows may be its value
    // The script of Hermes that names it, and owns what `module` and `left` refer to.
    std::shared_ptr<const Bootstrap> bootstrap = nullptr;
};

// Finds one of the program's modules or scripts in the words after argv[0] of `exe`, or in the
// bootstrap of Hermes among them. None: it runs something else, or that cannot be determined. After
// an unknown option any later word that names a script or module of the program counts.
[[nodiscard]] std::optional<Start> find_start(const Program& program, std::string_view exe,
                                              std::span<const std::string> words);

// Finds the bootstrap of Hermes in an argv: the script of the first `-c` behind the options of
// python. None: it has none.
struct FoundBootstrap {
    std::size_t at = 0;     // the script in argv
    bool attached = false;  // it stands in one word with "-c"
    Bootstrap bootstrap;
};
[[nodiscard]] std::optional<FoundBootstrap> find_bootstrap(std::span<const std::string> argv);

}  // namespace reaper::policy
