#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "scanner/claim_files.hpp"
#include "scanner/directory.hpp"
#include "scanner/linux/process_files.hpp"
#include "scanner/linux/procfs.hpp"
#include "scanner/model/number.hpp"
#include "scanner/parse/proc_fdinfo.hpp"
#include "scanner/parse/proc_mountinfo.hpp"
#include "scanner/read_file.hpp"
#include "scanner/regular_file.hpp"

namespace reaper::scanner {

namespace {

// Enough for some 150,000 locks. The kernel returns 4 KB at a time, and walks from the first lock
// each time (fs/seq_file.c).
constexpr std::chrono::seconds kMostTime{5};
constexpr std::size_t kFdinfoLimit = 4096;
constexpr std::size_t kMountsLimit = 4 * 1024 * 1024;

// The numbers of a file in /proc/locks; on overlayfs and btrfs stat(2) may return others
// (fs/locks.c, lock_get_status).
struct LockedFile {
    std::uint64_t inode = 0;
    // None: its mount is not seen here, so only the inode is compared.
    std::optional<MountedDevice> device;
};

LockedFile identify(const ProcessTable& table, int file, std::uint64_t told) {
    const std::string path = "self/fdinfo/" + std::to_string(file);
    const auto fdinfo = read_at(fd_of(table), path.c_str(), kFdinfoLimit);
    if (!fdinfo) return {told, std::nullopt};
    const auto mount = parse_fdinfo_number(fdinfo->bytes, "mnt_id");
    const auto mounts = read_at(fd_of(table), "self/mountinfo", kMountsLimit);
    // The inode is there since Linux 5.14.
    return {parse_fdinfo_number(fdinfo->bytes, "ino").value_or(told),
            mount && mounts ? find_mounted_device(mounts->bytes, *mount) : std::nullopt};
}

bool is_on(const FileLock& lock, const LockedFile& file) {
    const bool elsewhere =
        file.device && *file.device != MountedDevice{lock.device_major, lock.device_minor};
    return lock.inode == file.inode && !elsewhere;
}

// Keeps only the locks of one file, as any user can take very many.
Result<std::vector<FileLock>> locks_on(const ProcessTable& table, const LockedFile& file) {
    std::vector<FileLock> found;
    const auto keep = [&](std::string_view lines) -> Result<void> {
        const auto locks = parse_locks(lines);
        if (!locks) return tl::unexpected(locks.error());
        std::ranges::copy_if(*locks, std::back_inserter(found),
                             [&](const FileLock& one) { return is_on(one, file); });
        return {};
    };
    if (auto read = read_lines_at(fd_of(table), "locks", kMostTime, keep); !read) {
        read.error().subject = "/proc/locks";
        return tl::unexpected(read.error());
    }
    return found;
}

}  // namespace

LockReading find_lock(const ProcessTable& table, int directory, const std::string& name) {
    const auto file = find_below(directory, name.c_str());
    const bool absent = !file && file.error().code == std::errc::no_such_file_or_directory;
    if (absent) return {LockState::absent, 0};
    if (!file || !S_ISREG(file->status.st_mode)) return {LockState::unknown, 0};
    const auto locks = locks_on(table, identify(table, file->path.get(), file->status.st_ino));
    if (!locks) return {LockState::unknown, 0, describe(locks.error())};
    const auto lock = std::ranges::find(*locks, true, &FileLock::write);
    if (lock == locks->end()) return {LockState::free, 0};
    return {LockState::held, std::max(lock->pid, 0)};
}

Pid find_lock_holder(const ProcessTable& table, int file) {
    const auto status = stat_cached(file);
    if (!status) return 0;
    const auto locks = locks_on(table, identify(table, file, status->inode));
    if (!locks || locks->empty()) return 0;
    const auto writer = std::ranges::find(*locks, true, &FileLock::write);
    return std::max((writer == locks->end() ? locks->begin() : writer)->pid, 0);
}

Pid find_inherited_lock_holder(const ProcessTable& table, int file) {
    const auto path = read_link_at(fd_of(table), ("self/fd/" + std::to_string(file)).c_str());
    const auto pids = list_numbers_at(fd_of(table), ".");
    if (!path || !pids) return 0;
    const auto holder = std::ranges::find_if(*pids, [&](Pid pid) {
        const auto process = open_process(table, pid);
        const auto paths =
            process ? read_held_locks(process->get()) : Reading<std::vector<std::string>>();
        return paths.ok() && std::ranges::find(paths.value, *path) != paths.value.end();
    });
    return holder == pids->end() ? 0 : *holder;
}

}  // namespace reaper::scanner
