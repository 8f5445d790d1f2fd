// Whether something sweeps by itself, and when it last did.
#include <algorithm>

#include <fmt/format.h>

#include "agent/cli/cli.hpp"
#include "agent/doctor/judge.hpp"
#include "agent/system/format.hpp"

namespace reaper::agent {

namespace {

using enum FindingStatus;

constexpr std::uint64_t kLongAgo = 24 * 60 * 60;  // seconds; a schedule sweeps every few minutes

bool is_loaded(const ScheduledUnit& unit) {
    return unit.load == "loaded";
}

// A timer that waits, or a watch that stays. The service of a timer comes and goes.
bool is_alive(const ScheduledUnit& unit) {
    const bool stays = unit.name.ends_with(".timer") || unit.name == "orphan-reaper-watch.service";
    return stays && unit.active == "active";
}

bool has_failed(const ScheduledUnit& unit) {
    return is_loaded(unit) &&
           (unit.active == "failed" || (!unit.result.empty() && unit.result != "success"));
}

std::string words_for(const ScheduledUnit& unit) {
    return unit.of_user_manager ? "--user " : "";
}

Finding failed_finding(const Observations& seen, const ScheduledUnit& unit) {
    const std::string command =
        fmt::format("journalctl {}-u {} -n 20", words_for(unit), shell_word(unit.name));
    const std::string status =
        unit.exit_status ? fmt::format(", exit status {}", *unit.exit_status) : std::string();
    return {.id = "schedule",
            .status = fail,
            .message = fmt::format("{} has failed ({}{}); its journal says why", unit.name,
                                   unit.result, status),
            .fix = unit.of_user_manager ? command : as_root(seen, command)};
}

std::vector<std::string> alive_in(const ScheduleState& schedule) {
    std::vector<std::string> names;
    for (const ScheduledUnit& unit : schedule.units) {
        if (is_alive(unit)) names.push_back(unit.name);
    }
    if (!schedule.cron_runs) return names;
    for (const CronLine& line : schedule.cron) names.push_back(line.file);
    return names;
}

std::string cron_line(const Observations& seen) {
    const std::string program = shell_word(seen.program);
    return seen.whose.every ? fmt::format("*/5 * * * * root {} sweep --quiet --all-users", program)
                            : fmt::format("*/5 * * * * {} sweep --quiet", program);
}

std::string enable_unit(const Observations& seen, const ScheduledUnit& unit) {
    const std::string command =
        fmt::format("systemctl {}enable --now {}", words_for(unit), shell_word(unit.name));
    return unit.of_user_manager ? command : as_root(seen, command);
}

// The timer that is installed, else a line for cron.
std::string schedule_fix(const Observations& seen) {
    const ScheduleState& schedule = seen.schedule;
    const auto installed = std::ranges::find_if(schedule.units, [](const ScheduledUnit& unit) {
        return is_loaded(unit) && unit.name.ends_with(".timer");
    });
    if (installed != schedule.units.end()) return enable_unit(seen, *installed);
    if (seen.whose.every && schedule.has_crontab)
        return fmt::format("echo {} >/etc/cron.d/orphan-reaper", shell_word(cron_line(seen)));
    if (!schedule.has_crontab) return {};
    const std::string user =
        seen.whose.uid == seen.own_uid ? "" : fmt::format(" -u {}", shell_word(seen.whose.user));
    return fmt::format("(crontab{0} -l; echo {1}) | crontab{0} -", user,
                       shell_word(cron_line(seen)));
}

Finding missing_finding(const Observations& seen) {
    const ScheduleState& schedule = seen.schedule;
    Finding finding{.id = "schedule", .status = warn};
    if (!schedule.cron.empty()) {
        finding.message =
            fmt::format("{} has a line that sweeps, but no cron runs", schedule.cron.front().file);
        return finding;
    }
    const bool unknown = schedule.user_manager == ManagerAnswer::silent ||
                         schedule.system_manager == ManagerAnswer::silent;
    finding.message = "nothing sweeps by itself, so that leaks stay until a person sweeps";
    if (unknown) finding.message = "no schedule was found, but systemd did not answer in time";
    finding.fix = unknown ? "systemctl is-system-running" : schedule_fix(seen);
    return finding;
}

Finding schedule_finding(const Observations& seen) {
    const ScheduleState& schedule = seen.schedule;
    const auto failed = std::ranges::find_if(schedule.units, has_failed);
    if (failed != schedule.units.end()) return failed_finding(seen, *failed);
    const auto alive = alive_in(schedule);
    if (alive.empty()) return missing_finding(seen);
    return {.id = "schedule",
            .message = fmt::format("{} {} by itself", fmt::join(alive, ", "),
                                   alive.size() == 1 ? "sweeps" : "sweep, each"),
            .facts = {{"by", alive}}};
}

// A user's manager ends with the last session, unless the user lingers.
void add_linger(const Observations& seen, Findings& findings) {
    const ScheduleState& schedule = seen.schedule;
    const bool by_user_manager = std::ranges::any_of(schedule.units, [](const ScheduledUnit& unit) {
        return unit.of_user_manager && is_alive(unit);
    });
    if (!by_user_manager || !schedule.lingers) return;
    const bool lingers = *schedule.lingers;
    findings.push_back(
        {.id = "linger",
         .status = lingers ? ok : warn,
         .message = lingers ? "the schedule runs without a session, too"
                            : fmt::format("sweeps stop when {} logs out", seen.whose.user),
         .fix = lingers ? "" : "loginctl enable-linger",
         .facts = {{"lingers", lingers}}});
}

// The latest end of a run; null: none is known.
const ScheduledUnit* last_run(const ScheduleState& schedule) {
    const ScheduledUnit* last = nullptr;
    for (const ScheduledUnit& unit : schedule.units) {
        if (!unit.seconds_since_end || !unit.name.ends_with(".service")) continue;
        if (last == nullptr || *unit.seconds_since_end < *last->seconds_since_end) last = &unit;
    }
    return last;
}

std::string history_words(const HistoryPlace& history) {
    return history.last_end_s
               ? fmt::format("; something was last ended {} ago", age_text(*history.last_end_s))
               : std::string("; nothing was ever ended");
}

Finding last_finding(const Observations& seen) {
    const ScheduledUnit* last = last_run(seen.schedule);
    const std::string ended = history_words(seen.history);
    Finding finding{.id = "last_sweep"};
    if (last == nullptr) {
        finding.status = skip;
        finding.message = "when a scheduled sweep last ran is not recorded" + ended;
        return finding;
    }
    const std::uint64_t ago = *last->seconds_since_end;
    finding.status = ago > kLongAgo ? warn : ok;
    finding.message = fmt::format("{} last ran {} ago, with exit status {}{}", last->name,
                                  age_text(ago), last->exit_status.value_or(0), ended);
    finding.facts = {{"seconds_ago", static_cast<std::int64_t>(ago)}};
    return finding;
}

}  // namespace

void add_schedule(const Observations& seen, Findings& findings) {
    findings.push_back(schedule_finding(seen));
    add_linger(seen, findings);
    findings.push_back(last_finding(seen));
}

}  // namespace reaper::agent
