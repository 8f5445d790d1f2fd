// Reads small kernel files relative to a directory that is held open.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "scanner/model/result.hpp"

namespace reaper::scanner {

struct FileText {
    std::string bytes;
    bool truncated = false;  // there was more than `limit`
};

// Reads up to the end or the limit; retries after EINTR. Never blocks on a FIFO (O_NONBLOCK).
[[nodiscard]] Result<FileText> read_at(int directory, const char* path, std::size_t limit);

// Reads piece by piece, with one piece in memory at a time. Fails like `take`; file_too_large:
// there is more than `limit`.
[[nodiscard]] Result<void> read_pieces_at(
    int directory, const char* path, std::size_t limit,
    const std::function<Result<void>(std::string_view)>& take);

// Reads whole lines, the last one with or without its end. However many there are, only a few are
// in memory. Fails like `take`; stream_timeout: it took longer than `most_time`; file_too_large: a
// line is longer than any of the kernel.
[[nodiscard]] Result<void> read_lines_at(int directory, const char* path,
                                         std::chrono::milliseconds most_time,
                                         const std::function<Result<void>(std::string_view)>& take);

// Returns the target of a link. filename_too_long: it does not fit into PATH_MAX.
[[nodiscard]] Result<std::string> read_link_at(int directory, const char* path);

}  // namespace reaper::scanner
