// Understands what `systemctl show` says. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "agent/schedule/parts.hpp"

namespace reaper::agent {

// What to ask for, for units_of().
inline constexpr std::string_view kUnitProperties =
    "Id,LoadState,FragmentPath,UnitFileState,ActiveState,Result,ExecStart,ExecMainStatus,"
    "ExecMainExitTimestamp,LastTriggerUSec,NextElapseUSecRealtime,NextElapseUSecMonotonic,"
    "NeedDaemonReload";

// One state for each block of lines "Name=value". Lines with other names are skipped; runs_this
// stays false. Times must be in UTC.
[[nodiscard]] std::vector<UnitState> units_of(std::string_view text);

// Returns "/bin/x a b" out of an ExecStart, "{ path=/bin/x ; argv[]=/bin/x a b ; ... }"; empty: it
// has no such part.
[[nodiscard]] std::string_view command_of_unit(std::string_view exec_start);

// "Fri 2026-11-20 05:30:00 UTC" as seconds of the epoch; none: it is no such time ("n/a").
[[nodiscard]] std::optional<double> parse_manager_time(std::string_view text);
// "1h 5min 3.5s" in seconds; none: it is no such span.
[[nodiscard]] std::optional<double> parse_manager_span(std::string_view text);

}  // namespace reaper::agent
