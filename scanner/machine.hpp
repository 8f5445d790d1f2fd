// The machine, and the place of this program on it.
#pragma once

#include "scanner/model/facts.hpp"
#include "scanner/model/result.hpp"
#include "scanner/parse/proc_stat.hpp"
#include "scanner/process_table.hpp"

namespace reaper::scanner {

// Reads the machine. Fails if the boot id, the clock or the row of this program cannot be read, as
// without them no process can be identified, or if the table is that of another pid namespace.
[[nodiscard]] Result<Machine> read_machine(const ProcessTable& table);

// What every pid is relative to.
struct Place {
    Pid self = 0;
    std::string boot_id;
    std::uint64_t pid_namespace = 0;
};
[[nodiscard]] Result<Place> read_place(const ProcessTable& table);

// Returns the parent. 0: it is outside of this pid namespace, or there is none. If hidepid hides
// the process, its handle is asked (Linux 6.13). Fails if neither tells.
[[nodiscard]] Result<Pid> read_parent(const ProcessTable& table, Pid pid);

// Reads /proc/PID/stat. no_such_process: it is gone, or hidden.
[[nodiscard]] Result<ProcStat> read_stat(const ProcessTable& table, Pid pid);

// Returns the time of the clock of start_ticks.
[[nodiscard]] std::uint64_t ticks_since_boot(std::uint32_t ticks_per_second);

}  // namespace reaper::scanner
