// What --version prints.
#pragma once

#include <string>

namespace reaper::agent {

// Names the version, the commit where it is known, the processor, and the libraries: two lines.
[[nodiscard]] std::string version_text();

}  // namespace reaper::agent
