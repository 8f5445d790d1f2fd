#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/schedule/launchd_job.hpp"
#include "agent/schedule/names.hpp"
#include "agent/schedule/trial.hpp"
#include "agent/schedule/units.hpp"

namespace reaper::agent {

namespace {

std::string template_name(ScheduleKind kind) {
    return kind == ScheduleKind::system_timer ? "orphan-reaper@.service" : service_unit(kind, "");
}

using Json = nlohmann::json;

// What a report says of itself; none: that is no report.
std::optional<int> status_in(const Json& report) {
    if (!report.is_object() || report.value("schema", "") != "orphan-reaper/report/1")
        return std::nullopt;
    const auto status = report.find("exit_status");
    if (status == report.end() || !status->is_number_integer()) return std::nullopt;
    return status->get<int>();
}

std::string first_remark(const Json& report) {
    const auto remarks = report.find("remarks");
    if (remarks == report.end() || !remarks->is_array() || remarks->empty()) return {};
    return remarks->front().is_string() ? ": " + remarks->front().get<std::string>() : "";
}

}  // namespace

bool is_confined(const Situation& found, ScheduleKind kind) {
    return kind != ScheduleKind::system_cron && kind != ScheduleKind::user_cron &&
           !is_launchd(kind) && found.can_confine;
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
    if (kind == ScheduleKind::launch_daemon) argv = {"sudo", "-n", "-u", found.account};
    if (of_system && !confined)
        argv = {"setpriv", fmt::format("--reuid={}", found.uid),
                fmt::format("--regid={}", found.group), "--init-groups"};
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
    std::ranges::copy(std::vector<std::string>{found.program, "report", "--json"},
                      std::back_inserter(argv));
    return argv;
}

ScheduleCheck judge_trial(const Situation& found, const CommandAnswer& answer) {
    const Json report = Json::parse(answer.out, nullptr, false);
    const auto status = status_in(report);
    const bool ran = status == answer.status;
    if (ran && (status == 0 || status == 1))
        return {"report", CheckResult::ok,
                fmt::format("a report ran as {} just now: exit status {}, {}", found.account,
                            answer.status,
                            *status == 0 ? "nothing leaked is left" : "leaks were found")};
    const std::string why = ran ? fmt::format("{}{}", answer.status, first_remark(report))
                                : fmt::format("{}: {}", answer.status, complaint(answer));
    return {"report", CheckResult::failed,
            fmt::format("a report as {} did not work: exit status {}", found.account, why),
            fmt::format("{} report", found.program)};
}

}  // namespace reaper::agent
