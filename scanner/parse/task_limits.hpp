// Parses what says how many processes and threads there are, and may be.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "scanner/parse/proc_mountinfo.hpp"

namespace reaper::scanner {

struct NumberOrMax {
    std::optional<std::uint64_t> value;  // none: no limit
};

// Parses pids.max or pids.current of a cgroup: "max\n" or "4711\n". None: malformed.
[[nodiscard]] std::optional<NumberOrMax> parse_pids_number(std::string_view text);

// Adds the folder of the cgroup that /proc/PID/cgroup names in this hierarchy, and those of all
// above it that are seen where it is mounted.
void add_pids_folders(const PidsHierarchy& hierarchy, std::string_view cgroups,
                      std::set<std::string>& folders);

// Parses /proc/PID/limits: the soft limit of RLIMIT_NPROC. None: it is missing or malformed.
[[nodiscard]] std::optional<NumberOrMax> parse_process_limit(std::string_view text);

// Parses /proc/loadavg: the number of threads of the machine. None: malformed.
[[nodiscard]] std::optional<std::uint64_t> parse_thread_count(std::string_view text);

}  // namespace reaper::scanner
