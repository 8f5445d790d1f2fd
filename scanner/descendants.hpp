// Finds the descendants of processes by their parents, as the process table has them now.
#pragma once

#include <vector>

#include "scanner/model/result.hpp"
#include "scanner/process_table.hpp"

namespace reaper::scanner {

// Returns all processes below any of `ancestors`, sorted by pid, without `ancestors`. A pid is only
// a name: after opening a handle by one, ask is_descendant(). A process that hidepid hides is found
// only as a child of one that is not hidden, and not on a kernel without CONFIG_PROC_CHILDREN.
// Fails if the table itself cannot be read.
[[nodiscard]] Result<std::vector<Pid>> read_descendants(const ProcessTable& table,
                                                        std::vector<Pid> ancestors);

// Returns all processes below `pid`, at a cost that grows with their number: from the child list of
// each thread, or from the whole table if the kernel has no such lists. If `pid` itself is gone
// nothing is below it. file_too_large: there are more than `most` (checked only with such lists);
// any other failure: not all could be read.
[[nodiscard]] Result<std::vector<Pid>> list_descendants(const ProcessTable& table, Pid pid,
                                                        std::size_t most);

// Tells whether `pid` is below `ancestor`. Reads the chain twice, so that no process in it was
// replaced meanwhile. no_such_process: it is gone. Any other error: a parent could not be read.
// Before Linux 6.13 hidepid hides every parent of a hidden process but this program.
[[nodiscard]] Result<bool> is_descendant(const ProcessTable& table, Pid pid, Pid ancestor);

}  // namespace reaper::scanner
