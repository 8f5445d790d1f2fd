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

// Whoever took it may be gone, and copies of it still have it.
LockHolder find_folder_holder(const Fd& folder) {
    const auto procfs = scanner::Procfs::open();
    if (!procfs) return {};
    for (const auto find : {scanner::find_lock_holder, scanner::find_lock_heir}) {
        const scanner::Pid pid = find(*procfs, folder.get());
        const auto uid = pid > 0 ? scanner::read_real_uid(*procfs, pid) : tl::unexpected(Error{});
        if (uid) return {pid, *uid};
    }
    return {};
}

// No sweep of that user's processes.
bool is_stranger(const LockHolder& holder, scanner::Uid user) {
    return holder.uid && *holder.uid != user && *holder.uid != 0;
}

}  // namespace

struct SweepLocks::Lock {
    const char* what;
    bool untold_waits;                                       // for a holder who is not known, as for a sweep
    std::function<Result<bool>()> take;                      // false: somebody else has it
    std::function<std::optional<LockHolder>()> find_holder;  // none: nobody any more
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
    std::string in_the_way = take(user, place);
    refused_ = refused_ || !in_the_way.empty();
    return in_the_way;
}

std::string SweepLocks::take(scanner::Uid user, const LockPlace& place) {
    const auto shared = shared_.extract(user);
    OpenLocks locks = shared ? std::move(shared.mapped()) : OpenLocks();
    const Taken home = take_home(user, place.home, locks.home);
    if (!home) return home.error();
    const Taken name = take_name(user, place.name, locks.name);
    if (!name) return name.error();
    const bool named = *name == Take::held;
    if (*home == Take::untold && *name == Take::untold)
        return describe_holder();  // nothing tells whether that is a sweep
    if (*home != Take::held && !named) complaint_ = "another sweep may be at work: " + trouble_;
    held_.insert_or_assign(user, std::move(locks));
    return {};
}

// Whoever deleted a home while another held it has made room for a second lock: this one locks nobody out.
SweepLocks::Taken SweepLocks::take_home(scanner::Uid user, const std::string& path, Fd& home) {
    constexpr int kTries = 10;
    trouble_ = "what was locked is deleted each time";
    for (int tries = 0; tries < kTries; ++tries) {
        if (!home) {
            auto opened = open_home(user, path);
            if (!opened) trouble_ = policy::escape(describe(opened.error()), 400);
            if (!opened) return Take::not_to_be_had;
            home = std::move(*opened);
        }
        const auto take = [&] { return holds_the_same(home) ? Result<bool>(true) : lock_folder(home); };
        Taken taken = wait_for(user, {"the home", false, take, [&] { return find_folder_holder(home); }});
        const bool held = taken && *taken == Take::held;
        if (held && !is_deleted(home)) return taken;
        home.reset();
        if (!held) return taken;
    }
    return Take::not_to_be_had;
}

SweepLocks::Taken SweepLocks::take_name(scanner::Uid user, const std::string& name, Fd& socket) {
    auto made = socket ? std::move(socket) : make_name_lock();
    if (!made) return Take::untold;
    socket = std::move(*made);
    return wait_for(user, {"the name of the lock", true, [&] { return agent::take_name(socket, name); },
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
    std::optional<LockHolder> holder;
    for (;;) {
        const auto taken = lock.take();
        if (!taken) trouble_ = describe(taken.error());
        if (!taken) return Take::not_to_be_had;
        if (*taken) return Take::held;
        const bool over = std::chrono::steady_clock::now() >= last_moment_;
        if (!holder || over) holder = lock.find_holder();
        holder_ = holder ? holder->pid : 0;
        if (holder && is_stranger(*holder, user)) {
            trouble_ = fmt::format("{} of another user has locked {}",
                                   holder_ > 0 ? fmt::format("pid {}", holder_) : "somebody", lock.what);
            return Take::not_to_be_had;
        }
        if (holder && !holder->uid && !lock.untold_waits) return Take::untold;
        if (holder && !over) tell();
        if (over || interrupt_.wait(kPause)) return tl::unexpected(describe_holder());
    }
}

}  // namespace reaper::agent
