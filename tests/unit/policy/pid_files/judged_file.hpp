// Files as the scanner reads them, and what the policy must say of them.
#pragma once

#include "policy/pid_files/judge_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/facts_builder.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

using reaper::policy::FileJudgement;
using reaper::policy::FileState;
using reaper::scanner::Access;
using reaper::scanner::Claim;
using reaper::scanner::ClaimFile;
using reaper::scanner::ClaimKind;
using reaper::scanner::FileForm;
using reaper::scanner::LockState;
using reaper::scanner::Machine;
using reaper::scanner::Pid;
using reaper::scanner::ProcessRow;
using reaper::scanner::Reading;

inline constexpr Pid kPid = 77;

inline Machine machine() {
    return FactsBuilder().facts().machine;
}

inline ProcessRow bridge() {
    return row(kPid, 1, "/usr/bin/node",
               {"node", kHome + "/dist/bridge.mjs", "--agent=hermes", "--daemon"});
}

// Names a process of its own kind that started before it was written: live, until a test changes
// something.
inline ClaimFile file_of(ClaimKind kind, ProcessRow named) {
    ClaimFile file;
    file.kind = kind;
    file.home = kHermesHome;
    file.name = "file";
    file.path = kHermesHome + "/file";
    file.scope = kUser;
    file.found = true;
    file.stamp.links = 1;
    file.stamp.owner = kUser;
    file.stamp.written_s = static_cast<std::int64_t>(kNowEpoch);
    file.text = "77";
    Claim claim = claim_of(kind, kHermesHome, kPid);
    claim.named = Reading<ProcessRow>::of(std::move(named));
    file.claims = {std::move(claim)};
    return file;
}

inline ClaimFile without_process(ClaimFile file) {
    file.claims.front().named = Reading<ProcessRow>::failed(Access::gone);
    return file;
}

inline ClaimFile saying(ClaimFile file, const std::string& text) {
    file.text = text;
    file.claims.front().access = Access::malformed;
    file.claims.front().pid = 0;
    file.claims.front().named = {};
    return file;
}

inline FileJudgement judged_file(const ClaimFile& file, const Machine& where = machine()) {
    return policy::judge_file(file, where, all_rules());
}

inline void check(const ClaimFile& file, FileState state, bool remove, const std::string& code) {
    const FileJudgement judgement = judged_file(file);
    INFO(judgement.reason);
    CHECK(to_string(judgement.state) == to_string(state));
    CHECK(judgement.remove == remove);
    REQUIRE_FALSE(judgement.evidence.empty());
    CHECK(judgement.evidence.front().code == code);
    CHECK_FALSE(judgement.reason.empty());
}

inline void check_kept(const ClaimFile& file, FileState state, const std::string& code) {
    check(file, state, false, code);
}

inline void check_stale(const ClaimFile& file, const std::string& code) {
    check(file, FileState::stale, true, code);
}

}  // namespace reaper::test
