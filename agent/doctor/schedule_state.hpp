// What sweeps by itself: timers and services of systemd, and lines of cron, as they are now.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/reading/packet.hpp"
#include "scanner/model/identity.hpp"

namespace reaper::agent {

inline constexpr std::string_view kWatchUnit = "orphan-reaper-watch.service";

struct ScheduledUnit {
    std::string name;
    bool of_user_manager = false;
    std::string load;    // "loaded", "not-found"
    std::string active;  // "active", "inactive", "failed"
    std::string result;  // "success", "exit-code"
    std::optional<int> exit_status;
    std::optional<std::uint64_t> seconds_since_end;  // of its last run; none: none since the boot
    bool sweeps = false;      // it runs a command that does, and does not only report
    std::string starts = {};  // of a timer: the service
};

struct CronLine {
    std::string file;  // "crontab of alice": it has no path that its user may read
    std::string text;
    std::string program = {};  // its first word
    std::string path = {};     // where a name without a folder is looked for
    bool gone = false;  // the program does not exist, or cannot be run; false also: not known

    bool operator==(const CronLine&) const = default;
};

enum class ManagerAnswer {
    absent,
    answered,
    silent,     // not within the time that it had
    not_asked,  // it runs, and this user cannot ask it
};

struct ScheduleState {
    ManagerAnswer user_manager = ManagerAnswer::absent;
    ManagerAnswer system_manager = ManagerAnswer::absent;
    std::vector<ScheduledUnit> units;  // those that were asked about, whether they exist or not
    std::vector<CronLine> cron;
    bool cron_runs = false;        // a cron daemon
    bool has_crontab = false;      // the program by which users edit their lines
    bool crontab_unknown = false;  // the lines of the user could not be read
    std::optional<bool> lingers;   // the user's manager outlives its sessions
};

// Whose schedule is asked about.
struct ScheduleOf {
    scanner::Uid uid = 0;
    std::string user;    // its name; empty: the system knows none
    bool every = false;  // root, for whatever user: all instances and lines
};

// The part of it that files and the process table tell. Read in a copy of this program.
struct ScheduleFiles {
    bool systemd_runs = false;
    bool has_user_manager = false;
    bool has_system_manager = false;
    bool has_other_user_manager = false;  // of the user that is asked about, not of this one
    bool cron_runs = false;
    bool has_crontab = false;
    std::vector<CronLine> cron;
    bool crontab_is_read = false;  // by root, without that program
    bool lingers = false;
};

template <>
struct MembersOf<CronLine> {
    static auto tie(Is<CronLine> auto& it) {
        auto& [file, text, program, path, gone] = it;
        return std::tie(file, text, program, path, gone);
    }
};
template <>
struct MembersOf<ScheduleFiles> {
    static auto tie(Is<ScheduleFiles> auto& it) {
        auto& [systemd, user_manager, system_manager, other, runs, crontab, cron, is_read,
               lingers] = it;
        return std::tie(systemd, user_manager, system_manager, other, runs, crontab, cron, is_read,
                        lingers);
    }
};

// Reads files and /proc in place: what is read may never answer.
[[nodiscard]] ScheduleFiles read_schedule_files(const ScheduleOf& whose);

// Asks those managers that are there, and the user's crontab, each for two seconds at most.
[[nodiscard]] ScheduleState ask_schedule(const ScheduleFiles& files, const ScheduleOf& whose);

// Parses what `systemctl show` prints: a block for each unit, with a blank line between two.
// `now`: microseconds of the monotonic clock.
[[nodiscard]] std::vector<ScheduledUnit> parse_units(std::string_view text, bool of_user_manager,
                                                     std::uint64_t now);

[[nodiscard]] bool is_loaded(const ScheduledUnit& unit);
[[nodiscard]] bool is_timer(const ScheduledUnit& unit);
// By itself, or, of a timer, by the service that it starts. One that only reports does not.
[[nodiscard]] bool would_sweep(const ScheduleState& schedule, const ScheduledUnit& unit);
// A timer that waits, or a watch that stays. The service of a timer comes and goes.
[[nodiscard]] bool is_active(const ScheduledUnit& unit);
// Active, and sweeps.
[[nodiscard]] bool is_alive(const ScheduleState& schedule, const ScheduledUnit& unit);

// Asks test(1) whether the programs of the lines are there and can be run, for two seconds at most
// each.
void find_gone_programs(std::vector<CronLine>& lines);

// Returns the lines of a crontab that sweep or watch, and do not only report: such as begin with
// this program, behind variables and nice(1) at most. `has_users`: each line names a user, as those
// in /etc/cron.d do; then only those of `user`, if that is not empty.
[[nodiscard]] std::vector<CronLine> parse_crontab(std::string_view text, const std::string& file,
                                                  bool has_users, std::string_view user);

}  // namespace reaper::agent
