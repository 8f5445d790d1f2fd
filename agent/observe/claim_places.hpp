// The folders in which pid, lock and ledger files are looked for.
#pragma once

#include <vector>

#include "policy/match/member.hpp"
#include "policy/rules/rules.hpp"
#include "scanner/claims.hpp"
#include "scanner/inspector.hpp"
#include "scanner/model/facts.hpp"

namespace reaper::agent {

// Returns the folders that a process names: its home, and where its pid, lock and ledger files
// would lie. Nothing: it is no member of a family.
[[nodiscard]] scanner::NamedFolders named_folders(const scanner::ProcessFacts& process,
                                                  const policy::Rules& rules);

// Returns, per user that has members: the homes that they serve, the Hermes homes that their
// environment names, and ~/.hermes.
[[nodiscard]] std::vector<scanner::ClaimPlaces> claim_places(
    const std::vector<policy::Member>& members);

}  // namespace reaper::agent
