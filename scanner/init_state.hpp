// Process 1, which adopts what loses its parent, and has to collect it when it ends.
#pragma once

#include <cstdint>

#include "scanner/model/diagnosis.hpp"
#include "scanner/model/identity.hpp"
#include "scanner/process_table.hpp"

namespace reaper::scanner {

// Reads its name and what it does about SIGCHLD.
[[nodiscard]] InitState read_init(const ProcessTable& table);

// True if this process, and no later one with its pid, has ended, and process 1 could collect it:
// nothing traces it.
[[nodiscard]] bool awaits_init(const ProcessTable& table, Pid pid, std::uint64_t start_ticks);

}  // namespace reaper::scanner
