#include "agent/schedule/manager.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <ctime>
#include <filesystem>

#include <fmt/format.h>

#include "agent/reading/bounded_reader.hpp"
#include "agent/reaping/command.hpp"
#include "agent/schedule/names.hpp"
#include "agent/schedule/plan.hpp"
#include "agent/schedule/program.hpp"
#include "agent/schedule/unit_state.hpp"
#include "agent/schedule/view.hpp"
#include "agent/system/environment.hpp"
#include "agent/system/exit_status.hpp"
#include "agent/system/system_calls.hpp"
#include "agent/system/text_file.hpp"
#include "policy/text/escape.hpp"
#include "scanner/users.hpp"

namespace reaper::agent {

namespace {

constexpr std::chrono::milliseconds kAnswerTime{5000};
constexpr std::size_t kMostOfFile = std::size_t{256} * 1024;

bool exists(const std::string& path) {
    return ::access(path.c_str(), F_OK) == 0;
}

std::string resolved(const std::string& path) {
    char whole[PATH_MAX];
    return ::realpath(path.c_str(), whole) == nullptr ? path : std::string(whole);
}

bool has_bus(bool of_system) {
    if (of_system) return exists("/run/dbus/system_bus_socket");
    return !variable("DBUS_SESSION_BUS_ADDRESS").empty() || exists(runtime_folder() + "/bus");
}

using Account = tl::expected<scanner::User, Message>;

Account account_of(const Result<std::optional<scanner::User>>& found, std::string_view who) {
    if (!found || !*found)
        return tl::unexpected(
            usage_error(fmt::format("schedule: there is no user {}", policy::escape(who))));
    return **found;
}

// With --system that of --user, else the one that called sudo.
Account find_account(const ScheduleWish& wish) {
    const std::string name = wish.user.empty() ? variable("SUDO_USER") : wish.user;
    if (wish.system && name.empty())
        return tl::unexpected(usage_error("schedule --system: say whose processes: --user NAME"));
    if (wish.system) return account_of(scanner::find_user(name), name);
    auto own = account_of(scanner::find_user(::geteuid()), fmt::format("id {}", ::geteuid()));
    const std::string home = variable("HOME");
    // That of root may be the one of the user that called sudo.
    if (own && own->uid != 0 && home.starts_with('/')) own->home = home;
    return own;
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

// A link or a folder is a file of another maker.
void read_files(Situation& found) {
    for (const std::string& path :
         files_of_plans(found.unit_folder, found.account, found.of_system)) {
        struct stat status{};
        if (::lstat(path.c_str(), &status) != 0) continue;
        found.files[path] = S_ISREG(status.st_mode)
                                ? read_file_up_to(path, kMostOfFile).value_or("cannot be read")
                                : "no regular file";
    }
}

void read_crontab(Situation& found) {
    const auto answer = ask({{"crontab", "-l"}});
    if (!answer) found.cron_trouble = describe(answer.error());
    if (!answer || answer->status == 127) return;
    if (answer->status == 0) {
        found.crontab = answer->out;
    } else if (answer->err.find("no crontab") != std::string::npos) {
        found.crontab = "";
    } else {
        found.cron_trouble = fmt::format("crontab -l: {}", complaint(*answer));
    }
}

void find_bad_programs(Situation& found) {
    for (const ScheduleEntry& entry : entries_of(found)) {
        const std::string program = entry.command.substr(0, entry.command.find(' '));
        if (::access(program.c_str(), X_OK) != 0) {
            found.missing_programs.insert(program);
            continue;
        }
        const scanner::Uid owner = entry.kind == ScheduleKind::system_timer ? 0 : found.uid;
        if (std::string why = refuse_place(resolved(program), owner); !why.empty())
            found.unsafe_programs[program] = std::move(why);
    }
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
    const auto account = find_account(wish);
    if (!account) return tl::unexpected(account.error());
    Situation found;
    found.program = own_program_path();
    found.account = account->name;
    found.uid = account->uid;
    found.group = account->group;
    found.home = account->home;
    found.unit_folder = unit_folder_in(account->home);
    found.is_root = ::geteuid() == 0;
    found.system_manager = exists("/run/systemd/system");
    found.can_confine = has_bus(wish.system);
    found.of_system = wish.system;
    const auto home = wish.system ? Result<void>{} : expect_answer(found.unit_folder);
    if (!home)
        return tl::unexpected(Message{fmt::format("orphan-reaper: {}\n", describe(home.error())),
                                      static_cast<int>(ExitStatus::incomplete)});
    found.refusal = refuse_path(found.program);
    // The template is for every user.
    const bool shared = wish.system && !wish.cron && found.system_manager;
    if (found.refusal.empty()) found.refusal = refuse_place(found.program, shared ? 0 : found.uid);
    ask_managers(found);
    read_files(found);
    if (!wish.system) read_crontab(found);
    find_bad_programs(found);
    found.other_instances = has_other_instances(found.account);
    found.lingers = exists("/var/lib/systemd/linger/" + found.account);
    found.cron_runs = is_cron_running();
    return found;
}

}  // namespace reaper::agent
