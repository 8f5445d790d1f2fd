// What a hook is made of, as plain values: the host, what was found of it, and what is to be done.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reaper::agent {

// How the file of a host holds a hook.
enum class HookForm {
    groups,    // JSON: hooks.EVENT is a list of groups, and each has a list of hooks
    handlers,  // JSON: hooks.EVENT is a list of hooks
    yaml,      // YAML: the same, as blocks
    module     // the file is the hook
};

// A host, and where it keeps hooks.
struct HookHost {
    std::string_view name;   // as it is typed
    std::string_view title;  // as people call it
    HookForm form;
    std::string_view event;     // the end of a session
    std::string_view variable;  // that names its folder; empty: there is none
    std::string_view below;     // what is appended to that variable
    std::string_view folder;    // below the home of the user, where no variable says it
    std::string_view file;      // below that folder
    std::string_view next;      // what the person does after an installation; empty: nothing
};

// One file of a host, as it was found. Paths are absolute.
struct HookFile {
    std::string path = {};                   // as the host names it
    std::string target = {};                 // the same without links: what is replaced
    std::optional<std::string> text = {};    // none: there is no such file
    std::optional<std::string> backup = {};  // what it was before an installation
    bool has_folder = true;                  // that it is in
    std::string refusal = {};                // why it must not be changed; empty: it may
    std::string trouble = {};                // why it could not be looked at; empty: it could
};

struct HookPlace {
    const HookHost* host = nullptr;
    bool is_there = false;  // the host has a folder
    HookFile file = {};
};

enum class HookState {
    installed,
    by_hand,  // a person has written it, or changed it: it is never touched
    other_version,
    off,      // the host is told to run no hooks
    unclear,  // something like it is there, in a form that is not understood
    not_installed,
    no_host,
    unknown
};

// "installed", "installed by hand", "other version", "off", "unclear", "not installed", "no host",
// "unknown"; JSON has the same words.
[[nodiscard]] std::string_view to_string(HookState state);

struct HookStatus {
    const HookHost* host = nullptr;
    HookState state = HookState::no_host;
    std::string file = {};
    std::string remark = {};  // why it is so; empty: there is nothing to say
    bool is_refused = false;  // install would be; the remark says why
};

// What a file has of hooks that ask for a sweep.
struct FoundHooks {
    // Those that install has written: the program that each one names.
    std::vector<std::string> programs = {};
    // The line of the first one that a person has written; 0: it is not known which.
    std::optional<std::size_t> by_hand = {};
};

// What is to be done to one file.
struct HookChange {
    enum class Backup { keep, write, remove };
    const HookHost* host = nullptr;
    std::string path = {};
    std::string target = {};
    std::optional<std::string> before = {};  // none: there is no file
    std::optional<std::string> after = {};   // none: there shall be none
    Backup backup = Backup::keep;
    std::string backup_text = {};
    bool makes_folder = false;    // that the file is in
    bool removes_folder = false;  // where nothing else is in it
    // The entries as lines, to be shown.
    std::vector<std::string> taken_out = {};
    std::vector<std::string> put_in = {};
    bool restores_form = false;  // blanks and newlines come back as they were
    std::string remark = {};     // a sentence for the person; empty: there is nothing to say
    bool is_left = false;        // something of what was asked for, which the remark is about

    // The backup alone is nothing that a person has to be asked about.
    [[nodiscard]] bool changes_file() const { return before != after; }
};

// Where the text stands that the file had before an installation.
[[nodiscard]] std::string backup_of(const std::string& path);

}  // namespace reaper::agent
