// The part of a plan that is about jobs of launchd. Pure; inside of the room only.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "agent/cli/cli.hpp"
#include "agent/schedule/parts.hpp"
#include "agent/system/exit_status.hpp"

namespace reaper::agent {

// Why something cannot be had, and the exit status that says so.
struct PlanRefusal {
    ExitStatus status = ExitStatus::usage;
    std::string why;
};

// The way that fits on macOS: the user's agent, with --watch the one that stays, with --system a
// daemon that runs as that user, with --cron the user's crontab. Refuses what macOS does not have.
[[nodiscard]] tl::expected<ScheduleKind, PlanRefusal> choose_job(const Situation& found,
                                                                 const ScheduleWish& wish);

// Writes the file, takes the job before it out of launchd, and loads the new one. The error: which
// file stands in the way, or that `brew services` runs it already.
[[nodiscard]] tl::expected<std::vector<ScheduleStep>, std::string> install_job(
    const Situation& found, const ScheduleWish& wish, ScheduleKind kind);

// Takes the job out of launchd, and removes the file that install wrote.
[[nodiscard]] std::vector<ScheduleStep> remove_job(const Situation& found, ScheduleKind kind);

}  // namespace reaper::agent
