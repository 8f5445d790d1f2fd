// Reads what a process has open: sockets that listen, parts of deleted databases, and files that it
// has locked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scanner/linux/sock_diag.hpp"
#include "scanner/model/process.hpp"
#include "scanner/model/result.hpp"
#include "scanner/parse/proc_fdinfo.hpp"

namespace reaper::scanner {

// Reads the descriptors of the open /proc/PID `process`. Skips a descriptor that is closed
// meanwhile.

struct OpenFiles {
    std::vector<Listener> listeners;     // its sockets that are in `listening`
    std::vector<std::uint64_t> sockets;  // the first of its other sockets
    // Paths of write-ahead logs that have no name any more.
    std::vector<std::string> deleted_databases;
    bool has_lease = false;  // a file that could be a lease of an install of Hermes is open
};

[[nodiscard]] Result<OpenFiles> open_files_of(int process,
                                              const std::vector<DiagSocket>& listening);

struct LockedFile {
    std::string path;  // as in the link of the descriptor
    std::vector<FileLock> locks;
};

// Returns the files on which it holds a lock of any kind, once per descriptor.
[[nodiscard]] Result<std::vector<LockedFile>> locked_files_of(int process);

}  // namespace reaper::scanner
