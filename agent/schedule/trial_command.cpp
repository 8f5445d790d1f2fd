#include <algorithm>

#include <fmt/format.h>

#include "agent/schedule/names.hpp"
#include "agent/schedule/trial.hpp"
#include "agent/schedule/units.hpp"

namespace reaper::agent {

namespace {

std::string template_name(ScheduleKind kind) {
    return kind == ScheduleKind::system_timer ? "orphan-reaper@.service" : service_unit(kind, "");
}

}  // namespace

std::vector<std::string> trial_command(const Situation& found, ScheduleKind kind) {
    std::vector<std::string> argv;
    const bool is_cron = kind == ScheduleKind::system_cron || kind == ScheduleKind::user_cron;
    const bool of_system = kind == ScheduleKind::system_cron || kind == ScheduleKind::system_timer;
    const bool confined = !is_cron && found.can_confine;
    if (of_system && !confined)
        argv = {"setpriv", fmt::format("--reuid={}", found.uid), "--regid", found.account,
                "--init-groups"};
    if (confined) {
        argv = {"systemd-run",
                of_system ? "--system" : "--user",
                "--wait",
                "--collect",
                "--quiet",
                "--pipe",
                "--no-ask-password",
                "--property=RuntimeMaxSec=50"};
        for (const std::string& setting : confinement_of(template_name(kind), found.account))
            argv.push_back("--property=" + setting);
    }
    std::ranges::copy(std::vector<std::string>{found.program, "report", "--quiet"},
                      std::back_inserter(argv));
    return argv;
}

}  // namespace reaper::agent
