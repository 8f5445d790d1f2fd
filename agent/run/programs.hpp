// Looks at what the processes of a tree run.
#pragma once

#include <vector>

#include "scanner/model/process.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

struct Programs {
    std::vector<scanner::ProcessRow> rows;  // of those that could be looked at
    bool all_seen = false;                  // of the others, each has ended
};

// Reads them by one copy: the memory of a process can hang, and the others are to be ended all the
// same. There is no copy, and no row, where all processes that the user may have are taken.
[[nodiscard]] Programs read_programs(const scanner::ProcessTable& table,
                                     const std::vector<scanner::Pid>& pids);

}  // namespace reaper::agent
