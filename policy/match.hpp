// Does a family describe this process? By token, never by substring: the interpreter by its exe, the script by its place in argv
// after the interpreter's own options, `-m module` exactly.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/rules.hpp"
#include "scanner/process.hpp"

namespace reaper::policy {

struct Match {
    const FamilyRule* rule = nullptr;
    std::string role;
    std::string script;      // as argv names it; empty: a module
    bool launcher = false;   // it runs the script in a child of its own (tsx): the two are one unit
    std::vector<std::string> arguments;  // what follows the script or module

    // Value of `--name=value` or `--name value` among the arguments.
    [[nodiscard]] std::optional<std::string> option(std::string_view name) const;
    [[nodiscard]] bool has_flag(std::string_view name) const;
};

// None: no enabled family. Says nothing yet about where the script lives; judge() does, once that was read.
[[nodiscard]] std::optional<Match> match(const Rules& rules, const scanner::ProcessRow& row);

// The script as an absolute, normalised path, when argv names it relative to `cwd`.
[[nodiscard]] std::string resolve(std::string_view script, std::string_view cwd);

}  // namespace reaper::policy
