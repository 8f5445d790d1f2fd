#include "agent/sweep/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

#include <fmt/format.h>

#include "agent/history/file.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "agent/rules/sources.hpp"
#include "agent/system/lock_file.hpp"
#include "policy/text/escape.hpp"
#include "scanner/access_guard.hpp"
#include "scanner/claim_files.hpp"
#include "scanner/process_table.hpp"
#include "scanner/regular_file.hpp"

namespace reaper::agent {

namespace {

constexpr const char* kUsualFolder = ".local/state/orphan-reaper";
constexpr std::chrono::milliseconds kPause{100};

bool is_same_file(const Fd& left, const Fd& right) {
    const auto one = scanner::stat_cached(left.get());
    const auto other = scanner::stat_cached(right.get());
    return one && other && one->device == other->device && one->inode == other->inode;
}

// A link in the path may lead into another user's home, which that would lock.
Result<Fd> open_home_in_place(scanner::Uid user, const std::string& path) {
    if (!scanner::may_read(user, path)) return unanswered(path);
    Fd home(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC));
    struct stat status{};
    if (!home || ::fstat(home.get(), &status) != 0) return system_failure("open", path);
    if (status.st_uid != user && status.st_uid != 0)
        return failure(std::errc::operation_not_permitted, "use", path);
    return home;
}

struct Holder {
    scanner::Pid pid = 0;  // 0: not known
    scanner::Uid uid = 0;
};

// The process that took the lock may be gone while its copies still have it.
Holder find_holder_once(const scanner::ProcessTable& table, const Fd& home) {
    for (const auto find : {scanner::find_lock_holder, scanner::find_inherited_lock_holder}) {
        const scanner::Pid pid = find(table, home.get());
        const auto uid = pid > 0 ? scanner::read_real_uid(table, pid) : tl::unexpected(Error{});
        if (uid) return {pid, *uid};
    }
    return {};
}

// The kernel writes its list of locks in pieces, and one that is freed meanwhile makes it skip
// another.
Holder find_holder(const Fd& home) {
    constexpr int kTries = 3;
    const auto table = scanner::ProcessTable::open();
    Holder holder;
    for (int tries = 0; table && holder.pid == 0 && tries < kTries; ++tries)
        holder = find_holder_once(*table, home);
    return holder;
}

}  // namespace

std::string home_to_lock(scanner::Uid user) {
    return recorded_home(user).value_or(std::string());
}

// Bounded: the user may have mounted a file system there that hangs.
Result<Fd> open_home_to_lock(scanner::Uid user, const std::string& home) {
    if (!home.starts_with('/'))
        return failure(std::errc::no_such_file_or_directory, "find", "a home to lock");
    return open_bounded([&] { return open_home_in_place(user, home); });
}

std::vector<std::string> lock_folders() {
    const auto home =
        ::geteuid() == 0 ? Result<std::string>(std::string()) : recorded_home(::geteuid());
    std::vector<std::string> folders;
    if (home && home->starts_with('/'))
        folders.push_back(fmt::format("{}/{}", *home, kUsualFolder));
    folders.push_back(history_folder());
    return folders;
}

std::string SweepLocks::hold(scanner::Uid user, const std::string& home) {
    if (held_.contains(user)) return {};
    const auto shared = shared_.extract(user);
    Fd folder = shared ? std::move(shared.mapped()) : Fd();
    if (take(user, home, folder) == Take::refused) {
        refused_ = true;
        return describe_holder();
    }
    held_.insert_or_assign(user, std::move(folder));
    return {};
}

// Closes `home` unless it is held. A home that was deleted while another process held it locks
// nothing any more: there can be a new one in its place.
SweepLocks::Take SweepLocks::take(scanner::Uid user, const std::string& path, Fd& home) {
    constexpr int kTries = 10;
    for (int tries = 0; tries < kTries; ++tries) {
        if (!home) {
            auto opened = open_home_to_lock(user, path);
            if (!opened) return not_to_be_had(policy::escape(describe(opened.error()), 400));
            home = std::move(*opened);
        }
        const Take taken = wait_for(user, home);
        const bool held = taken == Take::held;
        if (held && !is_deleted(home)) return taken;
        home.reset();
        if (!held) return taken;
    }
    return not_to_be_had("what was locked is deleted each time");
}

SweepLocks::Take SweepLocks::not_to_be_had(const std::string& why) {
    complaint_ = "another sweep may be at work: " + why;
    return Take::not_to_be_had;
}

// Several users can have one home, and root one of theirs.
bool SweepLocks::holds_the_same(const Fd& home) const {
    return std::ranges::any_of(
        held_, [&](const auto& held) { return held.second && is_same_file(held.second, home); });
}

std::string SweepLocks::describe_holder() const {
    return holder_ > 0 ? fmt::format("another sweep is at work (pid {})", holder_)
                       : "another sweep is at work";
}

// Once, however many locks there are to wait for.
void SweepLocks::say_that_it_waits() {
    if (terminal_ < 0) return;
    const std::string text = fmt::format("{}: waiting for it to end\n", describe_holder());
    std::ignore = ::write(terminal_, text.data(), text.size());
    terminal_ = -1;
}

SweepLocks::Take SweepLocks::wait_for(scanner::Uid user, const Fd& home) {
    if (holds_the_same(home)) return Take::held;
    for (bool first = true;; first = false) {
        if (::flock(home.get(), LOCK_EX | LOCK_NB) == 0) return Take::held;
        if (errno != EWOULDBLOCK)
            return not_to_be_had(describe(system_failure("lock", "a home").value()));
        const bool over = std::chrono::steady_clock::now() >= last_moment_;
        if (first || over) {
            const Holder holder = find_holder(home);
            holder_ = holder.pid;
            if (holder.pid > 0 && holder.uid != user && holder.uid != 0)
                return not_to_be_had(
                    fmt::format("pid {} of another user has locked the home", holder.pid));
        }
        if (!over) say_that_it_waits();
        if (over || interrupt_.wait(kPause)) return Take::refused;
    }
}

}  // namespace reaper::agent
