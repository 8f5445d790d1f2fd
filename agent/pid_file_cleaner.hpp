// Removes stale pid files, however many gateways start meanwhile: a file is taken aside by renaming it, proven again to be the same and
// still stale, and only then deleted; otherwise it is put back.
#pragma once

#include <functional>

#include "agent/removal.hpp"
#include "policy/pid_files.hpp"
#include "scanner/claim_files.hpp"
#include "scanner/process_table.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

// Where a stand-in for a starting gateway may step in. For tests.
enum class RemovalPoint { proven, locked, aside };

struct CleanerParts {
    // On fresh facts: is it still to be removed?
    std::function<policy::FileJudgement(const scanner::ClaimFile&)> judge;
    // Told before anything is done; where it fails, nothing is done.
    std::function<Result<void>(const scanner::ClaimFile&, const policy::FileJudgement&)> announce;
    std::function<void(RemovalPoint)> reached = [](RemovalPoint) {};
};

// The file as it was judged. A gateway's lock is shared, without waiting, from before the file is taken away until it is away: the
// file itself would have kept every gateway from starting until then. A run that is killed in between leaves NAME.taken-aside.PID behind
// (where that is there, NAME.taken-aside.PID.1), which a later run removes in the same way, or puts back. The file itself is locked
// meanwhile, so that no run takes what another one has aside for what was left there.
[[nodiscard]] Removal remove_stale(const scanner::Procfs& procfs, const scanner::ClaimFile& file,
                                   const CleanerParts& parts);

// A file that was left aside, under its name again, if that is free: never over a file that somebody has made there. Not announced, as
// nothing is lost.
[[nodiscard]] Removal put_back(const scanner::Procfs& procfs, const scanner::ClaimFile& file,
                               const CleanerParts& parts);

}  // namespace reaper::agent
