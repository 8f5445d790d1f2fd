#include "agent/schedule/plan.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "agent/schedule/crontab.hpp"
#include "agent/schedule/launchd_job.hpp"
#include "agent/schedule/launchd_plan.hpp"
#include "agent/schedule/names.hpp"
#include "agent/schedule/period.hpp"
#include "agent/schedule/unit_plan.hpp"
#include "agent/system/exit_status.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

using Steps = std::vector<ScheduleStep>;
using Planned = tl::expected<Steps, Message>;

constexpr std::string_view kStray =
    "the crontab has lines '# orphan-reaper begin' or '# orphan-reaper end' that are not as "
    "install writes them: remove them by 'crontab -e'";

tl::unexpected<Message> refuse(ExitStatus status, std::string_view why) {
    return tl::unexpected(
        Message{fmt::format("orphan-reaper: schedule: {}\n", why), static_cast<int>(status)});
}

std::string text_of(const Situation& found, std::string_view path) {
    const auto file = found.files.find(std::string(path));
    return file == found.files.end() ? "" : file->second;
}

Planned plan_cron(const Situation& found, const ScheduleWish& wish, ScheduleKind kind) {
    const auto fields = cron_fields(wish.every);
    if (!fields) return refuse(ExitStatus::usage, fields.error());
    if (kind == ScheduleKind::user_cron && has_stray_markers(*found.crontab))
        return refuse(ExitStatus::configuration, kStray);
    const std::string command =
        fmt::format("{} {}", found.program, scheduled_words(kind, wish.report_only));
    if (kind == ScheduleKind::user_cron) {
        const std::string line = fmt::format("{} {}", *fields, command);
        return Steps{{.text = with_cron_line(*found.crontab, line), .argv = {"crontab", "-"}}};
    }
    const std::string old = text_of(found, kCronFile);
    if (!old.empty() && !is_written_by_install(old))
        return refuse(ExitStatus::configuration,
                      fmt::format("{} was not written by install: move it away", kCronFile));
    const std::string line = fmt::format("{} {} {}", *fields, found.account, command);
    return Steps{{.kind = ScheduleStep::Kind::write_file,
                  .path = std::string(kCronFile),
                  .text = with_system_line(old, found.account, line)}};
}

Steps remove_user_cron(const Situation& found) {
    if (!found.crontab || !find_cron_line(*found.crontab)) return {};
    std::string rest = without_cron_line(*found.crontab);
    if (rest.empty()) return {{.argv = {"crontab", "-r"}}};
    return {{.text = std::move(rest), .argv = {"crontab", "-"}}};
}

Steps remove_system_cron(const Situation& found) {
    const std::string old = text_of(found, kCronFile);
    if (!is_written_by_install(old) || !find_system_line(old, found.account)) return {};
    std::string rest = without_system_line(old, found.account);
    const auto kind =
        rest.empty() ? ScheduleStep::Kind::remove_file : ScheduleStep::Kind::write_file;
    return {{.kind = kind, .path = std::string(kCronFile), .text = std::move(rest)}};
}

// Of what a removal must not touch.
std::string trouble_of_cron(const Situation& found) {
    const bool stray = found.crontab && has_stray_markers(*found.crontab);
    return stray ? std::string(kStray) : found.cron_trouble;
}

// What was said to be removed, and where that cannot be known.
struct Removal {
    ScheduleKind kind;
    std::string trouble;
};

std::vector<Removal> removals_with_launchd(const Situation& found, const ScheduleWish& wish) {
    if (wish.system) return {{ScheduleKind::launch_daemon, found.system_trouble}};
    if (wish.watch) return {{ScheduleKind::launch_watch, found.user_trouble}};
    if (wish.cron) return {{ScheduleKind::user_cron, trouble_of_cron(found)}};
    return {{ScheduleKind::launch_agent, found.user_trouble},
            {ScheduleKind::launch_watch, found.user_trouble},
            {ScheduleKind::user_cron, trouble_of_cron(found)}};
}

std::vector<Removal> removals(const Situation& found, const ScheduleWish& wish) {
    if (found.launchd) return removals_with_launchd(found, wish);
    if (wish.system && wish.cron) return {{ScheduleKind::system_cron, found.cron_trouble}};
    if (wish.system)
        return {{ScheduleKind::system_timer, found.system_trouble},
                {ScheduleKind::system_cron, found.cron_trouble}};
    if (wish.watch) return {{ScheduleKind::user_watch, found.user_trouble}};
    if (wish.cron) return {{ScheduleKind::user_cron, trouble_of_cron(found)}};
    return {{ScheduleKind::user_timer, found.user_trouble},
            {ScheduleKind::user_watch, found.user_trouble},
            {ScheduleKind::user_cron, trouble_of_cron(found)}};
}

