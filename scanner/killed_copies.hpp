// Finds processes that earlier runs of this program have left behind: they were killed, and cannot
// end before a file system answers them.
#pragma once

#include <string_view>
#include <vector>

#include "scanner/fd.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/process_table.hpp"

namespace reaper::scanner {

struct KilledCopy {
    PidHandle handle;
    Fd memory;  // for reading
};

// Walks the process table, and lists processes that run a program of the same name as this one, are
// killed but wait in the kernel, and have an open memfd called `memory`. Only those with no other
// uid than the effective one of this process count, so what another user starts cannot pass for
// one; nor can what runs in a nested pid namespace. What cannot be read is left out. Touches
// nothing but /proc.
[[nodiscard]] std::vector<KilledCopy> find_killed_copies(const ProcessTable& table,
                                                         std::string_view memory);

// Marks this process as a copy, as long as the descriptor is open: by a lock on the file of the
// program, at an offset of the effective uid. Invalid: it cannot be marked.
[[nodiscard]] Fd mark_copy(const ProcessTable& table);

// False: no copy of this user can be left, so that there is no need to walk the process table. True
// also if that cannot be found out. Any user may lock the file, which proves nothing.
[[nodiscard]] bool may_have_copies(const ProcessTable& table);

}  // namespace reaper::scanner
