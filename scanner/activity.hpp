// Is a process that was told to end still doing something worth waiting for?
#pragma once

#include <cstdint>

#include "scanner/pid_handle.hpp"
#include "scanner/process_table.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

struct Activity {
    bool database_write_lock = false;  // a WRITE lock on -shm bytes 120-127, or on the lock page of a database file
    std::uint64_t io_bytes = 0;        // read + written so far, by calls and by storage: only good for "does it grow?"
    std::uint64_t cpu_ticks = 0;       // user + system so far
    char state = '?';
    std::string wait_channel;  // where an uninterruptible process sleeps; empty: not known

    bool operator==(const Activity&) const = default;
};

// The database is never opened: locks are read from /proc/PID/fdinfo. no_such_process: it has exited.
// Any other error: its locks could not be looked at, which is not the same as holding none.
[[nodiscard]] Result<Activity> read_activity(const Procfs& procfs, const PidHandle& handle);

}  // namespace reaper::scanner
