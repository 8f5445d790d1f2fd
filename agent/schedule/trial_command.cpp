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

bool is_confined(const Situation& found, ScheduleKind kind) {
    return kind != ScheduleKind::system_cron && kind != ScheduleKind::user_cron &&
           found.can_confine;
}

std::vector<std::string> environment_of_cron(const Situation& found) {
    return {"HOME=" + found.home, "LOGNAME=" + found.account, "USER=" + found.account,
            "SHELL=/bin/sh",      "PATH=/usr/bin:/bin",       "XDG_CONFIG_HOME=",
            "XDG_STATE_HOME=",    "XDG_RUNTIME_DIR=",         "DBUS_SESSION_BUS_ADDRESS="};
}

std::vector<std::string> trial_command(const Situation& found, ScheduleKind kind) {
    std::vector<std::string> argv;
    const bool of_system = kind == ScheduleKind::system_cron || kind == ScheduleKind::system_timer;
    const bool confined = is_confined(found, kind);
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
