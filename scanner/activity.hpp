// Tells whether a process that was told to end still does something worth waiting for.
#pragma once

#include <cstdint>

#include "scanner/model/result.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/process_table.hpp"

namespace reaper::scanner {

struct Activity {
    // It holds a WRITE lock on -shm bytes 120-127, or on the lock page of a database file.
    bool database_write_lock = false;
    // Read + written so far, by calls and by storage. Good only to see whether it grows.
    std::uint64_t io_bytes = 0;
    std::uint64_t cpu_ticks = 0;  // user + system so far
    char state = '?';
    std::string wait_channel;  // where an uninterruptible process sleeps; empty: not known

    bool operator==(const Activity&) const = default;
};

// Reads what the process does now. Never opens a database: locks are read from /proc/PID/fdinfo.
// no_such_process: it has exited. Any other error: its locks could not be read, which is not the
// same as holding none.
[[nodiscard]] Result<Activity> read_activity(const ProcessTable& table, const PidHandle& handle);

}  // namespace reaper::scanner
