#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "agent/schedule/crontab.hpp"
#include "agent/schedule/launchd_checks.hpp"
#include "agent/schedule/names.hpp"
#include "agent/schedule/view.hpp"

namespace reaper::agent {

namespace {

constexpr std::array kUnitKinds = {ScheduleKind::user_timer, ScheduleKind::user_watch,
                                   ScheduleKind::system_timer};
constexpr std::array kJobKinds = {ScheduleKind::launch_agent, ScheduleKind::launch_watch,
                                  ScheduleKind::launch_daemon, ScheduleKind::brew_service};

const UnitState* find_unit(const Situation& found, const std::string& name) {
    const auto unit = found.units.find(name);
    return unit == found.units.end() ? nullptr : &unit->second;
}

std::optional<ScheduleEntry> unit_entry(const Situation& found, ScheduleKind kind) {
    const UnitState* timer = find_unit(found, enabled_unit(kind, found.account));
    const UnitState* service = find_unit(found, service_unit(kind, found.account));
    if (timer == nullptr || service == nullptr) return std::nullopt;
    ScheduleEntry entry{kind, timer->name, service->command, timer->enabled.starts_with("enabled"),
                        timer->active == "active"};
    const bool failed = timer->active == "failed";
    if (!entry.enabled && !entry.active && !failed) return std::nullopt;
    entry.last = service->ended;
    if (service->ended || service->result != "success") {
        entry.last_result = service->result;
        entry.last_status = service->exit_status;
    }
    entry.next = timer->next;
    return entry;
}

// A line that a person has switched off by a "#" runs nothing.
void add_cron_entry(std::vector<ScheduleEntry>& entries, ScheduleKind kind, std::string name,
                    const std::optional<std::string>& line) {
    std::string command =
        line ? command_of_cron_line(*line, kind == ScheduleKind::system_cron) : std::string();
    if (!command.empty()) entries.push_back({kind, std::move(name), std::move(command)});
}

}  // namespace

std::vector<ScheduleEntry> entries_of(const Situation& found) {
    std::vector<ScheduleEntry> entries;
    for (const ScheduleKind kind : kUnitKinds) {
        if (auto entry = unit_entry(found, kind)) entries.push_back(*std::move(entry));
    }
    for (const ScheduleKind kind : kJobKinds) {
        if (auto entry = found.launchd ? job_entry(found, kind) : std::nullopt)
            entries.push_back(*std::move(entry));
    }
    add_cron_entry(entries, ScheduleKind::user_cron, "crontab",
                   find_cron_line(found.crontab.value_or("")));
    const auto file = found.files.find(std::string(kCronFile));
    if (file != found.files.end())
        add_cron_entry(entries, ScheduleKind::system_cron, std::string(kCronFile),
                       find_system_line(file->second, found.account));
    return entries;
}

}  // namespace reaper::agent
