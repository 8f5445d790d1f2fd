#include "agent/sweep_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <tuple>

#include <fmt/format.h>

#include "agent/history_file.hpp"
#include "agent/lock_file.hpp"
#include "agent/rule_sources.hpp"
#include "policy/escape.hpp"
#include "scanner/claim_files.hpp"
#include "scanner/regular_file.hpp"

namespace reaper::agent {

namespace {

constexpr const char* kUsualFolder = ".local/state/orphan-reaper";
constexpr std::chrono::milliseconds kPause{100};

}  // namespace

// Looked at before it is opened, and through no link: the folders belong to somebody else.
Fd open_sweep_lock(scanner::Uid user, const std::string& home) {
    const Fd top(::open(home.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!top) return {};
    const auto found = scanner::find_below(top.get(), fmt::format("{}/{}", kUsualFolder, kSweepLock).c_str());
    if (!found || !belongs_to(found->status, user)) return {};
    return Fd(::open(fmt::format("/proc/self/fd/{}", found->path.get()).c_str(), O_RDWR | O_CLOEXEC));
}

std::vector<std::string> lock_folders() {
    const auto home = ::geteuid() == 0 ? Result<std::string>(std::string()) : recorded_home(::geteuid());
    std::vector<std::string> folders;
    if (home && home->starts_with('/')) folders.push_back(fmt::format("{}/{}", *home, kUsualFolder));
    folders.push_back(history_folder());
    return folders;
}

std::string SweepLocks::hold_own(const std::vector<std::string>& folders) {
    const scanner::Uid user = ::geteuid();
    if (held_.contains(user)) return {};
    for (const std::string& folder : folders) {
        for (;;) {
            Fd shared = take_shared(user);
            auto file = shared ? Result<Fd>(std::move(shared)) : open_lock_file(folder, kSweepLock);
            std::string in_the_way = file ? hold(user, std::move(*file)) : cannot(file.error());
            if (!file) break;
            complaint_ = held_.contains(user) ? std::string() : complaint_;
            if (!drop_deleted(user)) return in_the_way;
        }
    }
    return {};
}

Fd SweepLocks::take_shared(scanner::Uid user) {
    const auto found = shared_.find(user);
    return found == shared_.end() ? Fd() : std::move(found->second);
}

// Whoever deleted it while another held it has made room for a second lock: this one locks nobody out.
bool SweepLocks::drop_deleted(scanner::Uid user) {
    const auto held = held_.find(user);
    const bool deleted = held != held_.end() && is_deleted(held->second);
    if (deleted) held_.erase(held);
    return deleted;
}

std::string SweepLocks::cannot(const Error& error) {
    complaint_ = fmt::format("another sweep may be at work: {}", policy::escape(describe(error), 400));
    return {};
}

std::string SweepLocks::hold_of(scanner::Uid user, const std::string& home) {
    if (held_.contains(user)) return {};
    Fd file = take_shared(user);
    if (!file) file = open_sweep_lock(user, home);
    return file ? hold(user, std::move(file)) : std::string();
}

// Once, however many locks there are to wait for.
void SweepLocks::tell(const Fd& file) {
    if (terminal_ < 0) return;
    const std::string text = fmt::format("{}: waiting for it to end\n", describe_holder(file));
    std::ignore = ::write(terminal_, text.data(), text.size());
    terminal_ = -1;
}

std::string SweepLocks::describe_holder(const Fd& file) {
    const auto procfs = scanner::Procfs::open();
    holder_ = procfs ? scanner::find_lock_holder(*procfs, file.get()) : 0;
    return holder_ > 0 ? fmt::format("another sweep is at work (pid {})", holder_) : "another sweep is at work";
}

std::string SweepLocks::hold(scanner::Uid user, Fd file) {
    while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return cannot(system_failure("lock", kSweepLock).value());
        const bool over = std::chrono::steady_clock::now() >= last_moment_;
        if (!over) tell(file);
        if (over || interrupt_.wait(kPause)) return describe_holder(file);
    }
    held_.insert_or_assign(user, std::move(file));
    return {};
}

}  // namespace reaper::agent
