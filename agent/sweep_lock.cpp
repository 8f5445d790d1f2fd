#include "agent/sweep_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

#include <fmt/format.h>

#include "agent/history_file.hpp"
#include "agent/lock_file.hpp"
#include "agent/rule_sources.hpp"
#include "policy/escape.hpp"
#include "scanner/claim_files.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

namespace {

constexpr const char* kUsualFolder = ".local/state/orphan-reaper";
constexpr const char* kLockFile = "sweep.lock";
constexpr std::chrono::milliseconds kPause{100};

bool is_same_file(const Fd& left, const Fd& right) {
    struct stat one{};
    struct stat other{};
    return ::fstat(left.get(), &one) == 0 && ::fstat(right.get(), &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

// A link in it may lead into the home of somebody else, whom that would lock out.
Result<Fd> open_home(scanner::Uid user, const std::string& home) {
    if (!home.starts_with('/')) return failure(std::errc::no_such_file_or_directory, "find", "a home to lock");
    Fd folder(::open(home.c_str(), O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC));
    struct stat status{};
    if (!folder || ::fstat(folder.get(), &status) != 0) return system_failure("open", home);
    if (status.st_uid != user && status.st_uid != 0) return failure(std::errc::operation_not_permitted, "use", home);
    return folder;
}

// Nobody sweeps from a home that is not there. The user who runs this is doing so.
bool has_nothing_to_lock(scanner::Uid user, const Error& error) {
    return user != ::geteuid() &&
           (error.code == std::errc::no_such_file_or_directory || error.code == std::errc::not_a_directory);
}

}  // namespace

LockPlace lock_place(scanner::Uid user) {
    const std::string home = recorded_home(user).value_or(std::string());
    return {home, user == ::geteuid() ? history_folder() : std::string()};
}

Result<Fd> open_sweep_lock(scanner::Uid user, const LockPlace& place) {
    auto home = open_home(user, place.home);
    return home || place.folder.empty() ? std::move(home) : open_lock_file(place.folder, kLockFile);
}

std::vector<std::string> lock_folders() {
    const auto home = ::geteuid() == 0 ? Result<std::string>(std::string()) : recorded_home(::geteuid());
    std::vector<std::string> folders;
    if (home && home->starts_with('/')) folders.push_back(fmt::format("{}/{}", *home, kUsualFolder));
    folders.push_back(history_folder());
    return folders;
}

std::string SweepLocks::hold(scanner::Uid user, const LockPlace& place) {
    constexpr int kTries = 10;
    for (int tries = 0; tries < kTries && !held_.contains(user); ++tries) {
        auto file = open(user, place);
        if (!file && has_nothing_to_lock(user, file.error())) return {};
        if (!file) return complain(policy::escape(describe(file.error()), 400));
        std::string in_the_way = wait_for(user, std::move(*file));
        if (!drop_deleted(user)) return in_the_way;
    }
    return held_.contains(user) ? std::string() : complain("what was locked is deleted each time");
}

Result<Fd> SweepLocks::open(scanner::Uid user, const LockPlace& place) {
    const auto found = shared_.find(user);
    const bool shared = found != shared_.end() && found->second;
    return shared ? Result<Fd>(std::move(found->second)) : open_sweep_lock(user, place);
}

// Whoever deleted it while another held it has made room for a second lock: this one locks nobody out.
bool SweepLocks::drop_deleted(scanner::Uid user) {
    const auto held = held_.find(user);
    const bool deleted = held != held_.end() && is_deleted(held->second);
    if (deleted) held_.erase(held);
    return deleted;
}

// Several users can have one home, and root one of theirs.
bool SweepLocks::holds_the_same(const Fd& file) const {
    return std::ranges::any_of(held_, [&](const auto& held) { return is_same_file(held.second, file); });
}

std::string SweepLocks::complain(const std::string& why) {
    complaint_ = "another sweep may be at work: " + why;
    return {};
}

void SweepLocks::find_holder(const Fd& file) {
    const auto procfs = scanner::Procfs::open();
    holder_ = procfs ? scanner::find_lock_holder(*procfs, file.get()) : 0;
}

bool SweepLocks::is_stranger(scanner::Uid user) const {
    const auto procfs = scanner::Procfs::open();
    const auto row = procfs && holder_ > 0 ? scanner::read_row(*procfs, holder_) : tl::unexpected(Error{});
    return row && row->uid != user && row->uid != 0;
}

std::string SweepLocks::describe_holder() {
    return holder_ > 0 ? fmt::format("another sweep is at work (pid {})", holder_) : "another sweep is at work";
}

// Once, however many locks there are to wait for.
void SweepLocks::tell() {
    if (terminal_ < 0) return;
    const std::string text = fmt::format("{}: waiting for it to end\n", describe_holder());
    std::ignore = ::write(terminal_, text.data(), text.size());
    terminal_ = -1;
}

std::string SweepLocks::wait_for(scanner::Uid user, Fd file) {
    while (!holds_the_same(file) && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return complain(describe(system_failure("lock", "a home").value()));
        find_holder(file);
        if (is_stranger(user)) return complain(fmt::format("pid {} of another user has locked the home", holder_));
        const bool over = std::chrono::steady_clock::now() >= last_moment_;
        if (!over) tell();
        if (over || interrupt_.wait(kPause)) return describe_holder();
    }
    held_.insert_or_assign(user, std::move(file));
    return {};
}

}  // namespace reaper::agent
