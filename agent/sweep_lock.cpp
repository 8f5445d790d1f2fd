#include "agent/sweep_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <tuple>

#include <fmt/format.h>

#include "policy/escape.hpp"
#include "scanner/number.hpp"
#include "scanner/regular_file.hpp"

namespace reaper::agent {

namespace {

constexpr const char* kName = "sweep.lock";
constexpr const char* kUsualFolder = ".local/state/orphan-reaper";
constexpr std::chrono::milliseconds kPause{100};

// Nobody else can have put it there.
bool belongs_to(const struct stat& status, scanner::Uid user) {
    return S_ISREG(status.st_mode) && status.st_uid == user && status.st_nlink == 1;
}

Result<Fd> open_own(const std::string& folder) {
    if (folder.empty()) return failure(std::errc::no_such_file_or_directory, "find", "a folder for the lock");
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return tl::unexpected(Error{error, "create", folder});
    const std::string path = fmt::format("{}/{}", folder, kName);
    Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    struct stat status{};
    if (!file || ::fstat(file.get(), &status) != 0) return system_failure("open", path);
    if (!belongs_to(status, ::geteuid())) return failure(std::errc::operation_not_permitted, "use", path);
    return file;
}

// Looked at before it is opened, and through no link: the folders belong to somebody else.
Fd open_of(scanner::Uid user, const std::string& home) {
    const Fd top(::open(home.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!top) return {};
    const auto found = scanner::find_below(top.get(), fmt::format("{}/{}", kUsualFolder, kName).c_str());
    if (!found || !belongs_to(found->status, user)) return {};
    return Fd(::open(fmt::format("/proc/self/fd/{}", found->path.get()).c_str(), O_RDWR | O_CLOEXEC));
}

// For whoever finds the lock held. The lock itself is flock(2)'s, which the kernel takes back however its holder ends.
void sign(const Fd& file) {
    const std::string text = fmt::format("{}\n", ::getpid());
    if (::ftruncate(file.get(), 0) == 0) std::ignore = ::pwrite(file.get(), text.data(), text.size(), 0);
}

std::string holder_of(const Fd& file) {
    std::array<char, 32> text{};
    const ssize_t size = ::pread(file.get(), text.data(), text.size(), 0);
    const std::string_view read(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    const auto pid = scanner::to_number<scanner::Pid>(read.substr(0, read.find('\n')));
    return pid ? fmt::format("another sweep is at work (pid {})", *pid) : "another sweep is at work";
}

}  // namespace

std::string SweepLocks::hold_own(const std::string& folder) {
    if (held_.contains(::geteuid())) return {};
    auto file = open_own(folder);
    return file ? hold(::geteuid(), std::move(*file)) : cannot(file.error());
}

std::string SweepLocks::cannot(const Error& error) {
    complaint_ = fmt::format("another sweep may be at work: {}", policy::escape(describe(error), 400));
    return {};
}

std::string SweepLocks::hold_of(scanner::Uid user, const std::string& home) {
    if (held_.contains(user)) return {};
    Fd file = open_of(user, home);
    return file ? hold(user, std::move(file)) : std::string();
}

// Once, however many locks there are to wait for.
void SweepLocks::tell(const Fd& file) {
    if (terminal_ < 0) return;
    const std::string text = fmt::format("{}: waiting for it to end\n", holder_of(file));
    std::ignore = ::write(terminal_, text.data(), text.size());
    terminal_ = -1;
}

std::string SweepLocks::hold(scanner::Uid user, Fd file) {
    while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return cannot(system_failure("lock", kName).value());
        const bool over = std::chrono::steady_clock::now() >= last_moment_;
        if (!over) tell(file);
        if (over || interrupt_.wait(kPause)) return holder_of(file);
    }
    sign(file);
    held_.insert_or_assign(user, std::move(file));
    return {};
}

}  // namespace reaper::agent
