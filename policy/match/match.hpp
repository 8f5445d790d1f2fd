// Tells whether a family describes a process. Compares whole words, never substrings: the
// interpreter by its exe, the script by its place in argv after the interpreter's own options, `-m
// module` exactly.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/rules/rules.hpp"
#include "scanner/model/process.hpp"

namespace reaper::policy {

// How a process runs its program.
struct Invocation {
    std::string script;     // as argv names it; empty: a module
    bool launcher = false;  // it runs the script in a child (tsx): the two are one unit
    std::vector<std::string> arguments;  // what follows the script or module, up to a "--"
    // An unknown option before the script, which may be its value.
    std::string doubt = {};
    std::string default_home =
        {};  // that the bootstrap of Hermes names, if the environment has none
};

struct Match {
    const FamilyRule* rule = nullptr;
    Role role;
    Invocation invocation;
    bool needs_mark = false;  // its program must be marked by a variable
};

using Environment = scanner::Reading<std::map<std::string, std::string>>;

// Returns the first enabled family that matches, in the order of the rules. Where the script is
// does not matter yet: judge() tests that. A variable that marks a program must be set; one that
// could not be read is not.
[[nodiscard]] std::optional<Match> match(const Rules& rules, const scanner::ProcessRow& row,
                                         const Environment& environment);

// Matches exe and argv alone, as if every mark were set. None: no environment can make it a member.
// Programs that may be any executable are skipped, as they are not searched for.
[[nodiscard]] std::optional<Match> match(const Rules& rules, const scanner::ProcessRow& row);

// None: the process does not run this program.
[[nodiscard]] std::optional<Invocation> match_program(const Program& program,
                                                      const scanner::ProcessRow& row);

// True if one of the marks is set. "X": the variable. "X=y": with this value, "*" allowed. An
// unreadable environment has none.
[[nodiscard]] bool is_marked(const std::vector<std::string>& marks, const Environment& environment);

// True for the programs that start members of the family.
[[nodiscard]] bool is_host(const FamilyRule& rule, const scanner::ProcessRow& row);

// Returns the value of `--name=value` or `--name value`; the last one counts. None: it is absent,
// or nothing follows.
[[nodiscard]] std::optional<std::string> option_value(const std::vector<std::string>& arguments,
                                                      std::string_view name);

}  // namespace reaper::policy
