// Proves that the command works as it will be run: as that user, in the same confinement.
#pragma once

#include <string>
#include <vector>

#include "agent/reaping/command.hpp"
#include "agent/schedule/parts.hpp"
#include "agent/schedule/view.hpp"

namespace reaper::agent {

// The command line of one report that ends nothing: by systemd-run with the settings of the unit;
// for cron and launchd, and where there is no bus, the program itself as that user.
[[nodiscard]] std::vector<std::string> trial_command(const Situation& found, ScheduleKind kind);

// True if that is systemd-run.
[[nodiscard]] bool is_confined(const Situation& found, ScheduleKind kind);
// What cron gives to its commands, in the place of ours: the home of the account, and no XDG_*.
[[nodiscard]] std::vector<std::string> environment_of_cron(const Situation& found);

// ok: it was the report, not what runs it, that ended with 0 or 1, as its own JSON says.
[[nodiscard]] ScheduleCheck judge_trial(const Situation& found, const CommandAnswer& answer);

// Runs it, a minute at most, and judges it.
[[nodiscard]] ScheduleCheck try_report(const Situation& found, ScheduleKind kind);

}  // namespace reaper::agent
