#include "agent/doctor/schedule_state.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>

#include <fmt/format.h>

#include "agent/reaping/command.hpp"
#include "agent/schedule/manager.hpp"
#include "scanner/access_guard.hpp"
#include "scanner/regular_file.hpp"

namespace reaper::agent {

namespace {

constexpr std::chrono::milliseconds kAnswerTime{2000};
constexpr std::size_t kMostText = std::size_t{256} * 1024;
constexpr const char* kCrontab = "/usr/bin/crontab";
constexpr const char* kSystemctl = "/usr/bin/systemctl";

bool exists(const std::string& path) {
    struct stat status{};
    return scanner::may_read(::geteuid(), path) && ::stat(path.c_str(), &status) == 0;
}

// None: there is no such file, or it may not be read.
std::optional<std::string> text_of(const std::string& path) {
    if (!scanner::may_read(::geteuid(), path)) return std::nullopt;
    const auto file = scanner::find_through_links(AT_FDCWD, path.c_str());
    auto text = file ? scanner::read_found(*file, kMostText) : tl::unexpected(file.error());
    return text ? std::optional(*std::move(text)) : std::nullopt;
}

bool has_user_manager(scanner::Uid uid) {
    return exists(fmt::format("/run/user/{}/systemd/private", uid));
}

// Root asks it by a socket of its own, other users by the bus.
bool has_system_manager() {
    const char* socket = ::geteuid() == 0 ? "/run/systemd/private" : "/run/dbus/system_bus_socket";
    return exists("/run/systemd/system") && exists(kSystemctl) && exists(socket);
}

void add_lines(std::vector<CronLine>& lines, const std::string& path, bool has_users,
               const ScheduleOf& whose) {
    const auto text = text_of(path);
    if (!text) return;
    const std::string user = whose.every ? "" : whose.user;
    std::ranges::move(parse_crontab(*text, path, has_users, user), std::back_inserter(lines));
}

// Debian's folder, then the one of others. False: neither may be read.
bool add_spool(std::vector<CronLine>& lines, const ScheduleOf& whose) {
    constexpr std::array kFolders = {"/var/spool/cron/crontabs", "/var/spool/cron"};
    if (::geteuid() != 0 || whose.user.empty()) return false;
    for (const char* folder : kFolders) {
        if (!exists(folder)) continue;
        add_lines(lines, fmt::format("{}/{}", folder, whose.user), false, whose);
        return true;
    }
    return false;
}

std::uint64_t monotonic_microseconds() {
    timespec now{};
    if (::clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;  // cannot fail
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
           static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}

// `of_user`: the manager of this user, of which the place of its socket is known.
ManagerAnswer ask_manager(bool of_user, const std::vector<std::string>& units,
                          std::vector<ScheduledUnit>& answers) {
    // Also what is inactive, as the service of a timer is, where a pattern says which.
    std::vector<std::string> argv = {kSystemctl, "show", "--all"};
    if (of_user) argv.emplace_back("--user");
    argv.emplace_back(
        "--property=Id,LoadState,ActiveState,Result,Unit,ExecStart,ExecMainStatus,"
        "ExecMainExitTimestampMonotonic");
    argv.insert(argv.end(), units.begin(), units.end());
    std::vector<std::string> environment;
    if (of_user) environment.push_back(fmt::format("XDG_RUNTIME_DIR=/run/user/{}", ::geteuid()));
    const auto said =
        ask({.argv = std::move(argv), .environment = std::move(environment), .limit = kAnswerTime});
    if (!said || said->status != 0) return ManagerAnswer::silent;
    std::ranges::move(parse_units(said->out, of_user, monotonic_microseconds()),
                      std::back_inserter(answers));
    return ManagerAnswer::answered;
}

std::vector<std::string> units_for(const ScheduleOf& whose) {
    const std::string instance = whose.every ? "*" : whose.user;
    return {fmt::format("orphan-reaper@{}.timer", instance),
            fmt::format("orphan-reaper@{}.service", instance)};
}

// It prints the lines of the user that runs it, and ends with 1 where there are none.
void ask_crontab(ScheduleState& state, const ScheduleOf& whose) {
    const auto said = ask({.argv = {kCrontab, "-l"}, .limit = kAnswerTime});
    state.crontab_unknown = !said || said->status > 1;
    if (!said || said->status != 0) return;
    const std::string name = fmt::format("crontab of {}", whose.user);
    std::ranges::move(parse_crontab(said->out, name, false, ""), std::back_inserter(state.cron));
}

}  // namespace

ScheduleFiles read_schedule_files(const ScheduleOf& whose) {
    ScheduleFiles files;
    files.systemd_runs = exists("/run/systemd/system");
    // systemctl refuses to ask the manager of another user, also for root (bus_check_peercred).
    const bool is_own = whose.uid == ::geteuid();
    const bool has_manager = has_user_manager(whose.uid);
    files.has_user_manager = has_manager && is_own && exists(kSystemctl);
    files.has_other_user_manager = has_manager && !files.has_user_manager;
    files.has_system_manager = has_system_manager();
    files.has_crontab = exists(kCrontab);
    add_lines(files.cron, "/etc/cron.d/orphan-reaper", true, whose);
    add_lines(files.cron, "/etc/crontab", true, whose);
    files.crontab_is_read = add_spool(files.cron, whose);
    files.cron_runs = is_cron_running();
    files.lingers = !whose.user.empty() && exists("/var/lib/systemd/linger/" + whose.user);
    return files;
}

ScheduleState ask_schedule(const ScheduleFiles& files, const ScheduleOf& whose) {
    ScheduleState state;
    state.cron = files.cron;
    state.cron_runs = files.cron_runs;
    state.has_crontab = files.has_crontab;
    if (files.has_user_manager) {
        state.user_manager = ask_manager(
            true, {"orphan-reaper.timer", "orphan-reaper.service", "orphan-reaper-watch.service"},
            state.units);
        state.lingers = files.lingers;
    }
    if (files.has_other_user_manager) state.user_manager = ManagerAnswer::not_asked;
    if (files.systemd_runs) state.system_manager = ManagerAnswer::not_asked;
    if (files.has_system_manager && !whose.user.empty())
        state.system_manager = ask_manager(false, units_for(whose), state.units);
    const bool is_own = whose.uid == ::geteuid();
    if (is_own && files.has_crontab && !files.crontab_is_read) ask_crontab(state, whose);
    state.crontab_unknown = state.crontab_unknown || (!is_own && !files.crontab_is_read);
    find_gone_programs(state.cron);
    return state;
}

}  // namespace reaper::agent
