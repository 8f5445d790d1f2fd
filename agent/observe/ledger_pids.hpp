// The processes that Hermes recorded as started by it.
#pragma once

#include <optional>
#include <vector>

#include "scanner/model/facts.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

struct Recorded {
    std::vector<scanner::Pid> pids;       // that live
    std::vector<scanner::Claim> unclear;  // ledgers that could name more
};

// Returns the processes that a spawn ledger of their own user names: one among the claims, or the
// one in ~/.hermes, as nothing else may be left of a host. `scope`: the user whose processes are
// looked at, and whose home that is; none: the processes of all users, and the home of the user of
// this process.
[[nodiscard]] Recorded find_recorded(const scanner::ProcessTable& table,
                                     const scanner::Facts& facts,
                                     std::optional<scanner::Uid> scope);

}  // namespace reaper::agent
