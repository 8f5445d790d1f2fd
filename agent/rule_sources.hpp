// From which files the rules come.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "policy/rules.hpp"

namespace reaper::agent {

// The built-in rules, and over them the file that --config names (empty: none). The error says which file, where and why; then
// nothing may be done. A file that anybody but its reader and root could have written is no authority on what to kill.
[[nodiscard]] tl::expected<policy::Rules, std::string> load_rules(const std::string& config);

}  // namespace reaper::agent
