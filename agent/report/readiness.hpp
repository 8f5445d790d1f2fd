// What the reports of `preflight` for people say about the whole. Printable ASCII.
#pragma once

#include <string>
#include <string_view>

#include "agent/report/report.hpp"

namespace reaper::agent {

// Returns the answer in one line: whether an update can begin, and what was done for that.
[[nodiscard]] std::string preflight_headline(const Report& report);
// Says that the command of `preflight -- COMMAND` was not started; empty when it is, or there is
// none.
[[nodiscard]] std::string_view held_back_text(const Report& report);

}  // namespace reaper::agent
