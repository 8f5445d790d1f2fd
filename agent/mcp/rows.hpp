// What tools return of a report, as their output schemas have it: at most 50 rows, and of each text
// that comes from elsewhere at most 120 printable characters, without secrets. Pure.
#pragma once

#include <string>

#include "agent/mcp/call.hpp"
#include "agent/report/history_view.hpp"
#include "agent/report/report.hpp"

namespace reaper::agent {

// All reports are concluded. `all`: also what is in use, with all evidence.
[[nodiscard]] Json report_result(const Report& report, bool all);
[[nodiscard]] Json explain_result(const Report& report);
[[nodiscard]] Json history_result(const HistoryView& view);
[[nodiscard]] Json preflight_result(const Report& report);
// Of a dry run. `command`: what a person can type to the same effect.
[[nodiscard]] ToolAnswer plan_result(const Report& report, const std::string& command);
// Of a sweep that was to end `planned`.
[[nodiscard]] Json sweep_result(const Report& report, const PlannedEnds& planned);

}  // namespace reaper::agent
