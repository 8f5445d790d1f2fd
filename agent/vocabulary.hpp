// What rules can tell apart in an argv. Whatever else stands there is nobody's business.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policy/rules.hpp"

namespace reaper::agent {

using Words = std::set<std::string, std::less<>>;

// With a "*" for any letters.
struct Pattern {
    std::string text;
    bool of_path = false;  // of a file name, or the end of a path
};

struct Vocabulary {
    Words words;                                                             // looked for as they stand
    Words commands;                                                          // of these, the parts of commands
    Words flags;                                                             // options, of these, that take no value
    Words titles;                                                            // first words of a program's own title
    Words value_options;                                                     // whose values count, whatever they are
    std::vector<Pattern> patterns;                                           // of commands and scripts
    std::map<std::string, std::vector<Pattern>, std::less<>> option_values;  // which values count, by option
};

// Of all families, whether they are on or off: who judges the argv again may switch them on.
[[nodiscard]] Vocabulary vocabulary_of(const policy::Rules& rules);

[[nodiscard]] bool fits(const Pattern& pattern, std::string_view word);

// "a b  c" as its words; an empty one between two spaces.
[[nodiscard]] std::vector<std::string> split(std::string_view text);

// "--x" of "--x=y", and of "--x".
[[nodiscard]] std::string_view name_of(std::string_view option);

}  // namespace reaper::agent
