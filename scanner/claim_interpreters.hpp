// From the text of a pid, lock or ledger file to what it claims.
#pragma once

#include <string_view>
#include <vector>

#include "scanner/facts.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

// What the text of a file of the kind of `blank` says: copies of `blank`, filled in. Ledgers and registries can name many
// processes, or none. invalid_argument: the text is not in its form.
[[nodiscard]] Result<std::vector<Claim>> interpret_claims(const Claim& blank, std::string_view text);

}  // namespace reaper::scanner
