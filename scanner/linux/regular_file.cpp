#include "scanner/regular_file.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "scanner/linux/rooted_file.hpp"
#include "scanner/read_file.hpp"

namespace reaper::scanner {

namespace {

constexpr int kLookOnly = O_PATH | O_NOFOLLOW | O_CLOEXEC;

Fd open_resolved(int directory, const char* path, int flags, std::uint64_t resolve) {
    open_how how{};
    how.flags = static_cast<unsigned>(flags);
    how.resolve = resolve;
    return Fd(static_cast<int>(::syscall(SYS_openat2, directory, path, &how, sizeof how)));
}

// Refuses a folder that is a link with the error of openat2, rather than with "no folder".
Fd open_folder(int directory, const char* name) {
    Fd fd(::openat(directory, name, kLookOnly | O_DIRECTORY));
    struct stat status{};
    if (fd || errno != ENOTDIR) return fd;
    const bool link =
        ::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
    errno = link ? ELOOP : ENOTDIR;
    return fd;
}

// For kernels before 5.6, and sandboxes that do not know openat2: opens one component at a time,
// none of which may be a link.
Fd open_step_by_step(int directory, std::string_view path) {
    Fd folder;
    for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/')) {
        folder = open_folder(folder ? folder.get() : directory,
                             std::string(path.substr(0, slash)).c_str());
        if (!folder) return folder;
        path.remove_prefix(slash + 1);
    }
    return Fd(::openat(folder ? folder.get() : directory, std::string(path).c_str(), kLookOnly));
}

Result<FoundFile> look_at(Fd fd, const char* path) {
    if (!fd) return system_failure("open", path);
    FoundFile file{std::move(fd), {}};
    if (::fstat(file.path.get(), &file.status) != 0) return system_failure("look at", path);
    return file;
}

}  // namespace

Result<FoundFile> find_through_links(int directory, const char* path) {
    return look_at(Fd(::openat(directory, path, O_PATH | O_CLOEXEC)), path);
}

Result<FoundFile> find_below(int directory, const char* path) {
    constexpr std::uint64_t kBelow = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    Fd fd = open_resolved(directory, path, kLookOnly, kBelow);
    if (!fd && (errno == ENOSYS || errno == EPERM)) fd = open_step_by_step(directory, path);
    return look_at(std::move(fd), path);
}

// Only openat2 keeps an absolute link inside the root, so without it nothing is found.
Result<FoundFile> find_in_root(int root, const char* path) {
    return look_at(
        open_resolved(root, path, O_PATH | O_CLOEXEC, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS),
        path);
}

Result<KnownFile> stat_cached(int file) {
    struct statx status{};
    if (::statx(file, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO | STATX_NLINK, &status) !=
        0)
        return system_failure("look at", "an open file");
    const std::uint64_t device =
        (std::uint64_t{status.stx_dev_major} << 32U) | status.stx_dev_minor;
    return KnownFile{device, status.stx_ino, status.stx_nlink};
}

Result<std::string> read_found(const FoundFile& file, std::size_t limit) {
    if (!S_ISREG(file.status.st_mode))
        return failure(std::errc::not_supported, "read", "what is no regular file");
    const std::string link = "/proc/self/fd/" + std::to_string(file.path.get());
    auto text = read_at(AT_FDCWD, link.c_str(), limit);
    if (!text) return tl::unexpected(std::move(text.error()));
    if (text->truncated) return failure(std::errc::file_too_large, "read", "a file of that size");
    return std::move(text->bytes);
}

}  // namespace reaper::scanner
