// The part of a plan that is about units. Pure; inside of the room only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "agent/schedule/parts.hpp"

namespace reaper::agent {

// Units that a package installed and that run this program are used as they are; --every and
// --report-only are files beside them. The error: which file stands in the way.
[[nodiscard]] tl::expected<std::vector<ScheduleStep>, std::string> install_units(
    const Situation& found, const ScheduleWish& wish, ScheduleKind kind);

// Stops and disables what is, and removes the files that install wrote.
[[nodiscard]] std::vector<ScheduleStep> remove_units(const Situation& found, ScheduleKind kind);

// Every file that the two could write or remove.
[[nodiscard]] std::vector<std::string> files_of_units(ScheduleKind kind,
                                                      const std::string& unit_folder,
                                                      std::string_view account);

}  // namespace reaper::agent