Steps plan_removal(const Situation& found, ScheduleKind kind) {
    switch (kind) {
        case ScheduleKind::user_cron: return remove_user_cron(found);
        case ScheduleKind::system_cron: return remove_system_cron(found);
        default: return is_launchd(kind) ? remove_job(found, kind) : remove_units(found, kind);
    }
}

bool is_plain(char letter) {
    constexpr std::string_view kPlain = "._-";
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z') || kPlain.find(letter) != std::string_view::npos;
}

tl::expected<ScheduleKind, Message> choose_with_launchd(const Situation& found,
                                                        const ScheduleWish& wish) {
    const auto kind = choose_job(found, wish);
    return kind ? tl::expected<ScheduleKind, Message>(*kind)
                : refuse(kind.error().status, kind.error().why);
}

tl::expected<ScheduleKind, Message> choose_system(const Situation& found,
                                                  const ScheduleWish& wish) {
    if (!found.is_root) return refuse(ExitStatus::usage, "--system needs root");
    if (!std::ranges::all_of(found.account, is_plain))
        return refuse(ExitStatus::usage,
                      fmt::format("--system: a unit or a crontab could misread the name '{}'",
                                  policy::escape(found.account)));
    if (found.launchd) return choose_with_launchd(found, wish);
    if (wish.cron || !found.system_manager) return ScheduleKind::system_cron;
    // Its history is /var/lib/orphan-reaper itself, where the template does not let it write.
    if (found.uid == 0 && wish.task == "install")
        return refuse(ExitStatus::usage,
                      "--system --user root: expected another user; for root's "
                      "own processes add --cron");
    if (!found.system_trouble.empty()) return refuse(ExitStatus::incomplete, found.system_trouble);
    return ScheduleKind::system_timer;
}

}  // namespace

tl::expected<ScheduleKind, Message> choose_kind(const Situation& found, const ScheduleWish& wish) {
    if (wish.system) return choose_system(found, wish);
    if (found.launchd) return choose_with_launchd(found, wish);
    // What is there may be scheduled already: no second way beside it, unless it is asked for.
    if (!wish.cron && !found.user_trouble.empty())
        return refuse(ExitStatus::incomplete,
                      fmt::format("{} (--cron does without it)", found.user_trouble));
    if ((wish.watch || wish.linger) && !found.user_manager)
        return refuse(ExitStatus::configuration,
                      "no systemd user manager answers, which --watch and --linger need; without "
                      "systemd, 'orphan-reaper watch' can be a service of any other init");
    if (wish.watch) return ScheduleKind::user_watch;
    if (!wish.cron && found.user_manager) return ScheduleKind::user_timer;
    if (!found.cron_trouble.empty()) return refuse(ExitStatus::incomplete, found.cron_trouble);
    if (found.crontab) return ScheduleKind::user_cron;
    return refuse(ExitStatus::configuration,
                  wish.cron ? "there is no crontab(1) here"
                            : "no systemd user manager answers, and there is no crontab(1) here");
}

tl::expected<std::vector<ScheduleStep>, Message> plan_install(const Situation& found,
                                                              const ScheduleWish& wish) {
    const auto kind = choose_kind(found, wish);
    if (!kind) return tl::unexpected(kind.error());
    if (!found.refusal.empty()) return refuse(ExitStatus::configuration, found.refusal);
    if (*kind == ScheduleKind::user_cron || *kind == ScheduleKind::system_cron)
        return plan_cron(found, wish, *kind);
    auto steps =
        is_launchd(*kind) ? install_job(found, wish, *kind) : install_units(found, wish, *kind);
    if (!steps) return refuse(ExitStatus::configuration, steps.error());
    if (wish.linger)
        steps->push_back(
            {.argv = {"loginctl", "--no-ask-password", "enable-linger", found.account}});
    return *std::move(steps);
}

tl::expected<std::vector<ScheduleStep>, Message> plan_remove(const Situation& found,
                                                             const ScheduleWish& wish) {
    if (wish.system) {
        if (const auto kind = choose_system(found, wish); !kind)
            return tl::unexpected(kind.error());
    }
    Steps steps;
    for (const Removal& removal : removals(found, wish)) {
        if (!removal.trouble.empty()) return refuse(ExitStatus::incomplete, removal.trouble);
        std::ranges::move(plan_removal(found, removal.kind), std::back_inserter(steps));
    }
    return steps;
}

std::vector<std::string> files_of_plans(const std::string& unit_folder, std::string_view account,
                                        bool of_system) {
    std::vector<std::string> files{std::string(kCronFile)};
    std::vector<ScheduleKind> kinds{ScheduleKind::user_timer, ScheduleKind::user_watch};
    if (of_system) kinds = {ScheduleKind::system_timer};
    for (const ScheduleKind kind : kinds)
        std::ranges::move(files_of_units(kind, unit_folder, account), std::back_inserter(files));
    return files;
}

}  // namespace reaper::agent
