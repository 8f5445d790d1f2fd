// Finds the processes that run out of an install: its programs and interpreters, scripts in it,
// libraries from it.
#pragma once

#include <string>
#include <vector>

#include "scanner/model/occupancy.hpp"
#include "scanner/model/result.hpp"
#include "scanner/process_table.hpp"

namespace reaper::scanner {

// Folders, without a slash at the end.
struct InstallPaths {
    std::vector<std::string> installs;
    std::vector<std::string> homes;  // where databases are
};

// Finds them for all users. What is hidden of processes of other users is skipped, but argv is
// shown of all unless /proc hides it. Kernel threads and zombies occupy nothing; nor does a process
// of another pid namespace (a container), unless it sees the same folders. Fails only if the table
// cannot be read.
[[nodiscard]] Result<Occupancy> find_occupants(const ProcessTable& table,
                                               const InstallPaths& paths);

}  // namespace reaper::scanner
