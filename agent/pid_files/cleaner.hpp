// Removes stale pid files, also while gateways start: a file is renamed aside, proven again to be
// the same and still stale, and only then deleted; otherwise it is put back.
#pragma once

#include <functional>

#include "agent/reaping/removal.hpp"
#include "policy/pid_files/judge_files.hpp"
#include "scanner/claim_files.hpp"
#include "scanner/model/result.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

// Points between two steps. For tests, which act as a starting gateway there.
enum class RemovalPoint { proven, locked, aside };

struct CleanerParts {
    // Decides on fresh facts whether the file is still to be removed.
    std::function<policy::FileJudgement(const scanner::ClaimFile&)> judge;
    // Called before anything is done. When it fails, nothing is done.
    std::function<Result<void>(const scanner::ClaimFile&, const policy::FileJudgement&)> announce;
    std::function<void(RemovalPoint)> reached = [](RemovalPoint) {};
    // /proc/locks shows every process that may hold the lock of a host record. False: in a
    // container, where that lock is tried as well.
    bool sees_all_locks = false;
};

// Removes the file as it was judged. The lock of gateway.pid is shared, without waiting, until the
// file is renamed: before that the file itself keeps every gateway from starting. A stale host
// record does not, and a gateway that found its lock taken would give up: that one is shared only
// where its holder may not be seen. A run that is killed in
// between leaves NAME.taken-aside.PID (where that exists, NAME.taken-aside.PID.1), which a later
// run removes in the same way, or puts back. The file itself is locked meanwhile, so that no run
// takes another run's file for one that was left behind.
[[nodiscard]] Removal remove_stale(const scanner::ProcessTable& table,
                                   const scanner::ClaimFile& file, const CleanerParts& parts);

// Renames a file that was left aside back to its name, if that is free: never over a newer file.
// Not announced, as nothing is lost.
[[nodiscard]] Removal put_back(const scanner::ProcessTable& table, const scanner::ClaimFile& file,
                               const CleanerParts& parts);

}  // namespace reaper::agent
