// Whom else a number may mean: a daemon in a container writes the pid that it has there into a file that is also seen here.
#pragma once

#include <map>
#include <vector>

#include "scanner/claim_files.hpp"
#include "scanner/process_table.hpp"

namespace reaper::scanner {

// Every process of a pid namespace below this one: what it calls itself -> what it is called here. Reads the status of
// all processes; those that it may not see, or that end meanwhile, are left out.
[[nodiscard]] std::multimap<Pid, Pid> find_nested(const Procfs& procfs);

// Those that have the number of somebody whom the file names.
[[nodiscard]] std::vector<Namesake> namesakes_of(const Procfs& procfs, const ClaimFile& file,
                                                 const std::multimap<Pid, Pid>& nested);

// Does it matter for this file? Of a gateway's its lock decides, which is seen across namespaces, where there is one.
[[nodiscard]] bool has_namesakes(const ClaimFile& file);

}  // namespace reaper::scanner
