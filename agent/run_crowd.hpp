// Those below a process of `run`, seen at one moment; and who of them belongs to another `run`, which ends them itself.
#pragma once

#include <map>
#include <vector>

#include "scanner/proc_stat.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

struct Seen {
    scanner::ProcStat stat = {};  // where hidepid hides it: only the parent
    bool run = false;             // a process of `run`: this very program, by device and inode
};

using Crowd = std::map<scanner::Pid, Seen>;

// Of `pids`, those that have not ended.
[[nodiscard]] Crowd see(const scanner::Procfs& procfs, const std::vector<scanner::Pid>& pids);

enum class Care {
    ours,
    of_another_run,  // it is of `run`, or below one
    unclear,  // somebody between it and this process, or who adopts for it, has just ended, and there is another run
};
[[nodiscard]] Care care_of(const Crowd& crowd, scanner::Pid pid);

// The first process of another `run`, whose host is none of the crowd. Where it is killed, its guard ends what is below.
[[nodiscard]] bool is_run_without_host(const Crowd& crowd, scanner::Pid pid);

}  // namespace reaper::agent
