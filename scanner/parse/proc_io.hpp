// Parses /proc/PID/io: what a process has read and written.
#pragma once

#include <cstdint>
#include <string_view>

#include "scanner/model/result.hpp"

namespace reaper::scanner {

struct ProcIo {
    // rchar + wchar: by read(2), write(2) and their variants, from the page cache or not.
    std::uint64_t called_bytes = 0;
    // read_bytes + write_bytes: what reached a storage device, also by mapped memory.
    std::uint64_t stored_bytes = 0;

    bool operator==(const ProcIo&) const = default;
};

// Parses the four numbers. invalid_argument: one is missing, occurs twice, or is no number. Sums
// stop at the largest number.
[[nodiscard]] Result<ProcIo> parse_io(std::string_view text);

}  // namespace reaper::scanner
