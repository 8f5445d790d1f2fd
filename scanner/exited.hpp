// Tells by its row whether a process has ended.
#pragma once

#include "scanner/model/process.hpp"

namespace reaper::scanner {

// True if only the row is left, for the parent. A process whose main thread has ended while others
// work shows the same state Z but more than one thread: it is alive, although nearly nothing of it
// can be read.
[[nodiscard]] inline bool has_exited(const ProcessRow& row) {
    return (row.state == 'Z' || row.state == 'X') && row.threads <= 1;
}

}  // namespace reaper::scanner
