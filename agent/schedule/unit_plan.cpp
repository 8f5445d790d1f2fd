#include "agent/schedule/unit_plan.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "agent/schedule/names.hpp"
#include "agent/schedule/period.hpp"
#include "agent/schedule/units.hpp"
#include "policy/text/duration.hpp"

namespace reaper::agent {

namespace {

constexpr std::chrono::seconds kUsual{300};  // what the timers of packaging/systemd say

using Kind = ScheduleStep::Kind;

// What a user's manager and the system's differ in.
struct Place {
    std::string folder;
    std::vector<std::string> names;  // of the files
    std::string timer;               // that is enabled; for a watch the service
    std::string service;
    bool of_user = true;
};

Place place_of(ScheduleKind kind, const std::string& unit_folder, std::string_view account) {
    Place place{unit_folder,
                {"orphan-reaper.service", "orphan-reaper.timer"},
                enabled_unit(kind, account),
                service_unit(kind, account)};
    if (kind == ScheduleKind::user_watch) place.names = {"orphan-reaper-watch.service"};
    if (kind == ScheduleKind::system_timer)
        place = {std::string(kSystemUnits),
                 {"orphan-reaper@.service", "orphan-reaper@.timer"},
                 place.timer,
                 place.service,
                 false};
    return place;
}

std::vector<std::string> systemctl(const Place& place, std::vector<std::string> words) {
    std::vector<std::string> argv{"systemctl", place.of_user ? "--user" : "--system"};
    std::ranges::move(words, std::back_inserter(argv));
    return argv;
}

std::string path_of(const Place& place, std::string_view name) {
    return fmt::format("{}/{}", place.folder, name);
}

std::string beside(const Place& place, std::string_view unit) {
    return fmt::format("{}/{}.d/schedule.conf", place.folder, unit);
}

UnitState state_of(const Situation& found, const std::string& unit) {
    const auto state = found.units.find(unit);
    return state == found.units.end() ? UnitState{} : state->second;
}

bool is_of_others(const UnitState& unit, const std::string& own_path) {
    return unit.load == "loaded" && unit.path != own_path;
}

// Of a package or an administrator, and with this program; a timer goes with its service.
bool is_usable(const Situation& found, const Place& place) {
    const UnitState service = state_of(found, place.service);
    const UnitState timer = state_of(found, place.timer);
    return service.runs_this && is_of_others(service, path_of(place, place.names.front())) &&
           is_of_others(timer, path_of(place, place.names.back()));
}

// Path and text of each file that is wanted.
using Texts = std::map<std::string, std::string>;

Texts wanted_files(const Situation& found, const ScheduleWish& wish, ScheduleKind kind,
                   const Place& place) {
    Texts texts;
    for (const std::string& name : place.names) {
        if (!is_usable(found, place)) texts[path_of(place, name)] = unit_text(name, found.program);
    }
    if (wish.report_only)
        texts[beside(place, place.service)] =
            fmt::format("{}\n[Service]\nExecStart=\nExecStart={} {}\n", kWrittenByInstall,
                        found.program, scheduled_words(kind, true));
    if (kind != ScheduleKind::user_watch && wish.every != kUsual)
        texts[beside(place, place.timer)] = fmt::format(
            "{}\n[Unit]\nDescription=Sweep up leaked helper processes every {}\n\n[Timer]\n{}",
            kWrittenByInstall, policy::duration_text(wish.every), timer_lines(wish.every));
    return texts;
}

bool is_ours(const Situation& found, const std::string& path) {
    const auto file = found.files.find(path);
    return file != found.files.end() && is_written_by_install(file->second);
}

bool is_others(const Situation& found, const std::string& path) {
    return found.files.contains(path) && !is_ours(found, path);
}

bool is_on(const UnitState& unit) {
    return unit.enabled.starts_with("enabled") || unit.active == "active" ||
           unit.active == "activating";
}

// Files for one instance, or for all: those stay while other users have theirs.
std::vector<std::string> removable_files(const Situation& found, const Place& place) {
    std::vector<std::string> paths{beside(place, place.timer), beside(place, place.service)};
    for (const std::string& name : place.names) {
        if (place.of_user || !found.other_instances) paths.push_back(path_of(place, name));
    }
    std::erase_if(paths, [&](const std::string& path) { return !is_ours(found, path); });
    std::ranges::sort(paths);
    paths.erase(std::ranges::unique(paths).begin(), paths.end());
    return paths;
}

}  // namespace

tl::expected<std::vector<ScheduleStep>, std::string> install_units(const Situation& found,
                                                                   const ScheduleWish& wish,
                                                                   ScheduleKind kind) {
    const Place place = place_of(kind, found.unit_folder, found.account);
    const Texts wanted = wanted_files(found, wish, kind, place);
    std::vector<ScheduleStep> steps;
    for (const auto& [path, text] : wanted) {
        if (is_others(found, path))
            return tl::unexpected(fmt::format("{} was not written by install: move it away", path));
        steps.push_back({.kind = Kind::write_file, .path = path, .text = text});
    }
    // Of an earlier install with other options.
    for (const std::string& path :
         std::set{beside(place, place.timer), beside(place, place.service)}) {
        if (is_ours(found, path) && !wanted.contains(path))
            steps.push_back({.kind = Kind::remove_file, .path = path});
    }
    steps.push_back({.argv = systemctl(place, {"daemon-reload"})});
    steps.push_back({.argv = systemctl(place, {"enable", place.timer})});
    // And not "enable --now", which leaves one that runs as it was.
    steps.push_back({.argv = systemctl(place, {"restart", place.timer})});
    return steps;
}

std::vector<ScheduleStep> remove_units(const Situation& found, ScheduleKind kind) {
    const Place place = place_of(kind, found.unit_folder, found.account);
    std::vector<ScheduleStep> steps;
    const UnitState enabled = state_of(found, place.timer);
    const auto files = removable_files(found, place);
    if (is_on(enabled))
        steps.push_back({.argv = systemctl(place, {"disable", "--now", place.timer})});
    // Of a timer: when it elapsed last.
    if (kind != ScheduleKind::user_watch && (is_on(enabled) || !files.empty()))
        steps.push_back(
            {.argv = systemctl(place, {"clean", "--what=state", place.timer}), .may_fail = true});
    if (state_of(found, place.service).active == "failed")
        steps.push_back(
            {.argv = systemctl(place, {"reset-failed", place.service}), .may_fail = true});
    for (const std::string& path : files)
        steps.push_back({.kind = Kind::remove_file, .path = path});
    if (!files.empty()) steps.push_back({.argv = systemctl(place, {"daemon-reload"})});
    return steps;
}

std::vector<std::string> files_of_units(ScheduleKind kind, const std::string& unit_folder,
                                        std::string_view account) {
    const Place place = place_of(kind, unit_folder, account);
    std::vector<std::string> paths{beside(place, place.timer), beside(place, place.service)};
    for (const std::string& name : place.names) paths.push_back(path_of(place, name));
    return paths;
}

}  // namespace reaper::agent
