// Decides what the observations mean. Pure: the same observations give the same findings.
#pragma once

#include <string>
#include <string_view>

#include "agent/doctor/finding.hpp"
#include "agent/doctor/observations.hpp"

namespace reaper::agent {

// Returns all findings, in their order. A command is shown as it is to be typed, or not at all: one
// that names something in other bytes than printable ASCII is left out.
[[nodiscard]] Findings judge_machine(const Observations& seen);

// The parts of it. Each adds its findings.
void add_sight(const Observations& seen, Findings& findings);
void add_standing(const Observations& seen, Findings& findings);
void add_kernel(const Observations& seen, Findings& findings);
void add_limits(const Observations& seen, Findings& findings);
void add_rules(const Observations& seen, Findings& findings);
void add_history(const Observations& seen, Findings& findings);
void add_schedule(const Observations& seen, Findings& findings);
void add_last_sweep(const Observations& seen, Findings& findings);
void add_homes(const Observations& seen, Findings& findings);
void add_programs(const Observations& seen, Findings& findings);

// "alice", or "user id 1000" where it has no name.
[[nodiscard]] std::string name_of(const ScheduleOf& whose);

// As root: with sudo, where this user is another one.
[[nodiscard]] std::string as_root(const Observations& seen, const std::string& command);

}  // namespace reaper::agent
