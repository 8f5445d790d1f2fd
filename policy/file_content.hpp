// What a pid or lock file says by itself, without the lock that may belong to it.
#pragma once

#include <string>

#include "policy/pid_files.hpp"

namespace reaper::policy {

// A judgement with one piece of evidence, which says the same.
[[nodiscard]] FileJudgement judged(FileState state, std::string code, std::string reason);
// Something that had to be known could not be looked at.
[[nodiscard]] FileJudgement unread(std::string code, std::string reason);

// What was put there by somebody else than its writer, or could not be read at all.
[[nodiscard]] FileJudgement judge_unreadable(const scanner::ClaimFile& file);

// Of those whom it names, the one that keeps the file longest counts for all of it.
[[nodiscard]] FileJudgement judge_claims(const scanner::ClaimFile& file, const scanner::Machine& machine,
                                         const Rules& rules);

}  // namespace reaper::policy
