// What a watch tells whoever reads its journal: lines on stderr.
#pragma once

#include <string_view>

#include "agent/options.hpp"

namespace reaper::agent {

// One line or several, each with the program's name before it. --quiet: nothing.
void tell_person(const Options& options, std::string_view text);

}  // namespace reaper::agent
