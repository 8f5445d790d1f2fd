// File locks, as the kernel prints them: /proc/PID/fdinfo/N has those of one descriptor, /proc/locks those of everybody.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "scanner/identity.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

enum class LockKind {
    posix,                  // fcntl F_SETLK
    open_file_description,  // fcntl F_OFD_SETLK
    flock,
    other,  // leases, delegations
};

struct FileLock {
    LockKind kind = LockKind::other;
    bool write = false;
    std::uint32_t device_major = 0;
    std::uint32_t device_minor = 0;
    std::uint64_t inode = 0;
    std::uint64_t start = 0;
    std::uint64_t end = 0;  // the last byte; kEndOfFile: without end
    Pid pid = 0;            // who took it, as this pid namespace knows him; -1: an open file description did

    static constexpr std::uint64_t kEndOfFile = std::numeric_limits<std::uint64_t>::max();

    // The kernel merges neighbouring ranges, so bytes are looked for by overlap.
    [[nodiscard]] bool overlaps(std::uint64_t first, std::uint64_t last) const { return start <= last && end >= first; }

    bool operator==(const FileLock&) const = default;
};

// All "lock:" lines. invalid_argument: one of them is not in the kernel's form (fs/locks.c, lock_get_status).
[[nodiscard]] Result<std::vector<FileLock>> parse_fdinfo_locks(std::string_view text);

// All of /proc/locks but those who only wait. Locks of processes that this pid namespace does not see are not in there.
[[nodiscard]] Result<std::vector<FileLock>> parse_locks(std::string_view text);

}  // namespace reaper::scanner
