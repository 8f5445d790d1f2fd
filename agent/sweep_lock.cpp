#include "agent/sweep_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "agent/history_file.hpp"
#include "agent/lock_file.hpp"
#include "agent/name_lock.hpp"
#include "agent/rule_sources.hpp"
#include "policy/escape.hpp"
#include "scanner/claim_files.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

namespace {

constexpr const char* kUsualFolder = ".local/state/orphan-reaper";
constexpr std::chrono::milliseconds kPause{100};

// Pauses to see who has a name: more than a sweep needs between taking it and answering for it.
constexpr int kMostSilent = 10;

bool is_same_file(const Fd& left, const Fd& right) {
    struct stat one{};
    struct stat other{};
    return ::fstat(left.get(), &one) == 0 && ::fstat(right.get(), &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

// A link in it may lead into the home of somebody else, whom that would lock out.
Result<Fd> open_home(scanner::Uid user, const std::string& path) {
    if (!path.starts_with('/')) return failure(std::errc::no_such_file_or_directory, "find", "a home to lock");
    Fd home(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC));
    struct stat status{};
    if (!home || ::fstat(home.get(), &status) != 0) return system_failure("open", path);
    if (status.st_uid != user && status.st_uid != 0) return failure(std::errc::operation_not_permitted, "use", path);
    return home;
}

Result<bool> lock_folder(const Fd& folder) {
    if (::flock(folder.get(), LOCK_EX | LOCK_NB) == 0) return true;
    if (errno == EWOULDBLOCK) return false;
    return system_failure("lock", "a home");
}

// Who is not seen passes for the user's own.
NameHolder find_folder_holder(const Fd& folder, scanner::Uid user) {
    const auto procfs = scanner::Procfs::open();
    const scanner::Pid pid = procfs ? scanner::find_lock_holder(*procfs, folder.get()) : 0;
    const auto row = pid > 0 ? scanner::read_row(*procfs, pid) : tl::unexpected(Error{});
    return {pid, row ? row->uid : user};
}

}  // namespace

struct SweepLocks::Lock {
    const char* what;
    std::function<Result<bool>()> take;                      // false: somebody else has it
    std::function<std::optional<NameHolder>()> find_holder;  // none: nobody, or nobody who takes it as a sweep does
};

LockPlace lock_place(scanner::Uid user) {
    return {recorded_home(user).value_or(std::string()), fmt::format("orphan-reaper/sweep/{}", user)};
}

OpenLocks open_sweep_locks(scanner::Uid user, const LockPlace& place) {
    auto home = open_home(user, place.home);
    auto name = make_name_lock();
    return {home ? std::move(*home) : Fd(), name ? std::move(*name) : Fd()};
}

std::vector<std::string> lock_folders() {
    const auto home = ::geteuid() == 0 ? Result<std::string>(std::string()) : recorded_home(::geteuid());
    std::vector<std::string> folders;
    if (home && home->starts_with('/')) folders.push_back(fmt::format("{}/{}", *home, kUsualFolder));
    folders.push_back(history_folder());
    return folders;
}

std::string SweepLocks::hold(scanner::Uid user, const LockPlace& place) {
    if (held_.contains(user)) return {};
    const auto shared = shared_.extract(user);
    OpenLocks locks = shared ? std::move(shared.mapped()) : OpenLocks();
    const Taken home = take_home(user, place.home, locks.home);
    if (!home) return home.error();
    const Taken name = take_name(user, place.name, locks.name);
    if (!name) return name.error();
    if (!*home && !*name) complaint_ = "another sweep may be at work: " + trouble_;
    held_.insert_or_assign(user, std::move(locks));
    return {};
}

// Whoever deleted a home while another held it has made room for a second lock: this one locks nobody out.
SweepLocks::Taken SweepLocks::take_home(scanner::Uid user, const std::string& path, Fd& home) {
    constexpr int kTries = 10;
    trouble_ = "what was locked is deleted each time";
    for (int tries = 0; tries < kTries; ++tries) {
        auto opened = home ? std::move(home) : open_home(user, path);
        if (!opened) trouble_ = policy::escape(describe(opened.error()), 400);
        if (!opened) return false;
        const auto take = [&] { return holds_the_same(*opened) ? Result<bool>(true) : lock_folder(*opened); };
        const Taken taken = wait_for(user, {"the home", take, [&] { return find_folder_holder(*opened, user); }});
        if (!taken || !*taken) return taken;
        if (is_deleted(*opened)) continue;
        home = std::move(*opened);
        return true;
    }
    return false;
}

SweepLocks::Taken SweepLocks::take_name(scanner::Uid user, const std::string& name, Fd& socket) {
    auto made = socket ? std::move(socket) : make_name_lock();
    if (!made) return false;
    socket = std::move(*made);
    return wait_for(user, {"the name of the lock", [&] { return agent::take_name(socket, name); },
                           [&] { return find_name_holder(name); }});
}

// Several users can have one home, and root one of theirs.
bool SweepLocks::holds_the_same(const Fd& home) const {
    return std::ranges::any_of(
        held_, [&](const auto& held) { return held.second.home && is_same_file(held.second.home, home); });
}

std::string SweepLocks::describe_holder() const {
    return holder_ > 0 ? fmt::format("another sweep is at work (pid {})", holder_) : "another sweep is at work";
}

// Once, however many locks there are to wait for.
void SweepLocks::tell() {
    if (terminal_ < 0) return;
    const std::string text = fmt::format("{}: waiting for it to end\n", describe_holder());
    std::ignore = ::write(terminal_, text.data(), text.size());
    terminal_ = -1;
}

SweepLocks::Taken SweepLocks::wait_for(scanner::Uid user, const Lock& lock) {
    std::optional<NameHolder> holder;
    for (int silent = 0; silent < kMostSilent; silent += holder ? 0 : 1) {
        const auto taken = lock.take();
        if (!taken) trouble_ = describe(taken.error());
        if (!taken || *taken) return taken.has_value();
        const bool over = std::chrono::steady_clock::now() >= last_moment_;
        if (!holder || over) holder = lock.find_holder();
        if (holder && holder->uid != user && holder->uid != 0) {
            trouble_ = fmt::format("pid {} of another user has locked {}", holder->pid, lock.what);
            return false;
        }
        holder_ = holder ? holder->pid : 0;
        if (holder && !over) tell();
        if ((holder && over) || interrupt_.wait(kPause)) return tl::unexpected(describe_holder());
    }
    trouble_ = fmt::format("somebody who is no sweep has locked {}", lock.what);
    return false;
}

}  // namespace reaper::agent
