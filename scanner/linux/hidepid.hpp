// Tells whether this mount of /proc hides processes of other users.
#pragma once

#include "scanner/process_table.hpp"

namespace reaper::scanner {

// Also true if that cannot be found out, so that an incomplete table is never taken for a complete
// one.
[[nodiscard]] bool hides_processes(const ProcessTable& table);

}  // namespace reaper::scanner
