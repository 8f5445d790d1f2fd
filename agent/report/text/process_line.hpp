// What the reports for people (text, explanation, HTML) say about one process, without how it is
// laid out. All results are printable ASCII.
#pragma once

#include <cstdint>
#include <string>

#include "agent/report/report.hpp"

namespace reaper::agent {

// The part of a report that a process belongs to.
enum class ReportSection { leaked, reported, kept };
[[nodiscard]] ReportSection section_of(const ReportedProcess& process);

// Returns the strongest evidence for the verdict.
[[nodiscard]] std::string why(const ReportedProcess& process);
// Says what happened to a planned step; empty when nothing was planned.
[[nodiscard]] std::string outcome_line(const ReportedProcess& process);
// True if it was ended, had exited by itself, or was left alone for a reason that only the second
// look saw.
[[nodiscard]] bool is_as_it_should_be(const Outcome& outcome);
// Returns one line of a journal: which process it is, why, and what happened to it, or what would
// end it.
[[nodiscard]] std::string action_line(const Report& report, const ReportedProcess& process);
// Says what would end a process that is only reported, or what forbids it; empty for others.
[[nodiscard]] std::string remedy(const Report& report, const ReportedProcess& process);
[[nodiscard]] std::string kind_text(const ReportedProcess& process);  // "bridge/headless"
// With the user's name, where the report is about more than one user.
[[nodiscard]] std::string shown_home(const Report& report, const ReportedProcess& process);
[[nodiscard]] std::uint64_t age_seconds(const scanner::Machine& machine,
                                        const scanner::ProcessFacts& facts);
[[nodiscard]] std::string_view weight_word(policy::Weight weight);  // for people
[[nodiscard]] std::string_view to_string(policy::Weight weight);    // as JSON has it

}  // namespace reaper::agent
