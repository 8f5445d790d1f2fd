#include <sys/stat.h>

#include <algorithm>
#include <string>

#include "scanner/claim_files.hpp"
#include "scanner/linux/read_file.hpp"
#include "scanner/number.hpp"
#include "scanner/proc_fdinfo.hpp"
#include "scanner/regular_file.hpp"

namespace reaper::scanner {

namespace {

constexpr std::size_t kLocksLimit = 4 * 1024 * 1024;  // some 60000 locks
constexpr std::size_t kFdinfoLimit = 4096;

// The number that /proc/locks prints: on overlayfs stat(2) may say another one (fs/proc/fd.c, seq_show; Linux 5.14).
std::uint64_t inode_of(const Procfs& procfs, int file, std::uint64_t told) {
    constexpr std::string_view kName = "\nino:\t";
    const std::string path = "self/fdinfo/" + std::to_string(file);
    const auto text = read_at(procfs.fd(), path.c_str(), kFdinfoLimit);
    const std::size_t at = text ? text->bytes.find(kName) : std::string::npos;
    if (at == std::string::npos) return told;
    std::string_view rest = std::string_view(text->bytes).substr(at + kName.size());
    std::uint64_t inode = 0;
    return take_number(rest, inode) ? inode : told;
}

Result<std::vector<FileLock>> all_locks(const Procfs& procfs) {
    const auto text = read_at(procfs.fd(), "locks", kLocksLimit);
    if (!text) return tl::unexpected(text.error());
    if (text->truncated) return failure(std::errc::file_too_large, "read", "/proc/locks");
    return parse_locks(text->bytes);
}

const FileLock* find_writer(const std::vector<FileLock>& locks, std::uint64_t inode) {
    const auto lock = std::ranges::find_if(locks, [&](const FileLock& one) { return one.write && one.inode == inode; });
    return lock == locks.end() ? nullptr : &*lock;
}

}  // namespace

LockReading find_lock(const Procfs& procfs, int directory, const std::string& name) {
    const auto file = find_below(directory, name.c_str());
    const bool absent = !file && file.error().code == std::errc::no_such_file_or_directory;
    if (absent) return {LockState::absent, 0};
    if (!file || !S_ISREG(file->status.st_mode)) return {LockState::unknown, 0};
    const auto locks = all_locks(procfs);
    if (!locks) return {LockState::unknown, 0};
    const FileLock* lock = find_writer(*locks, inode_of(procfs, file->path.get(), file->status.st_ino));
    return lock == nullptr ? LockReading{LockState::free, 0} : LockReading{LockState::held, std::max(lock->pid, 0)};
}

Pid find_lock_holder(const Procfs& procfs, int file) {
    struct stat status{};
    const auto locks = all_locks(procfs);
    if (!locks || ::fstat(file, &status) != 0) return 0;
    const std::uint64_t inode = inode_of(procfs, file, status.st_ino);
    const FileLock* writer = find_writer(*locks, inode);
    const auto lock = std::ranges::find(*locks, inode, &FileLock::inode);
    if (writer != nullptr) return std::max(writer->pid, 0);
    return lock == locks->end() ? 0 : std::max(lock->pid, 0);
}

}  // namespace reaper::scanner
