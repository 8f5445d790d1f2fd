#include <algorithm>

#include <fmt/format.h>

#include "agent/schedule/launchd_checks.hpp"
#include "agent/schedule/launchd_job.hpp"
#include "agent/schedule/names.hpp"
#include "agent/schedule/view.hpp"
#include "agent/system/format.hpp"

namespace reaper::agent {

namespace {

using Checks = std::vector<ScheduleCheck>;

bool is_cron(ScheduleKind kind) {
    return kind == ScheduleKind::user_cron || kind == ScheduleKind::system_cron;
}

std::string systemctl(ScheduleKind kind, std::string_view words) {
    return fmt::format("systemctl {}{}", kind == ScheduleKind::system_timer ? "" : "--user ",
                       words);
}

std::string removal_of(ScheduleKind kind, std::string_view account) {
    switch (kind) {
        case ScheduleKind::user_watch: return "orphan-reaper schedule remove --watch";
        case ScheduleKind::user_cron: return "orphan-reaper schedule remove --cron";
        case ScheduleKind::system_timer:
            return fmt::format("sudo orphan-reaper schedule remove --system --user {}", account);
        case ScheduleKind::system_cron:
            return fmt::format("sudo orphan-reaper schedule remove --system --cron --user {}",
                               account);
        case ScheduleKind::launch_agent:
            return fmt::format("launchctl disable gui/$(id -u)/{}", job_label(kind, account));
        case ScheduleKind::launch_watch: return "orphan-reaper schedule remove --watch";
        case ScheduleKind::launch_daemon:
            return fmt::format("sudo orphan-reaper schedule remove --system --user {}", account);
        case ScheduleKind::brew_service: return "brew services stop orphan-reaper";
        case ScheduleKind::user_timer: break;
    }
    return "systemctl --user disable --now orphan-reaper.timer";
}

// Install wrote a unit, and another one is loaded in its place.
bool is_hidden(const Situation& found, const UnitState& service, ScheduleKind kind) {
    const std::string path = service_file(kind, found.unit_folder);
    const auto own = found.files.find(path);
    return own != found.files.end() && is_written_by_install(own->second) && service.path != path;
}

ScheduleCheck check_command(const Situation& found, ScheduleKind kind, const std::string& words) {
    const UnitState& service = found.units.at(service_unit(kind, found.account));
    const std::size_t blank = service.command.find(' ');
    const std::string arguments =
        blank == std::string::npos ? "" : service.command.substr(blank + 1);
    if (service.load != "loaded")
        return {"unit", CheckResult::failed,
                fmt::format("{} is not loaded ({})", service.name, service.load),
                systemctl(kind, fmt::format("status {}", service.name))};
    if (!words.empty() && (!service.runs_this || arguments != words))
        return {"unit", CheckResult::failed,
                fmt::format("{} runs '{}' instead of this program with '{}'", service.name,
                            service.command, words),
                systemctl(kind, fmt::format("cat {}", service.name))};
    if (is_hidden(found, service, kind))
        return {"unit", CheckResult::failed,
                fmt::format("{} is loaded from {}, not from {}, which install wrote", service.name,
                            service.path, service_file(kind, found.unit_folder)),
                systemctl(kind, fmt::format("cat {}", service.name))};
    if (service.must_reload)
        return {"unit", CheckResult::warning,
                fmt::format("{} was changed since it was loaded", service.name),
                systemctl(kind, "daemon-reload")};
    return {"unit", CheckResult::ok,
            fmt::format("{} is loaded from {}, and runs '{}'", service.name, service.path,
                        service.command)};
}

ScheduleCheck check_active(const ScheduleEntry& entry, std::string_view state) {
    if (entry.enabled && entry.active)
        return {"active", CheckResult::ok, fmt::format("{} is enabled and active", entry.name)};
    return {"active", CheckResult::failed,
            fmt::format("{} is {}enabled, and {}", entry.name, entry.enabled ? "" : "not ", state),
            systemctl(entry.kind, fmt::format("enable --now {}", entry.name))};
}

// A timer says none while its service runs.
ScheduleCheck check_next(const ScheduleEntry& entry, const UnitState& service, double now) {
    if (service.active == "activating" || service.active == "active")
        return {"next", CheckResult::ok, "it runs now"};
    if (entry.next && *entry.next > now - 60) {
        const auto left = static_cast<std::uint64_t>(std::max(0.0, *entry.next - now));
        return {"next", CheckResult::ok,
                fmt::format("next run {} (in {})", time_text(*entry.next), age_text(left))};
    }
    return {"next", CheckResult::failed, fmt::format("{} has no next run", entry.name),
            systemctl(entry.kind, fmt::format("restart {}", entry.name))};
}

ScheduleCheck check_last(const ScheduleEntry& entry, std::string_view service) {
    const std::string code =
        entry.last_status ? fmt::format(", exit status {}", *entry.last_status) : "";
    if (entry.last_result.empty())
        return {"last", CheckResult::ok, "it has not run since the manager started"};
    const std::string when = entry.last ? time_text(*entry.last) : "not known when";
    const bool fine = entry.last_result == "success";
    const std::string journal =
        fmt::format("journalctl {}-u {} -n 20",
                    entry.kind == ScheduleKind::system_timer ? "" : "--user ", service);
    return {"last", fine ? CheckResult::ok : CheckResult::failed,
            fmt::format("last run {}: {}{}", when, entry.last_result, code), fine ? "" : journal};
}

ScheduleCheck check_linger(const Situation& found) {
    if (found.lingers)
        return {"linger", CheckResult::ok,
                fmt::format("it goes on when {} logs out", found.account)};
    return {"linger", CheckResult::warning,
            fmt::format("sweeps stop when {} logs out", found.account),
            fmt::format("loginctl enable-linger {}", found.account)};
}

ScheduleCheck check_daemon(const Situation& found) {
    if (found.cron_runs) return {"cron", CheckResult::ok, "a cron daemon runs"};
    return {"cron", CheckResult::warning, "no cron daemon was seen; without one nothing runs"};
}

// A program that another user can change runs what that user wants.
void check_place(const Situation& found, const ScheduleEntry& entry, Checks& checks) {
    const auto unsafe =
        found.unsafe_programs.find(entry.command.substr(0, entry.command.find(' ')));
    if (unsafe != found.unsafe_programs.end())
        checks.push_back({"place", CheckResult::failed, unsafe->second});
}

const ScheduleEntry* find_entry(const std::vector<ScheduleEntry>& entries, ScheduleKind kind) {
    const auto entry = std::ranges::find(entries, kind, &ScheduleEntry::kind);
    return entry == entries.end() ? nullptr : &*entry;
}

Checks check_cron(const Situation& found, const ScheduleEntry& entry, const std::string& words) {
    const std::string program = entry.command.substr(0, entry.command.find(' '));
    if (found.missing_programs.contains(program))
        return {
            {"unit", CheckResult::failed,
             fmt::format("the {} names {}, which cannot be run", to_string(entry.kind), program),
             "orphan-reaper schedule install"}};
    const bool as_wanted =
        words.empty() || entry.command == fmt::format("{} {}", found.program, words);
    return {{"unit", as_wanted ? CheckResult::ok : CheckResult::failed,
             fmt::format("the {} has '{}'", to_string(entry.kind), entry.command)},
            check_daemon(found)};
}

}  // namespace

Checks check_kind(const Situation& found, ScheduleKind kind, const std::string& words, double now) {
    const auto entries = entries_of(found);
    const ScheduleEntry* entry = find_entry(entries, kind);
    if (entry == nullptr)
        return {{"unit", CheckResult::failed, fmt::format("the {} is not there", to_string(kind))}};
    Checks place;
    check_place(found, *entry, place);
    if (is_cron(kind)) {
        Checks checks = check_cron(found, *entry, words);
        std::ranges::move(place, std::back_inserter(checks));
        return checks;
    }
    if (is_launchd(kind)) {
        Checks checks = check_job(found, kind, words);
        std::ranges::move(place, std::back_inserter(checks));
        return checks;
    }
    const UnitState& service = found.units.at(service_unit(kind, found.account));
    const UnitState& timer = found.units.at(entry->name);
    Checks checks{check_command(found, kind, words), check_active(*entry, timer.active)};
    std::ranges::move(place, std::back_inserter(checks));
    const bool stays = kind == ScheduleKind::user_watch;
    if (!stays && entry->active) checks.push_back(check_next(*entry, service, now));
    if (words.empty() && (!stays || !entry->active))
        checks.push_back(check_last(*entry, service.name));
    if (kind != ScheduleKind::system_timer) checks.push_back(check_linger(found));
    return checks;
}

Checks check_several(const std::vector<ScheduleEntry>& entries, const std::string& account,
                     ScheduleKind kept) {
    Checks checks;
    for (const ScheduleEntry& entry : entries) {
        if (entry.kind == kept) continue;
        checks.push_back({"several", CheckResult::warning,
                          fmt::format("the {} does what the {} does: harmless, but one is enough",
                                      to_string(entry.kind), to_string(kept)),
                          removal_of(entry.kind, account)});
    }
    return checks;
}

ScheduleView status_of(const Situation& found, double now) {
    ScheduleView view{.account = found.account, .entries = entries_of(found), .now = now};
    for (const ScheduleEntry& entry : view.entries)
        std::ranges::move(check_kind(found, entry.kind, "", now), std::back_inserter(view.checks));
    if (!view.entries.empty())
        std::ranges::move(check_several(view.entries, found.account, view.entries.front().kind),
                          std::back_inserter(view.checks));
    for (const std::string& trouble :
         {found.user_trouble, found.system_trouble, found.cron_trouble}) {
        if (!trouble.empty()) view.checks.push_back({"look", CheckResult::unknown, trouble});
    }
    // Where something did not answer, it may be there.
    if (view.entries.empty() && view.checks.empty())
        view.checks.push_back(
            {"scheduled", CheckResult::failed, "nothing is scheduled",
             fmt::format("{}orphan-reaper schedule install{}", found.of_system ? "sudo " : "",
                         found.of_system ? " --system --user " + found.account : "")});
    std::string kinds;
    for (const ScheduleEntry& entry : view.entries)
        kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", to_string(entry.kind));
    view.headline =
        fmt::format("schedule of {}: {}", found.account, kinds.empty() ? "none" : kinds);
    return view;
}

ExitStatus exit_status_of(const Checks& checks) {
    const auto has = [&](CheckResult result) {
        return std::ranges::find(checks, result, &ScheduleCheck::result) != checks.end();
    };
    if (has(CheckResult::unknown)) return ExitStatus::incomplete;
    return has(CheckResult::failed) ? ExitStatus::leaks_left : ExitStatus::clean;
}

}  // namespace reaper::agent
