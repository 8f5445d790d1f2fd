// Opening files that somebody else may have put there.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <string>

#include "scanner/fd.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

// A file that was found, and not yet read. On Linux nothing has been asked of it, so a device or FIFO has noticed nothing; elsewhere
// it was opened for reading, without waiting for anybody.
struct FoundFile {
    Fd path;
    struct stat status{};
};

// What is at the end of `path`, wherever links lead.
[[nodiscard]] Result<FoundFile> find_through_links(int directory, const char* path);

// Below `directory` only, through no link at all. One that is the last part itself is found as a link, which nobody can read, or not
// at all.
[[nodiscard]] Result<FoundFile> find_below(int directory, const char* path);

// The bytes of a regular file. file_too_large: more than `limit`; not_supported: no regular file, which is then not read.
[[nodiscard]] Result<std::string> read_found(const FoundFile& file, std::size_t limit);

}  // namespace reaper::scanner
