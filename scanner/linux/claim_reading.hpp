// One pid or lock file, or a folder of them, below a home: opened so that nothing planted in its place is followed or waited on.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scanner/claim_files.hpp"
#include "scanner/fd.hpp"
#include "scanner/regular_file.hpp"

namespace reaper::scanner {

struct Home {
    Fd directory;
    std::string path;
    Uid uid = 0;
};

using Files = std::vector<ClaimFile>;

// None: there is no such home. A home without a directory is there, but could not be opened.
[[nodiscard]] std::optional<Home> open_home(const std::string& path, Uid uid);

// With one claim, which says that it could not be looked at.
[[nodiscard]] ClaimFile unreadable(ClaimFile file);
// Fills in what was found there.
[[nodiscard]] ClaimFile read_into(ClaimFile file, const FoundFile& found);

// These add what is there to `files`; what is provably not there adds nothing.
void read_file(const Home& home, ClaimKind kind, const std::string& name, Files& files);
// One file for each name of the folder that `file_of` finds one for; the folder itself where it cannot be listed.
using FileOf = std::optional<std::string> (*)(const std::string& name);
void read_folder(const Home& home, ClaimKind kind, const char* folder, FileOf file_of, Files& files);
// What was taken aside in a folder, of files that `is_place` says yes to.
void read_taken_aside(const Home& home, ClaimKind kind, const std::string& folder, bool (*is_place)(std::string_view),
                      Files& files);
// All names with that ending in the home itself.
void read_all_named(const Home& folder, ClaimKind kind, std::string_view ending, Files& files);

}  // namespace reaper::scanner
