// The processes below a process of `run`, as they were at one moment; and which of them belong to
// another `run`, which ends them itself.
#pragma once

#include <map>
#include <vector>

#include "scanner/parse/proc_stat.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

struct ProcessView {
    scanner::ProcStat stat = {};  // where hidepid hides it: only the parent
    bool run = false;             // a process of `run`: this very program, by device and inode
};

using ProcessSet = std::map<scanner::Pid, ProcessView>;

// Looks at `pids`. Leaves out those that have ended or cannot be looked at.
[[nodiscard]] ProcessSet view_processes(const scanner::ProcessTable& table,
                                        const std::vector<scanner::Pid>& pids);

enum class Ownership {
    ours,
    of_another_run,  // it is a process of `run`, or below one
    unclear,  // a process between it and this one, or one that adopts for it, has just ended, and
              // there is another run
};
// Tells which `run` ends `pid`, one of `processes`.
[[nodiscard]] Ownership ownership_of(const ProcessSet& processes, scanner::Pid pid);

// True for the first process of another `run` if its host is none of `processes`. When that is
// killed, its guard ends what is below.
[[nodiscard]] bool is_run_without_host(const ProcessSet& processes, scanner::Pid pid);

}  // namespace reaper::agent
