// Reads what pid, lock and ledger files say about the processes of one look.
#pragma once

#include <set>
#include <vector>

#include "scanner/claims.hpp"
#include "scanner/model/facts.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

// Reads all files of these places. A file that has not changed since it was read for these facts is
// not read again; then only processes of `about` that it names are looked up again.
void read_claims(scanner::Facts& facts, const scanner::ProcessTable& table,
                 const std::vector<scanner::ClaimPlaces>& places,
                 const std::set<scanner::Pid>& about = {});

// Drops entries of ledgers and registries that name neither a candidate nor a process below one:
// they decide nothing, and each look at one process goes through all entries.
void drop_claims_of_others(scanner::Facts& facts);

// Reads all files again, when there are processes that were not there before: entries that were
// dropped may name them.
void read_claims_anew(scanner::Facts& facts, const scanner::ProcessTable& table,
                      const std::vector<scanner::ClaimPlaces>& places);

}  // namespace reaper::agent
