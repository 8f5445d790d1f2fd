// Reading small kernel files relative to a directory that is held open.
#pragma once

#include <cstddef>
#include <string>

#include "scanner/result.hpp"

namespace reaper::scanner {

struct FileText {
    std::string bytes;
    bool truncated = false;  // there was more than `limit`
};

// Reads until the end or the limit; EINTR is retried. Never blocks on a FIFO (O_NONBLOCK).
[[nodiscard]] Result<FileText> read_at(int directory, const char* path, std::size_t limit);

// The target of a link. malformed (filename_too_long) when it does not fit into PATH_MAX.
[[nodiscard]] Result<std::string> read_link_at(int directory, const char* path);

}  // namespace reaper::scanner
