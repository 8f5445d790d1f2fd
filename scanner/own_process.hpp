// What the kernel says of this very process.
#pragma once

#include <string>
#include <vector>

#include "scanner/model/result.hpp"
#include "scanner/process_table.hpp"

namespace reaper::scanner {

// Lists its open descriptors; the last may be the one of the list itself, which is closed then.
// Empty if they cannot be listed.
[[nodiscard]] std::vector<int> list_own_descriptors(const ProcessTable& table);

// Reads /proc/self/cgroup, which parse/proc_cgroup.hpp takes apart.
[[nodiscard]] Result<std::string> read_own_cgroups(const ProcessTable& table);

// Reads /proc/self/mountinfo, which parse/proc_mountinfo.hpp takes apart. At most `limit` bytes;
// the rest is left out.
[[nodiscard]] Result<std::string> read_own_mounts(const ProcessTable& table, std::size_t limit);

}  // namespace reaper::scanner
