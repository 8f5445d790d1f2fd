// Finds other processes that a recorded pid may mean: a daemon in a container writes the pid that
// it has there into a file that is visible here, too.
#pragma once

#include <map>
#include <vector>

#include "scanner/claim_files.hpp"
#include "scanner/process_table.hpp"

namespace reaper::scanner {

// Maps the pid of every process in a pid namespace below this one, as it is in there, to its pid
// here. Reads the status of all processes; skips those that may not be read or that end meanwhile.
[[nodiscard]] std::multimap<Pid, Pid> find_nested_pids(const ProcessTable& table);

// Returns the nested processes with the pid of a process that the file names.
[[nodiscard]] std::vector<NestedPidMatch> find_nested_matches(
    const ProcessTable& table, const ClaimFile& file, const std::multimap<Pid, Pid>& nested);

// Tells whether nested processes matter for this file. For a gateway its lock decides if there is
// one, as locks are seen across namespaces.
[[nodiscard]] bool may_name_nested_process(const ClaimFile& file);

}  // namespace reaper::scanner
