// What the program knows of a family, as data. The built-in rules are JSON files in policy/families, compiled in; a configuration
// file speaks the same language.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scanner/result.hpp"

namespace reaper::policy {

// Where a member's home is read from; the first source that gives a value wins.
struct HomeSource {
    enum class From { option, environment, environment_parent, fixed };
    From from = From::fixed;
    std::string name;  // the option, the variable, or a path ("~" is the user's home directory)

    bool operator==(const HomeSource&) const = default;
};

struct Role {
    std::string name;                // daemon, viewer, headless, worker
    std::vector<std::string> flags;  // all must be among the arguments; empty: whoever is left
    bool outlives_host = false;      // it is meant to go on when its host is gone: stdio proves nothing

    bool operator==(const Role&) const = default;
};

// A program that an argv describes: interpreter and script, or interpreter and module.
struct Program {
    std::vector<std::string> interpreters;        // names as is_interpreter() takes them
    std::vector<std::string> options_with_value;  // the interpreter's own options that take the next argument
    std::vector<std::string>
        options_without_script;          // with one of these it runs no script file at all (-e, -c, --test)
    std::vector<std::string> scripts;    // file names
    std::vector<std::string> launchers;  // ends of paths of scripts that run their next argument (tsx)
    std::vector<std::string> modules;    // after -m
    std::vector<std::string>
        required;  // options that must be there: "--x=y" to the letter, "--x" with any value or none

    bool operator==(const Program&) const = default;
};

struct FamilyRule {
    std::string name;
    std::string origin;  // "built-in", or the file that last changed it
    bool enabled = true;
    Program program;
    std::vector<std::string> inside_parts;  // the script lies below a folder of one of these names,
    std::string inside_package;             // or below a package.json with this "name"; both empty: anywhere
    std::vector<Role> roles;
    std::vector<HomeSource> home;
    std::vector<Program> hosts;               // programs that are hosts of members whatever else they look like
    std::string parent_option;                // "--parent-pid": the option that records the host's pid
    std::vector<std::string> same_options;    // options that, beside host and home, make two members duplicates
    std::vector<std::string> daemon_roles;    // roles that can be the designated daemon of a home
    std::vector<std::uint16_t> daemon_ports;  // a listener on one of these is the designated daemon
    std::chrono::milliseconds start_up{};     // younger members are left alone
    std::chrono::milliseconds grace{};
    std::chrono::milliseconds grace_cap{};

    bool operator==(const FamilyRule&) const = default;
};

// A process that matches is spared, always: every given field must be true of it.
struct ProtectRule {
    std::string origin;
    std::string exe;                     // full path
    std::vector<std::string> arguments;  // all must be among argv, as whole tokens
    std::string home;

    bool operator==(const ProtectRule&) const = default;
};

struct Rules {
    std::vector<FamilyRule> families;
    std::vector<ProtectRule> protect;

    bool operator==(const Rules&) const = default;
};

// A mistake in a rule file, for people: "rules.json:3:14: ...; did you mean ...?"
struct RuleMistake {
    std::string message;
};

// The rules that come with the program.
[[nodiscard]] Rules built_in_rules();

// Lays the text of one file over `base`. `origin` names it in messages.
[[nodiscard]] tl::expected<Rules, RuleMistake> overlay_rules(Rules base, std::string_view text,
                                                             std::string_view origin);

// What the scanner has to look for: interpreters of enabled families, and the variables that they name.
[[nodiscard]] std::vector<std::string> interpreters_of(const Rules& rules);
[[nodiscard]] std::vector<std::string> environment_keys_of(const Rules& rules);

}  // namespace reaper::policy
