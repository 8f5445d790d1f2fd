// In whose folders pid, lock and ledger files are looked for.
#pragma once

#include <vector>

#include "policy/rules.hpp"
#include "scanner/claims.hpp"
#include "scanner/facts.hpp"

namespace reaper::agent {

// For every user who has members: the homes that they serve, the Hermes homes that their environment names, and ~/.hermes.
[[nodiscard]] std::vector<scanner::ClaimPlaces> claim_places(const scanner::Facts& facts, const policy::Rules& rules);

}  // namespace reaper::agent
