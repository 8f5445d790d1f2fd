#include "agent/schedule/launchd_checks.hpp"

#include <fmt/format.h>

#include "agent/schedule/launchd_job.hpp"

namespace reaper::agent {

namespace {

// Leaks that are left are no failure of the sweep.
bool is_fine(int exit_status) {
    return exit_status == static_cast<int>(ExitStatus::clean) ||
           exit_status == static_cast<int>(ExitStatus::leaks_left);
}

JobState state_of(const Situation& found, const std::string& label) {
    const auto job = found.jobs.find(label);
    return job == found.jobs.end() ? JobState{.label = label} : job->second;
}

ScheduleCheck check_command(const Situation& found, ScheduleKind kind, const JobState& job,
                            const std::string& words) {
    const std::string path = job_file(kind, found);
    if (!job.loaded)
        return {"unit", CheckResult::failed, fmt::format("{} is not loaded", job.label),
                fmt::format("launchctl bootstrap {} {}", found.domain, path)};
    if (!words.empty() && job.command != fmt::format("{} {}", found.program, words))
        return {"unit", CheckResult::failed,
                fmt::format("{} runs '{}' instead of this program with '{}'", job.label,
                            job.command, words),
                fmt::format("launchctl print {}/{}", job.domain, job.label)};
    return {"unit", CheckResult::ok,
            fmt::format("{} is loaded from {}, and runs '{}'", job.label, job.path, job.command)};
}

ScheduleCheck check_enabled(const Situation& found, const JobState& job) {
    if (!job.disabled)
        return {"active", CheckResult::ok, fmt::format("{} comes back after a boot", job.label)};
    return {"active", CheckResult::failed, fmt::format("{} is switched off", job.label),
            fmt::format("launchctl enable {}/{}", found.domain, job.label)};
}

ScheduleCheck check_last(const JobState& job) {
    if (job.running) return {"last", CheckResult::ok, "it runs now"};
    if (!job.exit_status) return {"last", CheckResult::ok, "it has not run since it was loaded"};
    const bool fine = is_fine(*job.exit_status);
    return {"last", fine ? CheckResult::ok : CheckResult::failed,
            fmt::format("last run: exit status {}", *job.exit_status),
            fine ? "" : "tail ~/Library/Logs/orphan-reaper.log"};
}

}  // namespace

std::optional<ScheduleEntry> job_entry(const Situation& found, ScheduleKind kind) {
    const JobState job = state_of(found, job_label(kind, found.account));
    const auto file = found.files.find(job_file(kind, found));
    const bool is_there = file != found.files.end();
    if (!is_there && !job.loaded) return std::nullopt;
    ScheduleEntry entry{.kind = kind, .name = job.label, .command = job.command};
    if (entry.command.empty() && is_there) entry.command = command_of_job(file->second);
    entry.enabled = is_there && !job.disabled;
    entry.active = job.loaded;
    entry.last_status = job.exit_status;
    if (job.exit_status) entry.last_result = is_fine(*job.exit_status) ? "success" : "exit-code";
    return entry;
}

std::vector<ScheduleCheck> check_job(const Situation& found, ScheduleKind kind,
                                     const std::string& words) {
    const JobState job = state_of(found, job_label(kind, found.account));
    std::vector<ScheduleCheck> checks{check_command(found, kind, job, words),
                                      check_enabled(found, job)};
    if (words.empty() && job.loaded) checks.push_back(check_last(job));
    return checks;
}

}  // namespace reaper::agent
