// The parts of a report for people that list processes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/ink.hpp"
#include "agent/report.hpp"
#include "agent/report_lines.hpp"

namespace reaper::agent {

using Processes = std::vector<const ReportedProcess*>;

// The ones that did not end are what somebody has to deal with: first, so that no cap hides them.
[[nodiscard]] Processes on_shelf(const Report& report, Shelf shelf);

// A table with a heading; empty when nobody is on that shelf.
[[nodiscard]] std::string shelf_section(const Report& report, Shelf shelf, std::string_view title, Ink ink,
                                        const RenderOptions& options);

// The stale files, and what became of them; or the others.
[[nodiscard]] std::string files_section(const Report& report, bool stale, std::string_view title, Ink ink,
                                        const RenderOptions& options);

// "LEAKED, AND WHAT BECAME OF THEM", "STALE, AND ..."
[[nodiscard]] std::string_view leaked_title(const Report& report);
[[nodiscard]] std::string_view stale_title(const Report& report);

}  // namespace reaper::agent
