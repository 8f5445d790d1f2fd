#include "agent/pid_files/locks.hpp"

#include <sys/file.h>
#include <sys/stat.h>

#include "agent/pid_files/open_to_lock.hpp"
#include "scanner/regular_file.hpp"

namespace reaper::agent {

namespace {

bool is_absent(const Error& error) {
    return error.code == std::errc::no_such_file_or_directory;
}

Result<Fd> lock(const scanner::FoundFile& found, const std::string& name, int how) {
    Fd file = open_to_lock(found);
    if (!file || ::flock(file.get(), how | LOCK_NB) != 0) return system_failure("lock", name);
    return file;
}

}  // namespace

Result<std::optional<Fd>> share_lock(int home, const std::string& name) {
    const auto found = scanner::find_below(home, name.c_str());
    if (!found && is_absent(found.error())) return std::nullopt;
    if (!found) return tl::unexpected(found.error());
    if (!S_ISREG(found->status.st_mode)) return failure(std::errc::not_supported, "lock", name);
    // NFS grants an exclusive lock only on a file open for writing. Shared is enough: gateways take
    // theirs exclusively.
    auto file = lock(*found, name, LOCK_SH);
    if (!file) return tl::unexpected(file.error());
    struct stat now{};
    const bool same = ::fstatat(home, name.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0 &&
                      now.st_dev == found->status.st_dev && now.st_ino == found->status.st_ino;
    if (!same) return failure(std::errc::resource_unavailable_try_again, "lock", name);
    return std::optional(*std::move(file));
}

Result<Fd> lock_pid_file(const scanner::ClaimFile& file, int home) {
    const auto found = scanner::find_below(home, file.name.c_str());
    if (!found) return tl::unexpected(found.error());
    const bool same = S_ISREG(found->status.st_mode) && found->status.st_dev == file.stamp.device &&
                      found->status.st_ino == file.stamp.inode;
    if (!same) return failure(std::errc::no_such_file_or_directory, "lock", file.path);
    return lock(*found, file.path, scanner::place_of(file.name) == file.name ? LOCK_SH : LOCK_EX);
}

}  // namespace reaper::agent
