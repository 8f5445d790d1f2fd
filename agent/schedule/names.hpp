// What the things are called that are installed.
#pragma once

#include <string>
#include <string_view>

#include "agent/schedule/parts.hpp"

namespace reaper::agent {

// The unit that is enabled, and the one that runs the program: "orphan-reaper@alice.timer" and
// "orphan-reaper@alice.service". Not for crontabs.
[[nodiscard]] std::string enabled_unit(ScheduleKind kind, std::string_view account);
[[nodiscard]] std::string service_unit(ScheduleKind kind, std::string_view account);

// Where install writes the unit that runs the program.
[[nodiscard]] std::string service_file(ScheduleKind kind, const std::string& unit_folder);

// The arguments that it is run with: "sweep --quiet".
[[nodiscard]] std::string scheduled_words(ScheduleKind kind, bool report_only);

inline constexpr std::string_view kSystemUnits = "/etc/systemd/system";
inline constexpr std::string_view kLaunchDaemons = "/Library/LaunchDaemons";
inline constexpr std::string_view kCronFile = "/etc/cron.d/orphan-reaper";

}  // namespace reaper::agent
