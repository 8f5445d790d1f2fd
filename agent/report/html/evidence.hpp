// Why a process is what it is said to be.
#pragma once

#include "agent/report/html/markup.hpp"
#include "agent/report/report.hpp"

namespace reaper::agent::html {

// Returns what came of it, each piece of evidence in words with its code, its command line, and
// what to type to see more.
[[nodiscard]] Markup evidence_of(const Report& report, const ReportedProcess& process);

}  // namespace reaper::agent::html
