// Whom a process started, and whom those started: by parents, as the process table has them now.
#pragma once

#include <vector>

#include "scanner/process_table.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

// All below `ancestor`, or below any of several, without these: those that were there while this looked, by pid. A pid is only a name;
// whoever opens a handle by one has to ask is_descendant() afterwards. Fails when the table itself cannot be read.
[[nodiscard]] Result<std::vector<Pid>> read_descendants(const Procfs& procfs, Pid ancestor);
[[nodiscard]] Result<std::vector<Pid>> read_descendants(const Procfs& procfs, const std::vector<Pid>& ancestors);

// Is `pid` below `ancestor`? Asked twice, so that nobody on the way up was replaced meanwhile. no_such_process: it is gone.
[[nodiscard]] Result<bool> is_descendant(const Procfs& procfs, Pid pid, Pid ancestor);

}  // namespace reaper::scanner
