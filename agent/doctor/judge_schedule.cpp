// Whether something sweeps by itself.
#include <algorithm>

#include <fmt/format.h>

#include "agent/cli/cli.hpp"
#include "agent/doctor/judge.hpp"

namespace reaper::agent {

namespace {

using enum FindingStatus;

bool has_failed(const ScheduledUnit& unit) {
    return is_loaded(unit) && !unit.result.empty() && unit.result != "success";
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

std::vector<std::string> alive_in(const Observations& seen) {
    std::vector<std::string> names;
    for (const ScheduledUnit& unit : seen.schedule.units) {
        if (is_alive(seen.schedule, unit)) names.push_back(unit.name);
    }
    for (const RunningWatch& watch : seen.watches) {
        const bool is_listed = std::ranges::find(names, watch.unit) != names.end();
        if (!watch.only_reports && !is_listed)
            names.push_back(fmt::format("a watch (pid {})", watch.pid));
    }
    if (!seen.schedule.cron_runs) return names;
    for (const CronLine& line : seen.schedule.cron) {
        if (!line.gone) names.push_back(line.file);
    }
    return names;
}

std::string enable_unit(const Observations& seen, const ScheduledUnit& unit) {
    const std::string command =
        fmt::format("systemctl {}enable --now {}", words_for(unit), shell_word(unit.name));
    return unit.of_user_manager ? command : as_root(seen, command);
}

// The timer that is installed, else `schedule install`, which refuses a program that another user
// could change, and keeps lines that it has not written. Timers of the system are never root's own.
std::string schedule_fix(const Observations& seen) {
    const ScheduleState& schedule = seen.schedule;
    const auto installed = std::ranges::find_if(schedule.units, [&](const ScheduledUnit& unit) {
        return is_loaded(unit) && !is_active(unit) && is_timer(unit) && would_sweep(schedule, unit);
    });
    if (installed != schedule.units.end()) return enable_unit(seen, *installed);
    const bool is_own = seen.whose.uid == seen.own_uid;
    if (seen.whose.every)
        return schedule.has_crontab ? "orphan-reaper schedule install --system --cron --user root"
                                    : "";
    if (is_own) return "orphan-reaper schedule install";
    return seen.whose.user.empty()
               ? std::string()
               : fmt::format("orphan-reaper schedule install --system --user {}",
                             shell_word(seen.whose.user));
}

// What else could have a schedule, and does not tell; empty: nothing.
std::string untold(const Observations& seen) {
    const ScheduleState& schedule = seen.schedule;
    const auto any = [&](ManagerAnswer answer) {
        return schedule.user_manager == answer || schedule.system_manager == answer;
    };
    if (any(ManagerAnswer::silent)) return "systemd did not answer in time";
    if (schedule.user_manager == ManagerAnswer::not_asked)
        return fmt::format("the systemd of {} answers only that user", name_of(seen.whose));
    if (any(ManagerAnswer::not_asked)) return "the systemd of this machine cannot be asked";
    if (schedule.crontab_unknown)
        return fmt::format("the crontab of {} may not be read", name_of(seen.whose));
    return {};
}

std::string untold_fix(const Observations& seen) {
    const ScheduleState& schedule = seen.schedule;
    if (schedule.user_manager == ManagerAnswer::not_asked && seen.own_uid == 0)
        return fmt::format("runuser -u {} -- {} doctor", shell_word(seen.whose.user),
                           shell_word(seen.program));
    const bool silent = schedule.user_manager == ManagerAnswer::silent ||
                        schedule.system_manager == ManagerAnswer::silent;
    return silent ? "systemctl is-system-running" : "";
}

// A timer that is installed and off can be told of, whatever else does not answer; but not for a
// user whose own manager may well have one that is on.
bool is_answer_enough(const ScheduleState& schedule) {
    if (schedule.user_manager == ManagerAnswer::not_asked) return false;
    return std::ranges::any_of(schedule.units, [](const ScheduledUnit& unit) {
        return is_loaded(unit) && is_timer(unit);
    });
}

// Why what is there does not sweep.
std::string idle_words(const ScheduleState& schedule) {
    const auto active = std::ranges::find_if(schedule.units, is_active);
    if (active != schedule.units.end())
        return fmt::format("{} runs, but sweeps nothing: its command only reports, or is another",
                           active->name);
    const auto gone = std::ranges::find_if(schedule.cron, &CronLine::gone);
    if (gone != schedule.cron.end())
        return fmt::format("{} has a line that sweeps, but its program {} is gone or cannot be run",
                           gone->file, gone->program);
    return {};
}

Finding missing_finding(const Observations& seen) {
    Finding finding{.id = "schedule", .status = warn};
    const std::string why = untold(seen);
    const std::string idle = idle_words(seen.schedule);
    const auto whole = std::ranges::find(seen.schedule.cron, false, &CronLine::gone);
    if (whole != seen.schedule.cron.end()) {
        finding.message = fmt::format("{} has a line that sweeps, but no cron runs", whole->file);
    } else if (!why.empty() && !is_answer_enough(seen.schedule)) {
        finding.status = skip;
        finding.message = fmt::format("nothing was found that sweeps by itself, but {}{}{}", why,
                                      idle.empty() ? "" : "; ", idle);
        finding.fix = untold_fix(seen);
    } else {
        finding.message = idle.empty()
                              ? "nothing sweeps by itself, so that leaks stay until a person sweeps"
                              : idle + "; leaks stay until a person sweeps";
        finding.fix = schedule_fix(seen);
    }
    return finding;
}

std::string answer_word(ManagerAnswer answer) {
    switch (answer) {
        case ManagerAnswer::answered: return "answered";
        case ManagerAnswer::silent: return "silent";
        case ManagerAnswer::not_asked: return "not asked";
        case ManagerAnswer::absent: break;
    }
    return "absent";
}

Finding schedule_finding(const Observations& seen) {
    const ScheduleState& schedule = seen.schedule;
    const auto failed = std::ranges::find_if(schedule.units, has_failed);
    const auto alive = alive_in(seen);
    Finding finding{.id = "schedule"};
    if (failed != schedule.units.end())
        finding = failed_finding(seen, *failed);
    else if (alive.empty())
        finding = missing_finding(seen);
    else
        finding.message = fmt::format("{} {} by itself", fmt::join(alive, ", "),
                                      alive.size() == 1 ? "sweeps" : "sweep, each");
    finding.facts = {{"by", alive},
                     {"user_manager", answer_word(schedule.user_manager)},
                     {"system_manager", answer_word(schedule.system_manager)}};
    return finding;
}

// A user's manager ends with the last session, unless the user lingers.
void add_linger(const Observations& seen, Findings& findings) {
    const ScheduleState& schedule = seen.schedule;
    const bool by_user_manager =
        std::ranges::any_of(schedule.units, [&](const ScheduledUnit& unit) {
            return unit.of_user_manager && is_alive(schedule, unit);
        });
    if (!by_user_manager || !schedule.lingers) return;
    const bool lingers = *schedule.lingers;
    findings.push_back(
        {.id = "linger",
         .status = lingers ? ok : warn,
         .message = lingers ? "the schedule runs without a session, too"
                            : fmt::format("sweeps stop when {} logs out", name_of(seen.whose)),
         .fix = lingers ? "" : "loginctl enable-linger",
         .facts = {{"lingers", lingers}}});
}

}  // namespace

void add_schedule(const Observations& seen, Findings& findings) {
    findings.push_back(schedule_finding(seen));
    add_linger(seen, findings);
}

}  // namespace reaper::agent
