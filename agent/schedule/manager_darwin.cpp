#include "agent/schedule/manager.hpp"

#include <array>
#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "agent/reaping/command.hpp"
#include "agent/schedule/launchd_job.hpp"
#include "agent/schedule/program.hpp"
#include "agent/schedule/situation_parts.hpp"

namespace reaper::agent {

namespace {

constexpr std::chrono::milliseconds kAnswerTime{5000};
constexpr int kNoSuchService = 113;  // what launchctl(1) ends with

Result<CommandAnswer> launchctl(const char* what, const std::string& about) {
    return ask({.argv = {"launchctl", what, about}, .limit = kAnswerTime});
}

// Without a login window there is no gui domain, as over ssh.
bool has_domain(const std::string& domain) {
    const auto answer = launchctl("print", domain);
    return answer && answer->status == 0;
}

std::vector<std::string> domains_of(const Situation& found) {
    if (found.of_system) return {"system"};
    return {fmt::format("gui/{}", found.uid), fmt::format("user/{}", found.uid)};
}

std::vector<ScheduleKind> kinds_of(const Situation& found) {
    if (found.of_system) return {ScheduleKind::launch_daemon};
    return {ScheduleKind::launch_agent, ScheduleKind::launch_watch, ScheduleKind::brew_service};
}

// Returns why it is not known; empty: it is.
std::string ask_job(Situation& found, const std::string& domain, const std::string& label) {
    const auto answer = launchctl("print", fmt::format("{}/{}", domain, label));
    if (!answer) return describe(answer.error());
    if (answer->status == kNoSuchService) return {};
    if (answer->status != 0) return fmt::format("launchctl print: {}", complaint(*answer));
    JobState job = parse_job(answer->out);
    job.label = label;
    job.domain = domain;
    found.jobs[label] = std::move(job);
    return {};
}

void find_disabled(Situation& found, const std::string& domain, const std::string& label) {
    const auto answer = launchctl("print-disabled", domain);
    if (!answer || answer->status != 0 || !is_disabled(answer->out, label)) return;
    found.jobs[label].label = label;
    found.jobs[label].disabled = true;
}

std::string ask_launchd(Situation& found) {
    for (const std::string& domain : domains_of(found)) {
        if (!has_domain(domain)) continue;
        if (found.domain.empty()) found.domain = domain;
        for (const ScheduleKind kind : kinds_of(found)) {
            const std::string label = job_label(kind, found.account);
            if (std::string trouble = ask_job(found, domain, label); !trouble.empty())
                return trouble;
            find_disabled(found, domain, label);
        }
    }
    return found.domain.empty() ? "launchctl print: launchd does not answer" : std::string();
}

}  // namespace

std::vector<std::string> manager_environment() {
    return {};
}

// launchd starts it when there is a crontab.
bool is_cron_running() {
    return true;
}

const char* folder_of_turns() {
    return "/var/run";
}

tl::expected<Situation, Message> find_situation(const ScheduleWish& wish) {
    auto begun = begin_situation(wish);
    if (!begun) return begun;
    Situation& found = *begun;
    found.launchd = true;
    if (auto answered = expect_folder(found, found.home); !answered)
        return tl::unexpected(answered.error());
    found.refusal = refuse_cellar(found.program);
    if (found.refusal.empty()) found.refusal = refuse_path(found.program);
    if (found.refusal.empty()) found.refusal = refuse_place(found.program, found.uid);
    (wish.system ? found.system_trouble : found.user_trouble) = ask_launchd(found);
    std::vector<std::string> files;
    for (const ScheduleKind kind : kinds_of(found)) files.push_back(job_file(kind, found));
    read_files(found, files);
    if (!wish.system) read_crontab(found);
    find_bad_programs(found);
    found.cron_runs = is_cron_running();
    return begun;
}

}  // namespace reaper::agent
