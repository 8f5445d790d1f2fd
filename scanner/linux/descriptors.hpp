// What a process has open: sockets that listen, parts of databases that were deleted, and files that it has locked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scanner/linux/sock_diag.hpp"
#include "scanner/proc_fdinfo.hpp"
#include "scanner/process.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

// `process` is /proc/PID, open. A descriptor that is closed meanwhile is left out.

struct OpenFiles {
    std::vector<Listener> listeners;             // its sockets that are among those asked for
    std::vector<std::string> deleted_databases;  // paths of write-ahead logs that no longer have a name
};

[[nodiscard]] Result<OpenFiles> open_files_of(int process, const std::vector<DiagSocket>& listening);

struct LockedFile {
    std::string path;  // as the link of the descriptor says
    std::vector<FileLock> locks;
};

// Files on which it holds a lock of any kind, each descriptor by itself.
[[nodiscard]] Result<std::vector<LockedFile>> locked_files_of(int process);

}  // namespace reaper::scanner
