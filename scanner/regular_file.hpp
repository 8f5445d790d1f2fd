// Opens files that another user may have put there.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "scanner/fd.hpp"
#include "scanner/model/result.hpp"

namespace reaper::scanner {

// A file that was found but not read yet. On Linux it was opened without any effect on a device or
// FIFO; on other systems it was opened for reading, without waiting.
struct FoundFile {
    Fd path;
    struct stat status{};
};

// Finds what is at the end of `path`, wherever links lead.
[[nodiscard]] Result<FoundFile> find_through_links(int directory, const char* path);

// Finds only what is below `directory` without any link on the way. If the last component is a
// link, the link itself is found, which cannot be read, or nothing at all.
[[nodiscard]] Result<FoundFile> find_below(int directory, const char* path);

// Reads a regular file. file_too_large: larger than `limit`; not_supported: no regular file, so it
// is not read.
[[nodiscard]] Result<std::string> read_found(const FoundFile& file, std::size_t limit);

// What the kernel remembers of an open file. Unlike fstat(2), reading it never asks the file
// system, which may hang or belong to a server.
struct KnownFile {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t links = 0;
};
[[nodiscard]] Result<KnownFile> stat_cached(int file);

}  // namespace reaper::scanner
