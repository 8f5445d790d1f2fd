// Finds out what `doctor` judges. Changes nothing, and ends nothing but a program that it asked and
// that does not answer.
#pragma once

#include <string>
#include <vector>

#include "agent/doctor/observations.hpp"
#include "agent/observe/setup.hpp"
#include "agent/pid_files/places.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

// Looks as a report does, and at what is around it. `rules_trouble`: why the rule files count for
// nothing; empty: `setup` has them. What could not be looked at is in the observations.
[[nodiscard]] Observations gather(const Setup& setup, std::string rules_trouble);

// The next read in place: what they read may never answer.

[[nodiscard]] Standing read_standing(const scanner::ProcessTable& table);
[[nodiscard]] Threads read_threads(const scanner::ProcessTable& table);
// Says what opening the history in `folder` would meet, without opening it. `home`: recorded for
// this user; empty: none is.
[[nodiscard]] HistoryFolder read_history_place(const std::string& folder, const std::string& home);
[[nodiscard]] std::vector<HomeState> read_homes(const PidFilePlaces& places);
// Finds programs called orphan-reaper in the folders of `path`, PATH as the environment has it, but
// for this very program. Only full paths count.
[[nodiscard]] std::vector<OtherProgram> find_other_programs(const std::string& path);
[[nodiscard]] std::vector<RunningWatch> find_watches(const scanner::ProcessTable& table,
                                                     std::optional<scanner::Uid> uid);

}  // namespace reaper::agent
