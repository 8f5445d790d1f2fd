// Judges a pid or lock file by its content, without the lock that may belong to it.
#pragma once

#include <string>

#include "policy/pid_files/judge_files.hpp"

namespace reaper::policy {

// Makes a judgement with one piece of evidence that says the same.
[[nodiscard]] FileJudgement judged(FileState state, std::string code, std::string reason);
// Makes the judgement for something necessary that could not be read.
[[nodiscard]] FileJudgement unread(std::string code, std::string reason);

// Judges a file that was planted, or that could not be read at all.
[[nodiscard]] FileJudgement judge_unreadable(const scanner::ClaimFile& file);

// Judges the processes that it names. The one that keeps the file longest decides for the whole
// file.
[[nodiscard]] FileJudgement judge_claims(const scanner::ClaimFile& file,
                                         const scanner::Machine& machine, const Rules& rules);

}  // namespace reaper::policy
