// The machine and this program's own place in it.
#pragma once

#include "scanner/facts.hpp"
#include "scanner/proc_stat.hpp"
#include "scanner/process_table.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

// Fails when the boot id, the clock or this program's own row cannot be read: without them no process can be identified. So it does
// when the table is that of another pid namespace.
[[nodiscard]] Result<Machine> read_machine(const Procfs& procfs);

// What every pid is relative to. Fails as read_machine() does.
struct Place {
    Pid self = 0;
    std::string boot_id;
    std::uint64_t pid_namespace = 0;
};
[[nodiscard]] Result<Place> read_place(const Procfs& procfs);

// 0: outside of this pid namespace, or nobody's. Where hidepid hides the process, its handle is asked (Linux 6.13). Fails when neither
// tells.
[[nodiscard]] Result<Pid> read_parent(const Procfs& procfs, Pid pid);

// no_such_process: it is gone, or hidden.
[[nodiscard]] Result<ProcStat> read_stat(const Procfs& procfs, Pid pid);

// The clock of start_ticks, now.
[[nodiscard]] std::uint64_t ticks_since_boot(std::uint32_t ticks_per_second);

}  // namespace reaper::scanner
