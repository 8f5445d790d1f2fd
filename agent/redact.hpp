// argv as it may be shown to anybody: what identifies a helper stays, what could be a secret does not.
#pragma once

#include <string>
#include <vector>

namespace reaper::agent {

// Kept: the program, paths, `-m module`, the names of options, and the values of the options that families use. All other
// values read "[redacted]". A process can write over its own argv, and the kernel then shows its environment there: so whatever
// is not known to be harmless counts as a secret. At most 64 arguments, the last one says how many more there are.
[[nodiscard]] std::vector<std::string> redact(const std::vector<std::string>& argv);

// The same as one line of printable ASCII.
[[nodiscard]] std::string redacted_line(const std::vector<std::string>& argv);

}  // namespace reaper::agent
