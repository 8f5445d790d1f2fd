#include "agent/schedule/manager.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>

#include <fmt/format.h>

#include "agent/reaping/command.hpp"
#include "agent/schedule/names.hpp"
#include "agent/schedule/plan.hpp"
#include "agent/schedule/program.hpp"
#include "agent/schedule/situation_parts.hpp"
#include "agent/schedule/unit_state.hpp"
#include "agent/system/environment.hpp"
#include "agent/system/text_file.hpp"

namespace reaper::agent {

namespace {

constexpr std::chrono::milliseconds kAnswerTime{5000};

bool has_bus(bool of_system) {
    if (of_system) return exists("/run/dbus/system_bus_socket");
    return !variable("DBUS_SESSION_BUS_ADDRESS").empty() || exists(runtime_folder() + "/bus");
}

std::string unit_folder_in(const std::string& home) {
    const std::string said = variable("XDG_CONFIG_HOME");
    return fmt::format("{}/systemd/user", said.starts_with('/') ? said : home + "/.config");
}

bool runs_this(const UnitState& unit, const std::string& program) {
    const std::string first = unit.command.substr(0, unit.command.find(' '));
    return !first.empty() && resolved(first) == program;
}

double seconds_since_boot() {
    struct timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Puts a time since the boot into that of the clock on the wall.
void settle_next(UnitState& unit) {
    if (!unit.next && unit.next_after && *unit.next_after > 0)
        unit.next = static_cast<double>(::time(nullptr)) + *unit.next_after - seconds_since_boot();
}

// Returns why they are not known; empty: they are.
std::string ask_manager(Situation& found, std::string_view manager,
                        const std::vector<std::string>& units) {
    CommandCall call{{"systemctl", std::string(manager), "--no-pager", "--no-ask-password", "show",
                      fmt::format("--property={}", kUnitProperties)}};
    std::ranges::copy(units, std::back_inserter(call.argv));
    call.environment = manager_environment();
    call.limit = kAnswerTime;
    const auto answer = ask(call);
    if (!answer) return describe(answer.error());
    if (answer->status != 0) return fmt::format("systemctl {}: {}", manager, complaint(*answer));
    for (UnitState& unit : units_of(answer->out)) {
        unit.runs_this = runs_this(unit, found.program);
        settle_next(unit);
        found.units[unit.name] = std::move(unit);
    }
    return {};
}

// The links that systemctl makes: where no manager runs, it does not take them back.
std::string find_unmanaged(const Situation& found) {
    for (const char* name : {"timers.target.wants/orphan-reaper.timer",
                             "default.target.wants/orphan-reaper-watch.service"}) {
        const std::string path = fmt::format("{}/{}", found.unit_folder, name);
        struct stat status{};
        if (::lstat(path.c_str(), &status) == 0)
            return fmt::format(
                "{} is there, but no systemd manager of {} runs: log in as {}, and "
                "try again",
                path, found.account, found.account);
    }
    return {};
}

void ask_managers(Situation& found) {
    if (found.system_manager) {
        constexpr auto kTimer = ScheduleKind::system_timer;
        found.system_trouble =
            ask_manager(found, "--system",
                        {enabled_unit(kTimer, found.account), service_unit(kTimer, found.account)});
    }
    if (found.of_system) return;
    if (!may_have_user_manager()) {
        found.user_trouble = find_unmanaged(found);
        return;
    }
    found.user_trouble = ask_manager(
        found, "--user",
        {"orphan-reaper.timer", "orphan-reaper.service", "orphan-reaper-watch.service"});
    found.user_manager = found.user_trouble.empty();
}

bool has_other_instances(std::string_view account) {
    const std::string own = fmt::format("orphan-reaper@{}.timer", account);
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(
             fmt::format("{}/timers.target.wants", kSystemUnits), error)) {
        const std::string name = entry.path().filename();
        if (name.starts_with("orphan-reaper@") && name != own) return true;
    }
    return false;
}

}  // namespace

// Not that of another user, as su(1) leaves it.
std::string runtime_folder() {
    const std::string said = variable("XDG_RUNTIME_DIR");
    struct stat status{};
    const bool own =
        said.starts_with('/') && ::stat(said.c_str(), &status) == 0 && status.st_uid == ::geteuid();
    return own ? said : fmt::format("/run/user/{}", ::geteuid());
}

std::vector<std::string> manager_environment() {
    const std::string folder = runtime_folder();
    std::vector<std::string> environment{"XDG_RUNTIME_DIR=" + folder, "SYSTEMD_PAGER="};
    if (variable("DBUS_SESSION_BUS_ADDRESS").empty() && exists(folder + "/bus"))
        environment.push_back(fmt::format("DBUS_SESSION_BUS_ADDRESS=unix:path={}/bus", folder));
    return environment;
}

bool may_have_user_manager() {
    const std::string folder = runtime_folder();
    return exists(folder + "/systemd/private");
}

bool is_cron_running() {
    constexpr std::array<std::string_view, 4> kNames = {"cron\n", "crond\n", "fcron\n", "dcron\n"};
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename();
        if (name.front() < '0' || name.front() > '9') continue;
        const auto comm = read_file_up_to(entry.path().string() + "/comm", 64);
        if (comm && std::ranges::find(kNames, *comm) != kNames.end()) return true;
    }
    return false;
}

tl::expected<Situation, Message> find_situation(const ScheduleWish& wish) {
    auto begun = begin_situation(wish);
    if (!begun) return begun;
    Situation& found = *begun;
    found.unit_folder = unit_folder_in(found.home);
    found.system_manager = exists("/run/systemd/system");
    found.can_confine = has_bus(wish.system);
    if (auto answered = expect_folder(found, found.unit_folder); !answered)
        return tl::unexpected(answered.error());
    found.refusal = refuse_path(found.program);
    // The template is for every user.
    const bool shared = wish.system && !wish.cron && found.system_manager;
    if (found.refusal.empty()) found.refusal = refuse_place(found.program, shared ? 0 : found.uid);
    ask_managers(found);
    read_files(found, files_of_plans(found.unit_folder, found.account, found.of_system));
    if (!wish.system) read_crontab(found);
    find_bad_programs(found);
    found.other_instances = has_other_instances(found.account);
    found.lingers = exists("/var/lib/systemd/linger/" + found.account);
    found.cron_runs = is_cron_running();
    return begun;
}

const char* folder_of_turns() {
    return "/run";
}

}  // namespace reaper::agent
