// Does a family describe this process? By token, never by substring: the interpreter by its exe, the script by its
// place in argv after the interpreter's own options, `-m module` exactly.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/rules.hpp"
#include "scanner/process.hpp"

namespace reaper::policy {

// How a process runs what it runs.
struct Invocation {
    std::string script;                  // as argv names it; empty: a module
    bool launcher = false;               // it runs the script in a child of its own (tsx): the two are one unit
    std::vector<std::string> arguments;  // what follows the script or module, up to a "--"
};

struct Match {
    const FamilyRule* rule = nullptr;
    Role role;
    Invocation invocation;
    bool needs_mark = false;  // its program has to be marked by a variable
};

using Environment = scanner::Reading<std::map<std::string, std::string>>;

// The first enabled family in the order of the rules. Says nothing yet about where the script lives; judge() does, once
// that was read. A variable that marks a program has to be there: what could not be read is not marked.
[[nodiscard]] std::optional<Match> match(const Rules& rules, const scanner::ProcessRow& row,
                                         const Environment& environment);

// By exe and argv alone, as if every mark were there: none, if the environment cannot make it a member of anything. Programs that may
// be any executable do not count, as nobody looks for them.
[[nodiscard]] std::optional<Match> match(const Rules& rules, const scanner::ProcessRow& row);

// None: the process does not run this program.
[[nodiscard]] std::optional<Invocation> match_program(const Program& program, const scanner::ProcessRow& row);

// Is one of these there? "X": the variable. "X=y": with this value, "*" allowed. What could not be read has none.
[[nodiscard]] bool is_marked(const std::vector<std::string>& marks, const Environment& environment);

// Is this one of the programs that start members of the family?
[[nodiscard]] bool is_host(const FamilyRule& rule, const scanner::ProcessRow& row);

// Value of `--name=value` or `--name value`; the last one counts. None: not there, or nothing follows.
[[nodiscard]] std::optional<std::string> option_value(const std::vector<std::string>& arguments, std::string_view name);

}  // namespace reaper::policy
