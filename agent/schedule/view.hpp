// What is scheduled, and whether it works, as values and as text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/schedule/parts.hpp"
#include "agent/system/exit_status.hpp"

namespace reaper::agent {

enum class CheckResult { ok, warning, failed, unknown };  // unknown: could not look

struct ScheduleCheck {
    std::string id =
        {};  // stable: "unit", "active", "next", "report", "linger", "cron", "several", ...
    CheckResult result = CheckResult::ok;
    std::string message = {};
    std::string fix = {};  // a command; empty: there is none, or none is needed
};

// One way in which sweeps are scheduled.
struct ScheduleEntry {
    ScheduleKind kind = ScheduleKind::user_timer;
    std::string name = {};     // the unit, or the file
    std::string command = {};  // that is run
    bool enabled = true;
    bool active = true;
    std::optional<double> last = {};  // epoch
    std::string last_result = {};     // empty: not known
    std::optional<int> last_status = {};
    std::optional<double> next = {};
};

struct ScheduleView {
    std::string version = {};
    std::string account = {};
    std::string headline = {};
    std::vector<ScheduleEntry> entries = {};
    std::vector<ScheduleCheck> checks = {};
    std::optional<double> last_action = {};  // that the history knows: epoch
    double now = 0;
};

// Everything that sweeps this account's processes, in the order of the kinds.
[[nodiscard]] std::vector<ScheduleEntry> entries_of(const Situation& found);

// What `status` says: the entries and what is wrong with them.
[[nodiscard]] ScheduleView status_of(const Situation& found, double now);

// Checks of what is scheduled in that way: is it loaded as wanted, enabled, active, and when is it
// due? `words`: the arguments that were wanted; empty: any.
[[nodiscard]] std::vector<ScheduleCheck> check_kind(const Situation& found, ScheduleKind kind,
                                                    const std::string& words, double now);

// Two ways at once, and how to remove those that are not `kept`.
[[nodiscard]] std::vector<ScheduleCheck> check_several(const std::vector<ScheduleEntry>& entries,
                                                       const std::string& account,
                                                       ScheduleKind kept);

// 0, also with warnings; 1 where something failed; 4 where it could not be looked at.
[[nodiscard]] ExitStatus exit_status_of(const std::vector<ScheduleCheck>& checks);

[[nodiscard]] std::string render_schedule(const ScheduleView& view);
[[nodiscard]] std::string render_schedule_json(const ScheduleView& view);

}  // namespace reaper::agent
