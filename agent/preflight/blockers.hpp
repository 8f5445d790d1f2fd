// What a preflight itself finds in the way of an update; policy::find_obstacles() finds the rest.
#pragma once

#include <string>

#include "agent/cli/options.hpp"
#include "agent/report/report.hpp"
#include "policy/update/obstacles.hpp"

namespace reaper::agent {

// True for a process that is leaked, or too young to judge, and not ended. In a dry run, what a
// sweep would end is not in the way.
[[nodiscard]] bool is_left(const ReportedProcess& process, bool dry_run);
[[nodiscard]] policy::Obstacle leak_in_the_way(const Report& report,
                                               const ReportedProcess& process);

// For a helper that was ended although its host lives. `returned`: the host has started another one
// in its place.
[[nodiscard]] policy::Obstacle return_in_the_way(const ReportedProcess& process, bool returned);

// Adds the files that should have been removed, or put back, and were not, and those that may still
// be being written; says why others could not be looked at.
void add_files(const ScopeOptions& options, Report& report);

// `user`: the user whose processes that sweep has; empty: not known. `holder`: its pid; 0: not
// known.
[[nodiscard]] policy::Obstacle sweep_in_the_way(std::string user, const std::string& what,
                                                scanner::Pid holder);

}  // namespace reaper::agent
