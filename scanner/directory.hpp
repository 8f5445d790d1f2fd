// Names in a directory, and processes as directories.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "scanner/fd.hpp"
#include "scanner/model/result.hpp"
#include "scanner/process_table.hpp"

namespace reaper::scanner {

// Lists all names but "." and "..", in no order. Does not follow a link in the last component.
// file_too_large: there are more than `limit`.
[[nodiscard]] Result<std::vector<std::string>> list_at(int directory, const char* path,
                                                       std::size_t limit);

// Lists only the names that are numbers: pids in /proc, descriptors in /proc/PID/fd. Fails like
// list_at().
[[nodiscard]] Result<std::vector<int>> list_numbers_at(
    int directory, const char* path, std::size_t limit = std::numeric_limits<std::size_t>::max());

// Opens /proc/PID. Whatever is opened below it belongs to this process: once it is gone, nothing is
// found there.
[[nodiscard]] Result<Fd> open_process(const ProcessTable& table, Pid pid);

// Returns the inode of ns/NAME of the process.
[[nodiscard]] Result<std::uint64_t> namespace_at(int process, const char* path);

}  // namespace reaper::scanner
