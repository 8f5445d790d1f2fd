// What --version prints.
#pragma once

#include <string>
#include <string_view>

namespace reaper::agent {

// Names the version, the commit where it is known, the processor, and the libraries: two lines.
[[nodiscard]] std::string version_text();

// The commit that this program was built from; empty: not known.
[[nodiscard]] std::string_view commit();

}  // namespace reaper::agent
