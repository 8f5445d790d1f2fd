// What the reports for people (text, explanation, HTML) say about one process, without how it is laid out. All results are
// printable ASCII.
#pragma once

#include <cstdint>
#include <string>

#include "agent/report.hpp"

namespace reaper::agent {

// Which part of a report a process belongs to.
enum class Shelf { leaked, reported, kept };
[[nodiscard]] Shelf shelf_of(const ReportedProcess& process);

// The strongest evidence for the verdict.
[[nodiscard]] std::string why(const ReportedProcess& process);
// What happened to a planned step; empty when nothing was planned.
[[nodiscard]] std::string outcome_line(const ReportedProcess& process);
// What would end a process that is only reported, or what forbids it; empty for others.
[[nodiscard]] std::string remedy(const Report& report, const ReportedProcess& process);
[[nodiscard]] std::string kind_text(const ReportedProcess& process);  // "bridge/headless"
// With the user's name, where the report is about more than one user.
[[nodiscard]] std::string shown_home(const Report& report, const ReportedProcess& process);
[[nodiscard]] std::uint64_t age_seconds(const scanner::Machine& machine, const scanner::ProcessFacts& facts);
[[nodiscard]] std::string_view to_string(policy::Weight weight);

}  // namespace reaper::agent
