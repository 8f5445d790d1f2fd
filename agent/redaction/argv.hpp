// argv as it may be shown to anybody: what identifies a helper stays, what could be a secret does
// not.
#pragma once

#include <string>
#include <vector>

#include "agent/redaction/known_words.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

// Kept: the program, paths, `-m module`, the names of options, the values of the options that
// families use, and the words that the built-in rules know ("gateway run") or have a pattern for
// ("mcp-remote"), where no option can have them as its value. All others read "[redacted]": see
// Redactor. A script of Hermes reads "[runs MODULE]". At most 64 arguments, the last one says how
// many more there are.
[[nodiscard]] std::vector<std::string> redact(const std::vector<std::string>& argv);

// The same with the words of other rules.
[[nodiscard]] std::vector<std::string> redact(const std::vector<std::string>& argv,
                                              const KnownWords& known);

// The same as one line of printable ASCII.
[[nodiscard]] std::string redacted_line(const std::vector<std::string>& argv);

// As one line of printable ASCII, when it is redacted already. Longer than `longest`, it ends in
// "...".
[[nodiscard]] std::string shown_line(const std::vector<std::string>& redacted,
                                     std::size_t longest = policy::kLongestShown);

}  // namespace reaper::agent
