// Parses the process table of macOS (KERN_PROC).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scanner/model/process.hpp"
#include "scanner/model/result.hpp"

namespace reaper::scanner::darwin {

struct KernelRow {
    Pid pid = 0;                    // 0: the kernel itself
    Pid parent = 0;                 // of a traced process the debugger
    Pid parent_before_tracing = 0;  // 0: it is not traced
    Pid group = 0;
    std::int32_t terminal = 0;  // its device; 0: none
    // Z, T (stopped), or R: macOS does not tell what runs from what sleeps.
    char state = '?';
    bool newborn = false;  // a process that is just being made
    bool exiting = false;
    bool traced = false;
    // Microseconds of the wall clock as it was at the fork. Later changes of the clock do not
    // change it.
    std::uint64_t start = 0;
    Uids uids;
    std::string name;

    bool operator==(const KernelRow&) const = default;
};

// Parses rows that follow each other. Nothing is no row, as for a pid that no process has.
// invalid_argument: the length is not that of whole rows, or a row cannot be true.
[[nodiscard]] Result<std::vector<KernelRow>> parse_process_rows(std::string_view reply);

}  // namespace reaper::scanner::darwin
