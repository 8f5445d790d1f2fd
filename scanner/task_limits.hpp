// Limits on the number of processes and threads, and how near they are.
#pragma once

#include <span>

#include "scanner/model/diagnosis.hpp"
#include "scanner/model/identity.hpp"
#include "scanner/process_table.hpp"

namespace reaper::scanner {

// Reads pids.max and pids.current of the cgroups of this program and of these processes, and of all
// above them that are seen here, in every hierarchy. Returns what is nearest to its limit. Of many
// processes only the first ones are looked at.
[[nodiscard]] TaskLimit read_cgroup_limit(const ProcessTable& table,
                                          std::span<const Pid> processes);

// Returns the lowest limit (RLIMIT_NPROC) of these processes, and of this program if it is that
// user's, and what the user has: threads too, and what nothing has collected yet, as the kernel
// counts. Only what is seen here counts: not other pid namespaces, nor other user namespaces. It
// goes by the effective user. Nothing is counted while all threads of the machine together are not
// near the limit. The kernel limits root by none.
[[nodiscard]] TaskLimit read_user_limit(const ProcessTable& table, Uid user,
                                        std::span<const Pid> processes);

}  // namespace reaper::scanner
