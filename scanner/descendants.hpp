// Whom a process started, and whom those started: by parents, as the process table has them now.
#pragma once

#include <set>
#include <vector>

#include "scanner/process_table.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

// All below any of `ancestors`, without these; `strangers`, and whoever is below them, are left out. Those that were there while this
// looked, by pid. A pid is only a name; whoever opens a handle by one has to ask is_descendant() afterwards. Who is hidden (hidepid) is
// seen only as a child of somebody who is not, and not on a kernel without CONFIG_PROC_CHILDREN. Fails when the table itself cannot be
// read.
[[nodiscard]] Result<std::vector<Pid>> read_descendants(const Procfs& procfs, std::vector<Pid> ancestors,
                                                        const std::set<Pid>& strangers = {});

// Is `pid` below `ancestor`, and neither a stranger nor below one? Asked twice, so that nobody on the way up was replaced meanwhile.
// no_such_process: it is gone. Of who is hidden before Linux 6.13 nobody can tell, unless `ancestor` is this process, and its parent.
[[nodiscard]] Result<bool> is_descendant(const Procfs& procfs, Pid pid, Pid ancestor,
                                         const std::set<Pid>& strangers = {});

}  // namespace reaper::scanner
