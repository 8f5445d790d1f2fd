// Parses file locks as the kernel prints them: /proc/PID/fdinfo/N has those of one descriptor,
// /proc/locks those of all processes.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "scanner/model/identity.hpp"
#include "scanner/model/result.hpp"

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
    std::uint64_t end = 0;  // the last byte; kEndOfFile: no end
    Pid pid = 0;  // the process that took it, in this pid namespace; -1: an open file description

    static constexpr std::uint64_t kEndOfFile = std::numeric_limits<std::uint64_t>::max();

    // True if the lock covers any of these bytes. The kernel merges neighbouring ranges, so an
    // exact comparison would miss locks.
    [[nodiscard]] bool overlaps(std::uint64_t first, std::uint64_t last) const {
        return start <= last && end >= first;
    }

    bool operator==(const FileLock&) const = default;
};

// Parses all "lock:" lines. invalid_argument: one of them is not in the form of the kernel
// (fs/locks.c, lock_get_status).
[[nodiscard]] Result<std::vector<FileLock>> parse_fdinfo_locks(std::string_view text);

// Parses all of /proc/locks, without the processes that only wait. The kernel leaves out locks of
// processes that are not seen in this pid namespace. invalid_argument: as above.
[[nodiscard]] Result<std::vector<FileLock>> parse_locks(std::string_view text);

// Returns the number in the line "mnt_id:\t25". None: there is no such line.
[[nodiscard]] std::optional<std::uint64_t> parse_fdinfo_number(std::string_view text,
                                                               std::string_view name);

}  // namespace reaper::scanner
