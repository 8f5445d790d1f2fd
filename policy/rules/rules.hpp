// What the program knows about families, as data. The built-in rules are JSON files in
// policy/families, compiled in; a configuration file has the same form.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/rules/verdict.hpp"
#include "scanner/model/result.hpp"

namespace reaper::policy {

// Where the home of a member is read from; the first source that gives a value wins.
struct HomeSource {
    enum class From { option, environment, environment_parent, profile, fixed };
    From from = From::fixed;
    std::string name;  // the option, the variable, or a path ("~" is the user's home directory)
    // Of an option or a variable: the home is what stands before these folders in the value. Empty:
    // the whole value.
    std::string above = {};

    bool operator==(const HomeSource&) const = default;
};

struct Role {
    std::string name;                // daemon, viewer, headless, worker
    std::vector<std::string> flags;  // all must be among the arguments; empty: any other member
    // It may outlive its host, so its stdio proves nothing.
    bool outlives_host = false;
    // Members are never ended, and get this verdict.
    std::optional<Verdict> keep_as = std::nullopt;

    bool operator==(const Role&) const = default;
};

// The options of an interpreter itself, which come before the script.
struct InterpreterOptions {
    std::vector<std::string> with_value;     // take the next argument
    std::vector<std::string> without_value;  // stand alone, "*" allowed
    // With one of these it runs no script file at all (-e, -c, --test).
    std::vector<std::string> without_script;
    // With one of these it runs the script in a child (node --watch).
    std::vector<std::string> in_child = {};
    std::vector<std::string> verbs = {};  // words that may stand before the script (bun run)

    bool operator==(const InterpreterOptions&) const = default;
};

// Stands for any executable of a marked program. Only processes with one of the other names, and
// those in a ledger of Hermes, are examined for such programs.
inline constexpr std::string_view kAnyExecutable = "*";

// The variables that tell where launchers of node keep their sockets (launcher_socket.hpp); the
// first that is set counts.
inline constexpr std::string_view kTemporaryFolderKeys[] = {"TMPDIR", "TMP", "TEMP"};

// The variables by which node and bun can be told to open a port for a debugger; only whether they
// are set is read.
inline constexpr std::string_view kDebuggerKeys[] = {"NODE_OPTIONS", "BUN_OPTIONS", "BUN_INSPECT",
                                                     "BUN_INSPECT_NOTIFY"};

// A program that an argv describes: interpreter and script, interpreter and module, or an
// executable of its own. "*" stands for any letters.
struct Program {
    std::vector<std::string> interpreters;  // names as is_interpreter() takes them
    InterpreterOptions options;             // empty: the known ones (interpreter_options.hpp)
    // File names, or ends of paths if there is a "/"; "*" allowed.
    std::vector<std::string> scripts;
    // Packages of node that a script may be of, as package_of() names it; "*" allowed.
    std::vector<std::string> packages;
    // Ends of paths of scripts that run their next argument (tsx).
    std::vector<std::string> launchers;
    std::vector<std::string> modules;  // after -m
    // Names of programs that are no script, or ends of their paths, as is_one_of() takes them, or
    // kAnyExecutable.
    std::vector<std::string> executables;
    // First words of what an executable wrote over its argv, as one text (npm). Without commands
    // and required arguments: the whole text.
    std::vector<std::string> titles;
    // Ends of argv[0], for programs that are recognised by the name that starts them (bunx).
    std::vector<std::string> called;
    // The program's own arguments, which follow:
    std::vector<std::string> commands;  // the words that are no options begin with one of these
    // Options before the command that take the next argument.
    std::vector<std::string> command_options_with_value;
    // "--x=y": this value, "*" allowed; "--x": any value or none.
    std::vector<std::string> required;
    std::vector<std::string> forbidden;  // in the same form: none of these may be present
    // One of these must be in the environment; "X=y": with that value, "*" allowed. Empty: none is
    // needed.
    std::vector<std::string> marked_variables;

    bool operator==(const Program&) const = default;
};

// Where a member records the process that started it. The recorded start tells a reused pid from
// the owner.
struct OwnerSource {
    enum class From { option, environment, spawn_marker };
    From from = From::option;
    std::string name;  // the option, the variable, or the purpose that HERMES_SPAWN must name
    // The option that records the start of the owner, in seconds of wall clock; may be empty.
    std::string time_option;

