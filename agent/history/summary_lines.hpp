// The lines of a history that are about no process: sums of older lines, and runs.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "agent/history/totals.hpp"

namespace reaper::agent {

// Both end with a newline.
[[nodiscard]] std::string totals_line(const Totals& totals);
[[nodiscard]] std::string run_line(const Run& run);

// False: the line is no such one. A line of sums stands for all lines before it, whether or not
// they are still there: it replaces `totals`.
[[nodiscard]] bool take_summary(const nlohmann::json& record, Totals& totals);

// The sums that go to the head of a file which follows these two, as a line; empty: there is
// nothing to carry.
[[nodiscard]] std::string carried_line(const std::string& older, const std::string& newer);

}  // namespace reaper::agent
