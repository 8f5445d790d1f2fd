#include "agent/history/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <tuple>

#include <fmt/format.h>

#include "agent/history/summary_lines.hpp"
#include "agent/system/lock_file.hpp"
#include "agent/system/system_calls.hpp"
#include "agent/system/text_file.hpp"

namespace reaper::agent {

namespace {

// A process holds the lock for one write(2). One that is stopped in there must not stop a sweep:
// after some tries it goes on without the lock.
bool lock_soon(int file) {
    constexpr int kTries = 100;
    for (int tries = 0; tries < kTries; ++tries) {
        if (::flock(file, LOCK_EX | LOCK_NB) == 0) return true;
        if (errno != EWOULDBLOCK && errno != EINTR) return false;  // this file system has no locks
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
}

// The last writer was killed, or the disk was full.
bool ends_within_a_line(int file) {
    struct stat status{};
    char last = '\n';
    return ::fstat(file, &status) == 0 && status.st_size > 0 &&
           ::pread(file, &last, 1, status.st_size - 1) == 1 && last != '\n';
}

// Also the name of a new file has to outlive a power failure.
void sync_folder(const std::string& folder) {
    const Fd directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory) std::ignore = ::fsync(directory.get());
}

Result<void> make_folder(const std::string& folder) {
    if (folder.empty())
        return failure(std::errc::no_such_file_or_directory, "find",
                       "a folder for the history (neither HOME nor XDG_STATE_HOME is a full path)");
    const auto made = make_state_folder(folder);
    if (made && *made) sync_folder(folder + "/..");
    return made.map([](bool) {});
}

}  // namespace

std::string history_folder() {
    if (::geteuid() == 0) return "/var/lib/orphan-reaper";
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state != nullptr && *state == '/') return std::string(state) + "/orphan-reaper";
    const char* home = std::getenv("HOME");
    if (home == nullptr || *home != '/') return {};
    return std::string(home) + "/.local/state/orphan-reaper";
}

Result<HistoryFile> HistoryFile::open(const std::string& folder, const HistoryKind& kind) {
    if (auto made = make_folder(folder); !made) return tl::unexpected(made.error());
    HistoryFile history(folder, kind);
    if (auto opened = history.reopen(); !opened) return tl::unexpected(opened.error());
    return history;
}

std::string HistoryFile::path() const {
    return folder_ + "/" + std::string(kind_.name);
}

Result<void> HistoryFile::reopen() {
    locked_ = false;
    file_ = Fd(::open(path().c_str(),
                      O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    struct stat status{};
    if (!file_ || ::fstat(file_.get(), &status) != 0) return system_failure("open", path());
    // No name at all: two new files were moved into its place, one after the other.
    const bool ours =
        S_ISREG(status.st_mode) && status.st_uid == ::geteuid() && status.st_nlink <= 1;
    if (!ours) return failure(std::errc::operation_not_permitted, "use", path());
    if ((status.st_mode & 0077) != 0) std::ignore = ::fchmod(file_.get(), 0600);
    if (status.st_size == 0) sync_folder(folder_);
    return {};
}

// Another program may have moved it away, or deleted it.
bool HistoryFile::is_current() const {
    struct stat ours{};
    struct stat there{};
    return ::fstat(file_.get(), &ours) == 0 && ::lstat(path().c_str(), &there) == 0 &&
           ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

bool HistoryFile::is_full(std::size_t more) const {
    struct stat status{};
    return ::fstat(file_.get(), &status) == 0 && status.st_size > 0 &&
           static_cast<std::size_t>(status.st_size) + more > kind_.most;
}

bool HistoryFile::is_empty() const {
    struct stat status{};
    return ::fstat(file_.get(), &status) == 0 && status.st_size == 0;
}

// What cannot be read has no sums: a history that cannot be kept would be worse.
std::string HistoryFile::sums_of_both() const {
    const std::size_t most = 2 * kind_.most;
    const auto older = read_file_up_to(path() + std::string(kOlderEnding), most);
    const auto newer = read_file_up_to(path(), most);
    return carried_line(older.value_or(""), newer.value_or(""));
}

Result<void> HistoryFile::lock_current() {
    constexpr int kTries = 10;
    for (int tries = 0; tries < kTries; ++tries) {
        locked_ = file_ && lock_soon(file_.get());
        if (file_ && is_current()) return {};
        if (auto opened = reopen(); !opened) return opened;
    }
    return failure(std::errc::resource_unavailable_try_again, "keep up with", path());
}

// Locks a file that has room, and returns what it has to begin with. Moves a full one away only
// with the lock: of two programs that do so at once, the second would move the new file over the
// old one. A new file is empty also when a program was ended between the two steps.
Result<std::string> HistoryFile::take_turn(std::size_t more) {
    if (auto current = lock_current(); !current) return tl::unexpected(current.error());
    if (!locked_) return std::string();
    if (is_empty()) return sums_of_both();
    if (!is_full(more)) return std::string();
    std::string sums = sums_of_both();
    if (::rename(path().c_str(), (path() + std::string(kOlderEnding)).c_str()) != 0)
        return std::string();
    if (auto current = lock_current(); !current) return tl::unexpected(current.error());
    // Without the lock another program may write them as well, which is the same; with lines of its
    // own already there, they would stand for those too.
    return is_empty() ? std::move(sums) : std::string();
}

Result<void> HistoryFile::append(const std::string& line) {
    const auto head = take_turn(line.size());
    if (!head) return tl::unexpected(head.error());
    const std::string_view gap = ends_within_a_line(file_.get()) ? "\n" : "";
    auto written = write_all(file_.get(), fmt::format("{}{}{}", gap, *head, line), path());
    if (locked_) std::ignore = ::flock(file_.get(), LOCK_UN);
    if (written && kind_.survives_power && !flush_to_disk(file_.get()))
        written = system_failure("write", path());
    return written;
}

}  // namespace reaper::agent
