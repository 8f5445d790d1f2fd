// What a preflight itself finds in the way of an update; whoever else is, policy::find_obstacles() finds.
#pragma once

#include <string>

#include "agent/options.hpp"
#include "agent/report.hpp"
#include "policy/obstacles.hpp"

namespace reaper::agent {

// Leaked, or too young to be told, and not ended; a dry run ends nobody that a sweep would.
[[nodiscard]] bool is_left(const ReportedProcess& process, bool dry_run);
[[nodiscard]] policy::Obstacle leak_in_the_way(const Report& report, const ReportedProcess& process);

// Of somebody who was ended beside its host, which lives. `returned`: another one came in its place.
[[nodiscard]] policy::Obstacle return_in_the_way(const ReportedProcess& process, bool returned);

// Adds the files that should have been removed, or put back, and were not, and those that may still be being written; says why others
// could not be looked at.
void add_files(const Options& options, Report& report);

// `user`: whose processes it is at work on; empty: that is not known. `holder`: 0 where it is not known.
[[nodiscard]] policy::Obstacle sweep_in_the_way(std::string user, const std::string& what, scanner::Pid holder);

}  // namespace reaper::agent
