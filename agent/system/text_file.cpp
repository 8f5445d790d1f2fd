#include "agent/system/text_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "agent/system/signal_inbox.hpp"
#include "scanner/regular_file.hpp"

namespace reaper::agent {

namespace {

// Fails for a folder before anything is written: rename(2) and open(2) would fail only then.
Result<void> refuse_folder(const std::string& path) {
    struct stat status{};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if ((exists && S_ISDIR(status.st_mode)) || path.ends_with('/'))
        return failure(std::errc::is_a_directory, "write", path);
    return {};
}

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

mode_t without_umask(mode_t mode) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return mode & ~mask;
}

// Gives the new file the owner and mode of the old one, which it replaces. Only root can keep
// another owner; where that fails, the set-id bits are dropped as well.
Result<void> take_after(int file, const std::string& path, mode_t mode_of_new) {
    struct stat old{};
    const bool exists = ::lstat(path.c_str(), &old) == 0;
    if (exists) std::ignore = ::fchown(file, old.st_uid, old.st_gid);
    const mode_t mode = exists ? old.st_mode & 0777 : without_umask(mode_of_new);
    return ::fchmod(file, mode) == 0 ? Result<void>{} : system_failure("write", path);
}

// Where nothing waits for these signals, they have ended this program.
bool is_to_end() {
    return has_come(SIGINT) || has_come(SIGTERM);
}

// Waits until the file takes more. False: an interrupt has come, and the file has taken nothing for
// some time since. Errors are left to write(2).
bool wait_until_it_takes(int fd) {
    constexpr int kTick = 50;  // ms
    constexpr int kTicksToEnd = 5;
    for (int ticks = 0; ticks < kTicksToEnd; ticks = is_to_end() ? ticks + 1 : 0) {
        struct pollfd place{fd, POLLOUT, 0};
        const int ready = ::poll(&place, 1, kTick);
        if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
    }
    return false;
}

}  // namespace

// A regular file gets all at once, as other processes that append must not come between. Anything
// else gets no more than it takes without waiting.
Result<void> write_all(int fd, std::string_view text, std::string_view subject) {
    struct stat status{};
    const bool waits = ::fstat(fd, &status) == 0 && !S_ISREG(status.st_mode);
    while (!text.empty()) {
        if (waits && !wait_until_it_takes(fd))
            return failure(std::errc::interrupted, "write", subject);
        const ssize_t written = ::write(
            fd, text.data(), waits ? std::min<std::size_t>(text.size(), PIPE_BUF) : text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return system_failure("write", subject);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

// Where poll(2) says so, a pipe takes that much at once (pipe(7)); a terminal that was stopped
// takes nothing.
bool offer(int fd, std::string_view text) {
    while (!text.empty()) {
        struct pollfd place{fd, POLLOUT, 0};
        const std::string_view part = text.substr(0, PIPE_BUF);
        if (::poll(&place, 1, 0) <= 0 || (place.revents & POLLOUT) == 0 ||
            !write_all(fd, part, "a line"))
            return false;
        text.remove_prefix(part.size());
    }
    return true;
}

Result<void> replace_file(const std::string& path, std::string_view text,
                          std::optional<mode_t> mode) {
    std::string beside = path + ".XXXXXX";
    const Fd file(::mkostemp(beside.data(), O_CLOEXEC));  // for its owner only
    if (!file) return system_failure("write", path);
    auto written = write_all(file.get(), text, path);
    if (written && mode) written = take_after(file.get(), path, *mode);
    if (written && ::rename(beside.c_str(), path.c_str()) != 0)
        written = system_failure("write", path);
    if (!written) ::unlink(beside.c_str());
    return written;
}

// A link, a device, a pipe, or a file in a folder that cannot be written, is opened as it is, and
// that before anything else is done.
Result<void> append_to_file(const std::string& path, std::string_view text) {
    const Fd file(
        ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666));
    if (!file) return system_failure("open", path);
    struct stat before{};
    struct stat after{};
    const bool is_file = ::fstat(file.get(), &before) == 0 && S_ISREG(before.st_mode);
    const auto written = write_all(file.get(), text, path);
    const bool is_torn =
        !written && is_file && ::fstat(file.get(), &after) == 0 && after.st_size > before.st_size;
    if (is_torn && static_cast<std::size_t>(after.st_size - before.st_size) < text.size())
        std::ignore = ::ftruncate(file.get(), before.st_size);
    return written;
}

Result<TextFile> TextFile::open(const std::string& path, mode_t mode) {
    if (auto folder = refuse_folder(path); !folder) return tl::unexpected(folder.error());
    struct stat status{};
    const bool exists = ::lstat(path.c_str(), &status) == 0;
    const bool beside =
        (!exists || S_ISREG(status.st_mode)) && ::access(folder_of(path).c_str(), W_OK) == 0;
    if (beside) return TextFile(path, mode, Fd());
    Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, mode));
    if (!file) return system_failure("write", path);
    return TextFile(path, mode, std::move(file));
}

Result<void> TextFile::write(std::string_view text) {
    return place_ ? write_through(text) : replace_file(path_, text, mode_);
}

// Only a regular file can be truncated; others need not be.
Result<void> TextFile::write_through(std::string_view text) const {
    if (::ftruncate(place_.get(), 0) != 0 && errno != EINVAL) return system_failure("write", path_);
    return write_all(place_.get(), text, path_);
}

std::string read_end_of_file(const std::string& path, std::size_t most) {
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status{};
    if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    std::string text(std::min(most, static_cast<std::size_t>(status.st_size)), '\0');
    const ssize_t size = ::pread(file.get(), text.data(), text.size(),
                                 status.st_size - static_cast<off_t>(text.size()));
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return text;
}

Result<std::string> read_file_up_to(const std::string& path, std::size_t most) {
    const auto file = scanner::find_through_links(AT_FDCWD, path.c_str());
    if (!file) return tl::unexpected(Error{file.error().code, "read", path});
    auto text = scanner::read_found(*file, most);
    if (!text)
        text.error().subject =
            path + (S_ISREG(file->status.st_mode) ? "" : ", which is no regular file");
    return text;
}

}  // namespace reaper::agent
