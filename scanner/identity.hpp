// Which process is that, really? A pid alone is a name that the kernel hands out again.
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
    std::uint64_t start_ticks = 0;             // field 22 of /proc/PID/stat: USER_HZ ticks since boot, never wall clock
    std::optional<std::uint64_t> pidfs_inode;  // Linux >= 6.9; never handed out twice in one boot

    bool operator==(const Identity&) const = default;
};

enum class Sameness { same, different, unknown };

// Only `same` may ever be signalled. Two records of which only one has a pidfs inode, or that lack a boot id or
// namespace, compare as unknown unless something else already tells them apart.
[[nodiscard]] Sameness compare(const Identity& left, const Identity& right);

// "boot:ns:pid:ino" (or "boot:ns:pid:tTICKS" where the kernel has no pidfs inode)
[[nodiscard]] std::string to_string(const Identity& identity);

}  // namespace reaper::scanner
