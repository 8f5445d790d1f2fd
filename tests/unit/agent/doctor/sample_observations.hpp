// What `doctor` finds on a machine that is well.
#pragma once

#include "agent/doctor/observations.hpp"

namespace reaper::agent {

// Of an ordinary user with a timer that has just run; nothing about it warns or fails.
inline Observations healthy() {
    Observations seen;
    seen.version = "1.2.3";
    seen.program = "/usr/bin/orphan-reaper";
    seen.own_uid = 1000;
    seen.whose = {1000, "alice", false};
    seen.sight.machine.kernel = "6.18.1";
    seen.sight.count.seen = 214;
    seen.sight.diagnosis.init.name = "systemd";
    seen.sight.diagnosis.cgroup = {50, 1000, "/sys/fs/cgroup/a"};
    seen.kernel = {true, true, std::nullopt};
    seen.threads = {500, 4'194'304};
    seen.manager = {true, true, true};
    seen.history = {"/home/alice/.local/state/orphan-reaper",
                    HistoryPlaceState::writable,
                    "/home/alice",
                    1000,
                    true,
                    true,
                    7200};
    seen.schedule.user_manager = ManagerAnswer::answered;
    seen.schedule.units = {
        {"orphan-reaper.timer", true, "loaded", "active", "success", std::nullopt, std::nullopt,
         false, "orphan-reaper.service"},
        {"orphan-reaper.service", true, "loaded", "inactive", "success", 0, 180, true},
        {"orphan-reaper-watch.service", true, "loaded", "inactive", "success", 0, std::nullopt,
         true}};
    seen.schedule.lingers = true;
    seen.schedule.has_crontab = true;
    seen.homes = {{"/home/alice/.hermes", true, true, true}};
    return seen;
}

// Without any timer, watch or line of cron.
inline ScheduleState no_schedule() {
    ScheduleState schedule;
    schedule.has_crontab = true;
    return schedule;
}

}  // namespace reaper::agent
