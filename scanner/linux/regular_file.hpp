// Opening files that somebody else may have put there.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "scanner/fd.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

// A file that was found, not yet opened: nothing has been asked of it, so a device or FIFO has noticed nothing.
struct FoundFile {
    Fd path;  // O_PATH
    struct stat status{};
};

// Below `directory` only, through no link at all.
[[nodiscard]] Result<FoundFile> find_below(int directory, const char* path);

// As a process sees `path` whose root is `root`: links are followed, but never out of that root.
[[nodiscard]] Result<FoundFile> find_in_root(int root, const char* path);

// The bytes of a regular file. file_too_large: more than `limit`; not_supported: no regular file, which is then not opened.
[[nodiscard]] Result<std::string> read_found(const FoundFile& file, std::size_t limit);

}  // namespace reaper::scanner
