// Names in a directory, and processes as directories.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scanner/fd.hpp"
#include "scanner/process_table.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

// All names but "." and "..", in no order. A last component that is a link is not followed. file_too_large: more than `limit`.
[[nodiscard]] Result<std::vector<std::string>> list_at(int directory, const char* path, std::size_t limit);

// Only those names that are numbers: pids in /proc, descriptors in /proc/PID/fd.
[[nodiscard]] Result<std::vector<int>> list_numbers_at(int directory, const char* path);

// /proc/PID itself. What is opened below it is always that process's: once it is gone, nothing is found.
[[nodiscard]] Result<Fd> open_process(const Procfs& procfs, Pid pid);

// Inode of ns/NAME of the process.
[[nodiscard]] Result<std::uint64_t> namespace_at(int process, const char* path);

}  // namespace reaper::scanner
