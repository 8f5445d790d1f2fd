// argv as it may be shown to anybody: what identifies a helper stays, what could be a secret does not.
#pragma once

#include <string>
#include <vector>

#include "agent/vocabulary.hpp"
#include "policy/escape.hpp"

namespace reaper::agent {

// Kept: the program, paths, `-m module`, the names of options, and the values of the options that families use. All other
// values read "[redacted]". A process can write over its own argv, and the kernel then shows its environment there: so whatever
// is not known to be harmless counts as a secret. At most 64 arguments, the last one says how many more there are.
[[nodiscard]] std::vector<std::string> redact(const std::vector<std::string>& argv);

// The words of commands that rules know stay as well ("gateway run"), where no option can have them as its value.
[[nodiscard]] std::vector<std::string> redact(const std::vector<std::string>& argv, const Vocabulary& known);

// The same as one line of printable ASCII.
[[nodiscard]] std::string redacted_line(const std::vector<std::string>& argv);

// As one line of printable ASCII, when it is redacted already. Longer than `longest`, it ends in "...".
[[nodiscard]] std::string told_line(const std::vector<std::string>& redacted,
                                    std::size_t longest = policy::kLongestShown);

}  // namespace reaper::agent
