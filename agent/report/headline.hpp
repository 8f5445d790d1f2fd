// What the reports for people say about the whole: what was found or done, in what scope, and what
// to do next. Printable ASCII, but for names in commands.
#pragma once

#include <string>
#include <string_view>

#include "agent/report/report.hpp"

namespace reaper::agent {

// Returns the answer in one line: "2 leaked helpers, 182 MB would come back".
[[nodiscard]] std::string headline(const Report& report);
// The result of a plan that was carried out, or should have been: "1 of 2 leaked helpers ended, 91
// MB came back".
[[nodiscard]] std::string sweep_headline(const Report& report);
// Returns the headline for reports of one line: with the first reason why something could not be
// looked at, did not end or was not removed.
[[nodiscard]] std::string only_line(const Report& report, const std::string& headline);
// What was looked at, by which user, for how long.
[[nodiscard]] std::string scope_line(const Report& report);
// "exit status 1: leaks were found and left"
[[nodiscard]] std::string exit_line(ExitStatus status);
// "orphan-reaper sweep --all-users": the command with the scope of this report; see
// command_to_show().
[[nodiscard]] std::string next_command(const Report& report, std::string_view command);
// Returns the sweep that would end what this report calls leaked.
[[nodiscard]] std::string sweep_command(const Report& report);
// True if more would have to end than --max-kills allows, so that a sweep ends none.
[[nodiscard]] bool exceeds_limit(const Report& report);

}  // namespace reaper::agent
