// What a ProcessTable is on Linux: an open /proc.
#pragma once

#include <string>

#include "scanner/fd.hpp"
#include "scanner/process_table.hpp"

namespace reaper::scanner {

struct ProcessTable::Source {
    std::string root;
    Fd directory;
};

// Returns the directory that has one folder for each process. It is open as long as the table is.
[[nodiscard]] inline int fd_of(const ProcessTable& table) {
    return table.source().directory.get();
}

}  // namespace reaper::scanner
