// The identity of a process. A pid alone is not one: the kernel hands it out again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace reaper::scanner {

using Pid = std::int32_t;
using Uid = std::uint32_t;

struct Identity {
    std::string boot_id;
    std::uint64_t pid_namespace = 0;  // inode of /proc/PID/ns/pid; 0: not known
    Pid pid = 0;
    // Field 22 of /proc/PID/stat: USER_HZ ticks since boot, never wall clock.
    std::uint64_t start_ticks = 0;
    // Never used twice in one boot: the pidfs inode (Linux >= 6.9), or p_uniqueid (macOS).
    std::optional<std::uint64_t> pidfs_inode;
    // Which of its programs it runs: another number after each exec (p_idversion of macOS). Absent:
    // the system counts no execs. compare() does not look at it, as an exec keeps the process.
    std::optional<std::uint32_t> exec_version = std::nullopt;

    bool operator==(const Identity&) const = default;
};

enum class Sameness { same, different, unknown };

// Tells whether two records are of one process. Only `same` may ever be signalled. `unknown`: only
// one of the two has a pidfs inode, or a boot id or namespace is missing, and nothing else tells
// them apart.
[[nodiscard]] Sameness compare(const Identity& left, const Identity& right);

// Returns "boot:ns:pid:ino", or "boot:ns:pid:tTICKS" without a pidfs inode. For reports and
// history.
[[nodiscard]] std::string to_string(const Identity& identity);

}  // namespace reaper::scanner
