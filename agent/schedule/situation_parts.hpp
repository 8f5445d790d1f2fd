// What is found in the same way on every system. Inside of manager_*.cpp only.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "agent/cli/cli.hpp"
#include "agent/schedule/parts.hpp"

namespace reaper::agent {

[[nodiscard]] bool exists(const std::string& path);

// Follows all links; a path that leads nowhere stays as it is.
[[nodiscard]] std::string resolved(const std::string& path);

// Returns a situation with this program and the account that `wish` is about. Fails where there is
// no such user.
[[nodiscard]] tl::expected<Situation, Message> begin_situation(const ScheduleWish& wish);

// Fails where this folder of the user does not answer. With --system none is asked.
[[nodiscard]] tl::expected<void, Message> expect_folder(const Situation& found,
                                                        const std::string& folder);

// Reads those of the files that are there.
void read_files(Situation& found, const std::vector<std::string>& paths);

// Reads the crontab of the user that runs this.
void read_crontab(Situation& found);

// Finds programs that are scheduled and cannot be run, or that another user could change.
void find_bad_programs(Situation& found);

}  // namespace reaper::agent
