// Decides what install and remove do. Pure: reads and changes nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "agent/cli/cli.hpp"
#include "agent/schedule/parts.hpp"

namespace reaper::agent {

// The way that fits: the user's timer where the user's manager answers, else the user's crontab;
// with --system the system's timer, else /etc/cron.d; with --watch the service that stays. Fails,
// with what to do instead, where that cannot be had.
// A manager that is there and does not answer is a failure, too: it is not known what it runs.
[[nodiscard]] tl::expected<ScheduleKind, Message> choose_kind(const Situation& found,
                                                              const ScheduleWish& wish);

// Fails where the program is not to be scheduled, where a file stands in the way that install has
// not written, and on a period that cron cannot express. Then nothing is to be done at all.
[[nodiscard]] tl::expected<std::vector<ScheduleStep>, Message> plan_install(
    const Situation& found, const ScheduleWish& wish);

// Takes back what install made: the caller's timer, watch and crontab, with --system the system's,
// with --watch or --cron only that. No steps: there is nothing. Fails where it cannot be known.
[[nodiscard]] tl::expected<std::vector<ScheduleStep>, Message> plan_remove(
    const Situation& found, const ScheduleWish& wish);

// Every file that one of the plans could write or remove, for the situation to read; with
// --system none of the user's.
[[nodiscard]] std::vector<std::string> files_of_plans(const std::string& unit_folder,
                                                      std::string_view account, bool of_system);

}  // namespace reaper::agent
