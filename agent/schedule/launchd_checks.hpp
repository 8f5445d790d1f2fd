// The part of `status` that is about jobs of launchd. Pure; inside of the room only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/schedule/view.hpp"

namespace reaper::agent {

// None: neither is it loaded, nor is its file there.
[[nodiscard]] std::optional<ScheduleEntry> job_entry(const Situation& found, ScheduleKind kind);

// Is it loaded as wanted, switched on, and how did it end? `words` as of check_kind().
[[nodiscard]] std::vector<ScheduleCheck> check_job(const Situation& found, ScheduleKind kind,
                                                   const std::string& words);

}  // namespace reaper::agent
