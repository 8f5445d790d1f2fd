// Does this mount of /proc keep other users' processes from us?
#pragma once

#include "scanner/process_table.hpp"

namespace reaper::scanner {

// True, too, when nobody can say: a table that may be incomplete must not be taken for a complete one.
[[nodiscard]] bool hides_processes(const Procfs& procfs);

}  // namespace reaper::scanner
