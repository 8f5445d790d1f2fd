// Judges what a pid or lock file really names, and whether it is provably left over. Pure, like
// judge().
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/rules/evidence.hpp"
#include "policy/rules/rules.hpp"
#include "scanner/claim_files.hpp"
#include "scanner/model/facts.hpp"

namespace reaper::policy {

enum class FileState {
    live,       // it names a living process that is what the file says
    stale,      // it provably names none
    malformed,  // not in the form that its writer gives it
    locked,     // a process holds the lock that belongs to it
    foreign,    // it belongs to another program or user, was planted, or could not be read
};

[[nodiscard]] std::string_view to_string(FileState state);
// Returns "gateway", "bridge", "bridge-stdio", ...
[[nodiscard]] std::string_view kind_word(scanner::ClaimKind kind);

struct FileJudgement {
    FileState state = FileState::foreign;
    bool remove = false;             // stale, and of a kind that no other program cleans up
    bool put_back = false;           // not stale, but an interrupted run left it renamed
    bool paused = false;             // it would be removed, but an update is running
    bool young = false;              // malformed, but its writer may still be writing
    bool unread = false;             // something necessary could not be read
    std::string reason;              // the reason for the state, in words
    std::vector<Evidence> evidence;  // for_kill: speaks for removing the file

    bool operator==(const FileJudgement&) const = default;
};

// Judges each file, in the given order. If one of `markers` says that an update runs in a scope,
// all removals of that scope are paused.
[[nodiscard]] std::vector<FileJudgement> judge_files(std::span<const scanner::ClaimFile> files,
                                                     std::span<const scanner::Claim> markers,
                                                     const scanner::Machine& machine,
                                                     const Rules& rules);

// Judges one file, without regard to updates.
[[nodiscard]] FileJudgement judge_file(const scanner::ClaimFile& file,
                                       const scanner::Machine& machine, const Rules& rules);

}  // namespace reaper::policy