    bool operator==(const OwnerSource&) const = default;
};

// Codes of evidence. All together prove that a member whose parent is only an adopter is an orphan.
using Proof = std::vector<std::string>;

struct FamilyRule {
    std::string name;
    std::string origin;  // "built-in", or the file that last changed it
    std::string pack;    // families that are switched on together
    bool enabled = true;
    // Of a family that is off: a report lists members apart, as those of other hosts.
    bool listed = false;
    // It is only looked for to be listed apart; list_apart() says so, and no file.
    bool apart = false;
    // Members are recognised and explained, but never ended, and get this verdict.
    std::optional<Verdict> keep_as;
    std::vector<Program> programs;
    // The script must lie below a folder with one of these names,
    std::vector<std::string> inside_parts;
    std::string inside_package;  // or below a package.json with this "name"; both empty: anywhere
    std::vector<Role> roles;
    std::vector<HomeSource> home;
    // programs that are hosts of members even if they look like adopters
    std::vector<Program> hosts;
    std::vector<OwnerSource> owners;  // where members record the process that started them
    bool needs_owner = false;         // a member without such a record belongs to another product
    bool keeps_runner = false;        // what runs a member, of the same pack, stays while it lives
    std::vector<Proof> proofs;        // one of these is needed for the verdict orphan
    bool single_instance = false;     // a host needs only one per home; others are duplicates
    // Marks of a host that needs several; then none is a duplicate.
    std::vector<std::string> several_with;
    // Options that must be equal, besides host and home, for two members to be duplicates.
    std::vector<std::string> same_options;
    std::vector<std::string> daemon_roles;    // roles that can be the designated daemon of a home
    std::vector<std::uint16_t> daemon_ports;  // a listener on one of these is the designated daemon
    AtUpdate at_update = AtUpdate::untouched;
    // Members always listen, which is a veto but proves nothing else.
    bool listens = false;
    std::map<Verdict, Action> actions;  // what to do about a leak, by verdict
    // Not empty: every process that runs in the folder of these names or below it is a member, in
    // the role of its executable. add_leftovers() says so, and no file.
    std::vector<std::string> under;
    std::chrono::milliseconds start_up{};  // younger members are left alone
    std::chrono::milliseconds grace{};
    std::chrono::milliseconds grace_cap{};

    bool operator==(const FamilyRule&) const = default;
};

// Returns the settings of a family that a rule file does not give.
[[nodiscard]] FamilyRule default_family(std::string name);

// Spares every process that matches all fields that are given.
struct ProtectRule {
    std::string origin;
    std::string exe;                     // full path
    std::vector<std::string> arguments;  // all must be whole arguments in argv
    std::string home;
    // Only processes of this user, whose rule it is; none: of all users.
    std::optional<scanner::Uid> uid = std::nullopt;

    bool operator==(const ProtectRule&) const = default;
};

struct Rules {
    std::vector<FamilyRule> families;
    std::vector<ProtectRule> protect;
    // Users whose own rules could not be read, and why. Their processes are never ended.
    std::map<scanner::Uid, std::string> users_with_unreadable_rules;

    bool operator==(const Rules&) const = default;
};

// A mistake in a rule file, for people: "rules.json:3:14: ... (did you mean ...?)"
struct RuleMistake {
    std::string message;
};

// Returns the rules that come with the program: policy/families/*.json, compiled into C++.
[[nodiscard]] Rules built_in_rules();

// Lays the text of one file over `base`. `origin` names it in messages. Fails at the first mistake.
[[nodiscard]] tl::expected<Rules, RuleMistake> overlay_rules(Rules base, std::string_view text,
                                                             std::string_view origin);

// Adds a family of whatever was started below a folder, and that no other family knows. `names`:
// as runs_below() takes them. `home`: a folder that exists.
void add_leftovers(Rules& rules, const std::vector<std::string>& names, const std::string& home);

// Looks for the listed families that are off as well: their members are only ever reported.
void list_apart(Rules& rules);

// These return what the scanner must look for: interpreters and executables of enabled families,
// and the variables that they name.
[[nodiscard]] std::vector<std::string> executables_of(const Rules& rules);
// Returns those of them that only families name which are listed apart.
[[nodiscard]] std::vector<std::string> executables_apart(const Rules& rules);
// True if every process must be looked at, whatever it runs.
[[nodiscard]] bool takes_leftovers(const Rules& rules);
// True if recorded processes must be examined whatever they run.
[[nodiscard]] bool takes_any_executable(const Rules& rules);
[[nodiscard]] std::vector<std::string> environment_keys_of(const Rules& rules);

// Returns the variables whose values tell homes and owners. marks_of() returns the other variables
// as they are tested: "X" or "X=y".
[[nodiscard]] std::vector<std::string> value_keys_of(const Rules& rules);
[[nodiscard]] std::vector<std::string> marks_of(const Rules& rules);

}  // namespace reaper::policy
