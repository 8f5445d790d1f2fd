#include <unistd.h>

#include <chrono>

#include <fmt/format.h>

#include "agent/commands/platform.hpp"
#include "agent/history/file.hpp"
#include "agent/history/history.hpp"
#include "agent/schedule/carry_out.hpp"
#include "agent/schedule/manager.hpp"
#include "agent/schedule/names.hpp"
#include "agent/schedule/plan.hpp"
#include "agent/schedule/trial.hpp"
#include "agent/schedule/turn.hpp"
#include "agent/schedule/view.hpp"
#include "policy/text/duration.hpp"

namespace reaper::agent {

namespace {

using Answer = tl::expected<ScheduleAnswer, Message>;

constexpr std::chrono::seconds kTurnLimit{60};  // one takes a few seconds, a slow manager more

double now_epoch() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

tl::unexpected<Message> incomplete(std::string_view why) {
    return tl::unexpected(Message{fmt::format("orphan-reaper: schedule: {}\n", why),
                                  static_cast<int>(ExitStatus::incomplete)});
}

ScheduleWish wish_of(const Options& options) {
    return {.task = options.task,
            .every = std::chrono::duration_cast<std::chrono::seconds>(options.every),
            .user = options.user,
            .watch = options.as_watch,
            .system = options.for_system,
            .cron = options.by_cron,
            .linger = options.with_linger,
            .report_only = options.report_only};
}

// What a removal may leave empty and is not ours: ~/.config, or /etc.
std::string kept_folder(const Situation& found, const ScheduleWish& wish) {
    if (found.launchd)
        return wish.system ? std::string(kLaunchDaemons) : found.home + "/Library/LaunchAgents";
    if (wish.system) return std::string(kSystemUnits);
    return found.unit_folder.substr(0, found.unit_folder.rfind("/systemd/user"));
}

std::string headline(const Situation& found, const ScheduleWish& wish, ScheduleKind kind) {
    const std::string how = fmt::format("by the {} of {}", to_string(kind), found.account);
    if (kind == ScheduleKind::user_watch || kind == ScheduleKind::launch_watch)
        return fmt::format("schedule: as hosts die, {}", how);
    return fmt::format("schedule: every {}, {}", policy::duration_text(wish.every), how);
}

// Looks anew: what the plan wanted is not what the manager has.
Answer verify(const ScheduleWish& wish, ScheduleKind kind) {
    const auto found = find_situation(wish);
    if (!found) return tl::unexpected(found.error());
    ScheduleView view{.headline = headline(*found, wish, kind)};
    view.checks = check_kind(*found, kind, scheduled_words(kind, wish.report_only), now_epoch());
    view.checks.push_back(try_report(*found, kind));
    for (ScheduleCheck& check : check_several(entries_of(*found), found->account, kind))
        view.checks.push_back(std::move(check));
    return ScheduleAnswer{render_schedule(view), static_cast<int>(exit_status_of(view.checks))};
}

Answer install(const Situation& found, const ScheduleWish& wish, bool dry_run) {
    const auto steps = plan_install(found, wish);
    if (!steps) return tl::unexpected(steps.error());
    if (dry_run) return ScheduleAnswer{steps_text(*steps), 0};
    if (const auto done = carry_out(*steps, kept_folder(found, wish)); !done)
        return incomplete(
            fmt::format("{} (what was done before that: 'orphan-reaper schedule "
                        "remove' takes it back)",
                        describe(done.error())));
    return verify(wish, *choose_kind(found, wish));
}

Answer remove(const Situation& found, const ScheduleWish& wish, bool dry_run) {
    const auto steps = plan_remove(found, wish);
    if (!steps) return tl::unexpected(steps.error());
    if (dry_run) return ScheduleAnswer{steps_text(*steps), 0};
    if (steps->empty()) return ScheduleAnswer{"nothing was scheduled\n", 0};
    if (const auto done = carry_out(*steps, kept_folder(found, wish)); !done)
        return incomplete(describe(done.error()));
    // Such as what an administrator has enabled for all users.
    const auto after = find_situation(wish);
    const auto left = after ? plan_remove(*after, wish) : steps;
    if (!left || !left->empty())
        return ScheduleAnswer{
            "not all of it could be removed; 'orphan-reaper schedule status' says "
            "what is left\n",
            static_cast<int>(ExitStatus::leaks_left)};
    return ScheduleAnswer{fmt::format("the schedule of {} is removed\n", found.account), 0};
}

// Of this user's own history; none: there is none, or it cannot be read.
std::optional<double> last_action() {
    const std::string folder = history_folder();
    const auto history = folder.empty() ? Result<History>() : read_history(folder);
    if (!history || history->events.empty()) return std::nullopt;
    return history->events.back().at;
}

Answer status(const Situation& found, bool as_json) {
    ScheduleView view = status_of(found, now_epoch());
    view.version = REAPER_VERSION;
    view.last_action = last_action();
    return ScheduleAnswer{as_json ? render_schedule_json(view) : render_schedule(view),
                          static_cast<int>(exit_status_of(view.checks))};
}

// Without root nothing is written for the system: that is refused where it is planned.
bool changes_system(const ScheduleWish& wish, bool dry_run) {
    return wish.system && wish.task != "status" && !dry_run && ::geteuid() == 0;
}

}  // namespace

Answer run_schedule(const Options& options) {
    const ScheduleWish wish = wish_of(options);
    Fd turn;
    if (changes_system(wish, options.dry_run)) {
        auto taken = take_turn(kTurnLimit);
        if (!taken) return incomplete(describe(taken.error()));
        turn = std::move(*taken);
    }
    const auto found = find_situation(wish);
    if (!found) return tl::unexpected(found.error());
    if (wish.task == "install") return install(*found, wish, options.dry_run);
    if (wish.task == "remove") return remove(*found, wish, options.dry_run);
    return status(*found, options.format == Format::json);
}

}  // namespace reaper::agent
