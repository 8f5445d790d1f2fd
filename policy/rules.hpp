// What the program knows of a family, as data. The built-in rules are JSON files in policy/families, compiled in; a
// configuration file speaks the same language.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/verdict.hpp"
#include "scanner/result.hpp"

namespace reaper::policy {

// Where a member's home is read from; the first source that gives a value wins.
struct HomeSource {
    enum class From { option, environment, environment_parent, profile, fixed };
    From from = From::fixed;
    std::string name;  // the option, the variable, or a path ("~" is the user's home directory)

    bool operator==(const HomeSource&) const = default;
};

struct Role {
    std::string name;                               // daemon, viewer, headless, worker
    std::vector<std::string> flags;                 // all must be among the arguments; empty: whoever is left
    bool outlives_host = false;                     // it is meant to go on when its host is gone: stdio proves nothing
    std::optional<Verdict> keep_as = std::nullopt;  // never ended: what it is called instead

    bool operator==(const Role&) const = default;
};

// The options of an interpreter itself: they come before the script.
struct InterpreterOptions {
    std::vector<std::string> with_value;      // take the next argument
    std::vector<std::string> without_value;   // stand alone, "*" allowed
    std::vector<std::string> without_script;  // with one of these it runs no script file at all (-e, -c, --test)

    bool operator==(const InterpreterOptions&) const = default;
};

// Stands among the executables of a marked program that may be any. Nobody looks at all processes for its sake: beside those that have
// one of the names, only at those that a ledger of Hermes records.
inline constexpr std::string_view kAnyExecutable = "*";

// A program that an argv describes: interpreter and script, interpreter and module, or an executable of its own. "*"
// stands for any letters.
struct Program {
    std::vector<std::string> interpreters;  // names as is_interpreter() takes them
    InterpreterOptions options;             // empty: those that everybody knows (interpreter_options.hpp)
    std::vector<std::string> scripts;       // file names, or ends of paths where there is a "/"; "*" allowed
    std::vector<std::string> launchers;     // ends of paths of scripts that run their next argument (tsx)
    std::vector<std::string> modules;       // after -m
    std::vector<std::string> executables;  // names as is_interpreter() takes them, of what is no script; kAnyExecutable
    std::vector<std::string> titles;       // first words of what an executable wrote over its argv, as one text (npm)
    std::vector<std::string> called;  // ends of argv[0], where a program is told by the name it is started by (bunx)
    // What comes after all of these, the program's own arguments:
    std::vector<std::string> commands;                    // one of these begins the words that are no options
    std::vector<std::string> command_options_with_value;  // options before the command that take the next argument
    std::vector<std::string> required;                    // "--x=y": this value, "*" allowed; "--x": any value or none
    std::vector<std::string> forbidden;                   // written alike: none of these may be there
    // One of these is in the environment, "X=y" with that value, "*" allowed; empty: no such mark is needed.
    std::vector<std::string> marked_variables;

    bool operator==(const Program&) const = default;
};

// Where a member's own record of who started it is found. With the time of that start a re-used pid is told from the
// owner.
struct OwnerSource {
    enum class From { option, environment, spawn_marker };
    From from = From::option;
    std::string name;         // the option, the variable, or the purpose that HERMES_SPAWN has to give
    std::string time_option;  // the option that records when the owner started, in seconds of wall clock; may be empty

    bool operator==(const OwnerSource&) const = default;
};

// Codes of evidence that, all together, prove that a member whose parent is only an adopter is an orphan.
using Proof = std::vector<std::string>;

struct FamilyRule {
    std::string name;
    std::string origin;  // "built-in", or the file that last changed it
    std::string pack;    // families that are switched on together
    bool enabled = true;
    std::optional<Verdict> keep_as;  // members are recognised and explained, and never ended: what they are called
    std::vector<Program> programs;
    std::vector<std::string> inside_parts;  // the script lies below a folder of one of these names,
    std::string inside_package;             // or below a package.json with this "name"; both empty: anywhere
    std::vector<Role> roles;
    std::vector<HomeSource> home;
    std::vector<Program> hosts;               // programs that are hosts of members whatever else they look like
    std::vector<OwnerSource> owners;          // records of who started a member
    bool needs_owner = false;                 // without such a record it is somebody else's
    std::vector<Proof> proofs;                // one of these is needed for the verdict orphan
    bool single_instance = false;             // a host needs one for each home: others are duplicates
    std::vector<std::string> several_with;    // marks of a host that needs several: then none is a duplicate
    std::vector<std::string> same_options;    // options that, beside host and home, make two members duplicates
    std::vector<std::string> daemon_roles;    // roles that can be the designated daemon of a home
    std::vector<std::uint16_t> daemon_ports;  // a listener on one of these is the designated daemon
    AtUpdate at_update = AtUpdate::untouched;
    bool listens = false;                  // members listen by nature: that forbids ending them, but says nothing more
    std::map<Verdict, Action> actions;     // what is done about a leak, by verdict
    std::chrono::milliseconds start_up{};  // younger members are left alone
    std::chrono::milliseconds grace{};
    std::chrono::milliseconds grace_cap{};

    bool operator==(const FamilyRule&) const = default;
};

// What a family does that says nothing else.
[[nodiscard]] FamilyRule default_family(std::string name);

// A process that matches is spared, always: every given field must be true of it.
struct ProtectRule {
    std::string origin;
    std::string exe;                     // full path
    std::vector<std::string> arguments;  // all must be among argv, as whole tokens
    std::string home;
    std::optional<scanner::Uid> uid = std::nullopt;  // of this user only, whose own rule it is; none: of everybody

    bool operator==(const ProtectRule&) const = default;
};

struct Rules {
    std::vector<FamilyRule> families;
    std::vector<ProtectRule> protect;
    std::map<scanner::Uid, std::string> untold;  // whose own rules are not known, and why: nobody of theirs is ended

    bool operator==(const Rules&) const = default;
};

// A mistake in a rule file, for people: "rules.json:3:14: ... (did you mean ...?)"
struct RuleMistake {
    std::string message;
};

// The rules that come with the program: policy/families/*.json, turned into C++ when it is built.
[[nodiscard]] Rules built_in_rules();

// Lays the text of one file over `base`. `origin` names it in messages.
[[nodiscard]] tl::expected<Rules, RuleMistake> overlay_rules(Rules base, std::string_view text,
                                                             std::string_view origin);

// What the scanner has to look for: interpreters and executables of enabled families, and the variables that they name.
[[nodiscard]] std::vector<std::string> executables_of(const Rules& rules);
// Whether recorded processes have to be looked at, whatever they run.
[[nodiscard]] bool takes_any_executable(const Rules& rules);
[[nodiscard]] std::vector<std::string> environment_keys_of(const Rules& rules);

// Of these variables, those whose values tell homes and owners; and what is asked of the others: "X", to be there, or "X=y".
[[nodiscard]] std::vector<std::string> value_keys_of(const Rules& rules);
[[nodiscard]] std::vector<std::string> marks_of(const Rules& rules);

}  // namespace reaper::policy
