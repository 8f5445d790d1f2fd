// /proc/PID/io: what a process has read and written.
#pragma once

#include <cstdint>
#include <string_view>

#include "scanner/result.hpp"

namespace reaper::scanner {

struct ProcIo {
    std::uint64_t called_bytes = 0;  // rchar + wchar: through read(2), write(2) and their kin, page cache or not
    std::uint64_t stored_bytes = 0;  // read_bytes + write_bytes: that made a storage device work, also by mapped memory

    bool operator==(const ProcIo&) const = default;
};

// invalid_argument: one of the four is missing, stands there twice, or is no number. Sums stop at the largest number.
[[nodiscard]] Result<ProcIo> parse_io(std::string_view text);

}  // namespace reaper::scanner
