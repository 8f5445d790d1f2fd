#include "policy/pid_files/update_marker.hpp"

#include <algorithm>
#include <string_view>

#include "policy/pid_files/content.hpp"
#include "policy/verdict/claim_vetoes.hpp"

namespace reaper::policy {

namespace {

using scanner::Access;
using scanner::Claim;
using scanner::ClaimFile;
using scanner::Machine;

FileJudgement outdated(FileJudgement by_pid, std::string_view what) {
    by_pid.state = FileState::stale;
    by_pid.unread = false;
    by_pid.reason.append(what).append(", and it is older than 20 minutes");
    by_pid.evidence.front().weight = Weight::note;
    by_pid.evidence.push_back({"file.outdated", Weight::for_kill, by_pid.reason});
    return by_pid;
}

bool runs_in_container(const ClaimFile& file, const Rules& rules) {
    return std::ranges::any_of(file.nested_matches, [&](const scanner::NestedPidMatch& match) {
        return runs_updater(match.row, rules);
    });
}

// A malformed marker may still begin with a pid.
FileJudgement judge_malformed(const ClaimFile& file, const Machine& machine, const Rules& rules) {
    const Claim& claim = file.claims.front();
    FileJudgement judgement = judge_claims(file, machine, rules);
    const bool names_none =
        (claim.pid == 0 || claim.named.access == Access::gone) && !runs_in_container(file, rules);
    if (!names_none) {
        judgement.reason += ", and a process may have the pid that it begins with";
    } else if (is_fresh(claim, machine)) {
        judgement.reason += ", and so young that an update may be running";
    } else {
        return outdated(std::move(judgement), "");
    }
    return judgement;
}

// The updater is not seen here. It may run in a container, or outside of this one.
FileJudgement judge_gone(const ClaimFile& file, const Machine& machine, const Rules& rules) {
    FileJudgement judgement = judge_claims(file, machine, rules);
    const bool is_dead = judgement.state == FileState::stale && !is_nested(machine);
    if (is_dead || file.named_exited) return judgement;
    const bool may_run = is_fresh(file.claims.front(), machine) || runs_in_container(file, rules);
    return may_run ? judgement
                   : outdated(std::move(judgement), "; it may have run where it cannot be seen");
}

}  // namespace

FileJudgement judge_update_marker(const ClaimFile& file, const Machine& machine,
                                  const Rules& rules) {
    const Claim& claim = file.claims.front();
    if (claim.access == Access::malformed) return judge_malformed(file, machine, rules);
    if (!file.named_exited && is_update_running(claim, machine, rules))
        return judged(FileState::live, "update.running", "an update is running");
    if (file.named_exited || claim.named.access == Access::gone)
        return judge_gone(file, machine, rules);
    return judge_claims(file, machine, rules);
}

}  // namespace reaper::policy
