// Whom Hermes recorded as started by it.
#pragma once

#include <optional>
#include <vector>

#include "scanner/facts.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

// The processes that live and that a spawn ledger of their own user names: one among `claims`, or the one in ~/.hermes, for nothing
// else may be left of a host. `scope`: whose processes are looked at, and whose home that is; none: everybody's, and of who runs this.
[[nodiscard]] std::vector<scanner::Pid> recorded_pids(const scanner::Procfs& procfs, std::vector<scanner::Claim> claims,
                                                      std::optional<scanner::Uid> scope);

}  // namespace reaper::agent
