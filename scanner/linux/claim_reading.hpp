// Reads one pid or lock file, or a folder of them, below a home, without following or waiting for
// anything planted in its place.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scanner/claim_files.hpp"
#include "scanner/claims.hpp"
#include "scanner/fd.hpp"
#include "scanner/regular_file.hpp"

namespace reaper::scanner {

// State that is shared by all files of one look.
struct ClaimContext {
    const ProcessTable& table;
    bool removes = false;  // entries of a bridge registry that name ended processes count, too
    // An earlier look, whose files are not read again if unchanged; null: read all.
    const ClaimsRead* earlier = nullptr;
    std::vector<ClaimMark> marks = {};            // of the files that were read
    std::optional<std::vector<Pid>> living = {};  // set once a ledger or registry was found
    std::optional<std::string> mounts = {};       // set once a file was found that may be removed
};

struct Home {
    Fd directory;
    std::string path;
    Uid uid = 0;
    ClaimContext* context = nullptr;
};

using Files = std::vector<ClaimFile>;

// False: the file may have been planted to mislead, so the claim says that and names no process.
[[nodiscard]] bool is_trustworthy(const struct stat& status, Uid uid);

// True if the error proves that the file does not exist. Anything else (a link, missing rights) may
// hide a claim.
[[nodiscard]] bool proves_absence(const Error& error);

// Opens a home. None: it does not exist. A home without `directory` exists but could not be opened.
[[nodiscard]] std::optional<Home> open_home(const std::string& path, Uid uid,
                                            ClaimContext& context);

// Tells whether the folder of a Hermes home or plugin root has a file that read_claims() would
// read, readable or not, whatever it says. Not ok: could not look.
[[nodiscard]] Reading<bool> holds_records(int directory);

// Adds one claim that says that the file could not be read.
[[nodiscard]] ClaimFile unreadable(ClaimFile file);
// Fills in stamp, text and claims of a file that was found.
[[nodiscard]] ClaimFile read_into(ClaimFile file, const FoundFile& found, ClaimContext& context);

// The functions below add what exists to `files`, and nothing for what provably does not.
void read_file(const Home& home, ClaimKind kind, const std::string& name, Files& files);
// Adds one file for each name of the folder for which `file_of` returns one; the folder itself if
// it cannot be listed.
using FileOf = std::optional<std::string> (*)(const std::string& name);
void read_folder(const Home& home, ClaimKind kind, const char* folder, FileOf file_of,
                 Files& files);
// Adds the files of a folder that a cleaner renamed and left, where `is_place` accepts their old
// name.
void read_quarantined(const Home& home, ClaimKind kind, const std::string& folder,
                      bool (*is_place)(std::string_view), Files& files);
// Adds all files of the home itself whose name `is_named` accepts; one by the name of `pattern` if
// it cannot be listed.
void read_all_named(const Home& folder, ClaimKind kind, const std::string& pattern,
                    bool (*is_named)(std::string_view), Files& files);

}  // namespace reaper::scanner
