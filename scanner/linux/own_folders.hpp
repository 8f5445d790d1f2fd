// Tells whether a process and this program mean the same folder by the same path. Compares device
// and inode, never the text.
#pragma once

#include <string>
#include <vector>

#include "scanner/model/reading.hpp"
#include "scanner/process_table.hpp"

namespace reaper::scanner {

// True if the process whose /proc/PID is `process` has the same root directory as this program.
[[nodiscard]] Reading<bool> has_our_root(const ProcessTable& table, int process,
                                         const ProcessRow& row);

// True if the absolute `path` leads the process to the same folder as this program, or neither to
// any. Follows links as the process would, never out of its root.
[[nodiscard]] Reading<bool> sees_our_folder(int process, Uid user, const std::string& path);

// Returns those of `paths` that lead the process to another folder with files that could protect
// it. Not ok: one of them could not be read.
[[nodiscard]] Reading<std::vector<std::string>> find_hidden_records(
    int process, Uid user, const std::vector<std::string>& paths);

}  // namespace reaper::scanner
