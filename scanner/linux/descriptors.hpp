// What a process has open: sockets that listen, and files that it has locked.
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

// The sockets of the process that are among `listening`.
[[nodiscard]] Result<std::vector<Listener>> listeners_of(int process, const std::vector<DiagSocket>& listening);

struct LockedFile {
    std::string path;  // as the link of the descriptor says
    std::vector<FileLock> locks;
};

// Files on which it holds a lock of any kind, each descriptor by itself.
[[nodiscard]] Result<std::vector<LockedFile>> locked_files_of(int process);

}  // namespace reaper::scanner
