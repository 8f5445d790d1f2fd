// The words that rules can tell apart in an argv. All others are private.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policy/rules/rules.hpp"

namespace reaper::agent {

using WordSet = std::set<std::string, std::less<>>;

// With a "*" for any letters.
struct Pattern {
    std::string text;
    bool of_path = false;     // of a file name, or the end of a path
    bool of_package = false;  // of the package in which a script lies
};

// Without the options of interpreters, which are too many to be copied each time: see knows_word()
// and is_flag().
struct KnownWords {
    std::set<const policy::InterpreterOptions*> interpreters;  // that rules do not list themselves
    WordSet words;                                             // looked for as they stand
    WordSet flags;                    // options, of these, that take no value
    WordSet titles;                   // first words of a program's own title
    std::vector<Pattern> flag_kinds;  // options like these take no value, either
    WordSet value_options;            // whose values count, whatever they are
    std::vector<Pattern> patterns;    // of commands and scripts
    std::map<std::string, std::vector<Pattern>, std::less<>>
        option_values;  // which values count, by option
};

// Takes the words of all families, on or off: a later judgement may switch a family on.
[[nodiscard]] KnownWords known_words_of(const policy::Rules& rules);

[[nodiscard]] bool knows_word(const KnownWords& known, std::string_view word);
// Takes no value, as it stands; is_flag(): also by its kind.
[[nodiscard]] bool is_plain_flag(const KnownWords& known, std::string_view option);
[[nodiscard]] bool is_flag(const KnownWords& known, std::string_view option);

[[nodiscard]] bool fits(const Pattern& pattern, std::string_view word);

// "a b  c" as its words; an empty one between two spaces.
[[nodiscard]] std::vector<std::string> split(std::string_view text);

// "--x" of "--x=y", and of "--x".
[[nodiscard]] std::string_view name_of(std::string_view option);

}  // namespace reaper::agent
