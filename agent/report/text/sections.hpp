// The parts of a report for people that list processes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/report/report.hpp"
#include "agent/report/text/color.hpp"
#include "agent/report/text/process_line.hpp"

namespace reaper::agent {

using Processes = std::vector<const ReportedProcess*>;

// Returns the processes of one section. Those that did not end come first, so that no limit hides
// what a person has to deal with.
[[nodiscard]] Processes processes_in(const Report& report, ReportSection which);

// Returns a table with a heading; empty when the section has no process.
[[nodiscard]] std::string section_table(const Report& report, ReportSection which,
                                        std::string_view title, Style style,
                                        const RenderOptions& options);

// Returns what is leaked of other hosts, and how to switch their packs on; empty: there is nothing.
[[nodiscard]] std::string others_section(const Report& report, const RenderOptions& options);

// Returns a table of the stale files with their outcomes, or of the other files.
[[nodiscard]] std::string files_section(const Report& report, bool stale, std::string_view title,
                                        Style style, const RenderOptions& options);

// "LEAKED, AND WHAT BECAME OF THEM", "STALE, AND ..."
[[nodiscard]] std::string_view leaked_title(const Report& report);
[[nodiscard]] std::string_view stale_title(const Report& report);

}  // namespace reaper::agent
