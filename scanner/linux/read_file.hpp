// Reading small kernel files relative to a directory that is held open.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "scanner/result.hpp"

namespace reaper::scanner {

struct FileText {
    std::string bytes;
    bool truncated = false;  // there was more than `limit`
};

// Reads until the end or the limit; EINTR is retried. Never blocks on a FIFO (O_NONBLOCK).
[[nodiscard]] Result<FileText> read_at(int directory, const char* path, std::size_t limit);

// Whole lines at a time, the last one with or without its end: however many there are, a few are in memory. Fails as `take` does;
// stream_timeout: it took longer than `most_time`; file_too_large: one line is longer than any of the kernel's.
[[nodiscard]] Result<void> read_lines_at(int directory, const char* path, std::chrono::milliseconds most_time,
                                         const std::function<Result<void>(std::string_view)>& take);

// The target of a link. malformed (filename_too_long) when it does not fit into PATH_MAX.
[[nodiscard]] Result<std::string> read_link_at(int directory, const char* path);

}  // namespace reaper::scanner
