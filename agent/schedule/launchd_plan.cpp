#include "agent/schedule/launchd_plan.hpp"

#include <chrono>

#include <fmt/format.h>

#include "agent/schedule/launchd_job.hpp"
#include "agent/schedule/names.hpp"

namespace reaper::agent {

namespace {

using Steps = std::vector<ScheduleStep>;

// A job that is taken out may end for so long (ExitTimeOut); until then launchd refuses another one
// of its label.
constexpr std::chrono::seconds kEndTime{30};

tl::unexpected<PlanRefusal> refuse(ExitStatus status, std::string why) {
    return tl::unexpected(PlanRefusal{status, std::move(why)});
}

std::string text_of(const Situation& found, const std::string& path) {
    const auto file = found.files.find(path);
    return file == found.files.end() ? "" : file->second;
}

const JobState* find_loaded(const Situation& found, const std::string& label) {
    const auto job = found.jobs.find(label);
    return job == found.jobs.end() || !job->second.loaded ? nullptr : &job->second;
}

bool has_brew_service(const Situation& found) {
    return find_loaded(found, std::string(kBrewLabel)) != nullptr ||
           found.files.contains(job_file(ScheduleKind::brew_service, found));
}

ScheduleStep take_out(const JobState& job) {
    // It fails with "Operation now in progress" while the job ends.
    return {.argv = {"launchctl", "bootout", fmt::format("{}/{}", job.domain, job.label)},
            .may_fail = true};
}

}  // namespace

tl::expected<ScheduleKind, PlanRefusal> choose_job(const Situation& found,
                                                   const ScheduleWish& wish) {
    if (wish.linger)
        return refuse(ExitStatus::configuration,
                      "--linger is systemd's: launchd ends the agents of a user that logs out; a "
                      "daemon stays: sudo orphan-reaper schedule install --system --user " +
                          found.account);
    if (wish.system && wish.cron)
        return refuse(ExitStatus::configuration,
                      "--system --cron: macOS has no /etc/cron.d; without --cron a daemon of "
                      "launchd does it");
    const std::string& trouble = wish.system ? found.system_trouble : found.user_trouble;
    if (!wish.cron && !trouble.empty()) return refuse(ExitStatus::incomplete, trouble);
    if (wish.system) return ScheduleKind::launch_daemon;
    if (!wish.cron) return wish.watch ? ScheduleKind::launch_watch : ScheduleKind::launch_agent;
    if (!found.cron_trouble.empty()) return refuse(ExitStatus::incomplete, found.cron_trouble);
    if (!found.crontab) return refuse(ExitStatus::configuration, "there is no crontab(1) here");
    return ScheduleKind::user_cron;
}

tl::expected<Steps, std::string> install_job(const Situation& found, const ScheduleWish& wish,
                                             ScheduleKind kind) {
    if (has_brew_service(found))
        return tl::unexpected(
            fmt::format("'brew services' runs it already ({}), which is enough; to have it "
                        "scheduled from here: brew services stop orphan-reaper",
                        kBrewLabel));
    const std::string path = job_file(kind, found);
    const std::string label = job_label(kind, found.account);
    const std::string old = text_of(found, path);
    if (!old.empty() && !is_job_by_install(old))
        return tl::unexpected(fmt::format("{} was not written by install: move it away", path));
    Steps steps{{.kind = ScheduleStep::Kind::write_file,
                 .path = path,
                 .text = job_text(kind, found, wish)}};
    if (const JobState* job = find_loaded(found, label)) steps.push_back(take_out(*job));
    // Else launchd refuses it, and says no more than "Input/output error".
    steps.push_back({.argv = {"launchctl", "enable", fmt::format("{}/{}", found.domain, label)}});
    steps.push_back({.argv = {"launchctl", "bootstrap", found.domain, path}, .patience = kEndTime});
    return steps;
}

Steps remove_job(const Situation& found, ScheduleKind kind) {
    const std::string path = job_file(kind, found);
    const std::string text = text_of(found, path);
    const JobState* job = find_loaded(found, job_label(kind, found.account));
    if (!text.empty() && !is_job_by_install(text)) return {};
    Steps steps;
    if (job != nullptr) steps.push_back(take_out(*job));
    if (!text.empty()) steps.push_back({.kind = ScheduleStep::Kind::remove_file, .path = path});
    return steps;
}

}  // namespace reaper::agent
