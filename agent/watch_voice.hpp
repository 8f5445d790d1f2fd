// What a watch tells whoever reads its journal: lines on stderr, each with the program's name before it. Who does not read loses them:
// hosts die meanwhile.
#pragma once

#include <string_view>

#include "agent/options.hpp"

namespace reaper::agent {

// What is wrong, or what somebody asked for.
void tell(std::string_view text);

// What is as it should be: with --quiet, nothing.
void tell_news(const Options& options, std::string_view text);

}  // namespace reaper::agent
