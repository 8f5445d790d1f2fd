// What a pid or lock file really names, and whether it is provably left over. Pure, like judge().
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/evidence.hpp"
#include "policy/rules.hpp"
#include "scanner/claim_files.hpp"
#include "scanner/facts.hpp"

namespace reaper::policy {

enum class FileState {
    live,       // somebody whom it names is there and is who it says
    stale,      // provably nobody is
    malformed,  // it is not in the form that its writer gives it
    locked,     // somebody holds the lock that belongs to it
    foreign,    // somebody else's, planted, or not to be looked at as far as needed
};

[[nodiscard]] std::string_view to_string(FileState state);
[[nodiscard]] std::string_view kind_word(scanner::ClaimKind kind);  // "gateway", "bridge", "bridge-stdio", ...

struct FileJudgement {
    FileState state = FileState::foreign;
    bool remove = false;             // stale, and of a kind that nobody else cleans up
    bool put_back = false;           // not stale, but taken aside by a run that was cut off
    bool paused = false;             // it would be removed, but an update is running
    bool young = false;              // malformed, but its writer may not be done yet
    bool unread = false;             // something that had to be known could not be looked at
    std::string reason;              // for the state, in words
    std::vector<Evidence> evidence;  // for_kill: that it may go

    bool operator==(const FileJudgement&) const = default;
};

// One judgement a file, in their order. An update that runs in a scope, as one of `markers` says, pauses every removal of that
// scope.
[[nodiscard]] std::vector<FileJudgement> judge_files(std::span<const scanner::ClaimFile> files,
                                                     std::span<const scanner::Claim> markers,
                                                     const scanner::Machine& machine, const Rules& rules);

// One file by itself, whatever updates run.
[[nodiscard]] FileJudgement judge_file(const scanner::ClaimFile& file, const scanner::Machine& machine,
                                       const Rules& rules);

}  // namespace reaper::policy
