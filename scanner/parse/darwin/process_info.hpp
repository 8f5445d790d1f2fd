// Parses what proc_pidinfo and proc_pid_rusage return about one process. All of them fail with
// invalid_argument where the reply has another length than the record, or cannot be true.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "scanner/model/result.hpp"

namespace reaper::scanner::darwin {

// The identity that macOS itself gives a process.
struct UniqueIdentity {
    std::uint64_t id = 0;  // never used twice in one boot; grows with each process
    // Of the process that forked it. An exec after its parent has ended overwrites this with the
    // id of process 1.
    std::uint64_t parent_id = 0;
    std::uint32_t version = 0;               // another one after each exec
    std::uint32_t first_parent_version = 0;  // at the fork; 0: before macOS 15.4

    bool operator==(const UniqueIdentity&) const = default;
};
[[nodiscard]] Result<UniqueIdentity> parse_unique_identity(std::string_view reply);

// Returns the resource coalition: what one application or job of launchd has started.
[[nodiscard]] Result<std::uint64_t> parse_coalition(std::string_view reply);

[[nodiscard]] Result<std::int32_t> parse_thread_count(std::string_view reply);

struct Usage {
    std::uint64_t footprint = 0;  // bytes, as Activity Monitor shows them
    std::uint64_t cpu_time = 0;   // user + system, in the units of the time base
    std::uint64_t io_bytes = 0;   // read + written

    bool operator==(const Usage&) const = default;
};
[[nodiscard]] Result<Usage> parse_usage(std::string_view reply);

struct OwnFolders {
    std::string working;
    bool working_deleted = false;
    std::string root;  // empty: that of the machine

    bool operator==(const OwnFolders&) const = default;
};
[[nodiscard]] Result<OwnFolders> parse_folders(std::string_view reply);

}  // namespace reaper::scanner::darwin
