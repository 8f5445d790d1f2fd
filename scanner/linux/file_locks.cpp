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
std::uint64_t inode_of(const Procfs& procfs, const FoundFile& file) {
    constexpr std::string_view kName = "\nino:\t";
    const std::string path = "self/fdinfo/" + std::to_string(file.path.get());
    const auto text = read_at(procfs.fd(), path.c_str(), kFdinfoLimit);
    const std::size_t at = text ? text->bytes.find(kName) : std::string::npos;
    if (at == std::string::npos) return file.status.st_ino;
    std::string_view rest = std::string_view(text->bytes).substr(at + kName.size());
    std::uint64_t inode = 0;
    return take_number(rest, inode) ? inode : file.status.st_ino;
}

Result<std::vector<FileLock>> all_locks(const Procfs& procfs) {
    const auto text = read_at(procfs.fd(), "locks", kLocksLimit);
    if (!text) return tl::unexpected(text.error());
    if (text->truncated) return failure(std::errc::file_too_large, "read", "/proc/locks");
    return parse_locks(text->bytes);
}

}  // namespace

LockReading find_lock(const Procfs& procfs, int directory, const std::string& name) {
    const auto file = find_below(directory, name.c_str());
    const bool absent = !file && file.error().code == std::errc::no_such_file_or_directory;
    if (absent) return {LockState::absent, 0};
    if (!file || !S_ISREG(file->status.st_mode)) return {LockState::unknown, 0};
    const auto locks = all_locks(procfs);
    if (!locks) return {LockState::unknown, 0};
    const std::uint64_t inode = inode_of(procfs, *file);
    const auto lock =
        std::ranges::find_if(*locks, [&](const FileLock& one) { return one.write && one.inode == inode; });
    if (lock == locks->end()) return {LockState::free, 0};
    return {LockState::held, std::max(lock->pid, 0)};
}

}  // namespace reaper::scanner
