// Turns the text of a pid, lock or ledger file into claims.
#pragma once

#include <string_view>
#include <vector>

#include "scanner/model/facts.hpp"
#include "scanner/model/result.hpp"
#include "scanner/parse/claim_text.hpp"

namespace reaper::scanner {

// Returns what the text of a file of the kind of `blank` says: copies of `blank`, filled in.
// Ledgers and registries can name many processes, or none. invalid_argument: the text is not in its
// form.
[[nodiscard]] Result<std::vector<Claim>> interpret_claims(const Claim& blank,
                                                          std::string_view text);

// Returns the same for a ledger or registry that was parsed before. Malformed entries become one
// claim that says so.
[[nodiscard]] std::vector<Claim> interpret_record(const Claim& blank, const Ledger& ledger);

}  // namespace reaper::scanner
