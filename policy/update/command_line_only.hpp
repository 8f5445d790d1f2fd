// Recognises processes of users that are not examined, of which often only the command line is
// shown. Enough to block an update, which ends nothing; never enough to end a process.
#pragma once

#include <optional>

#include "policy/match/match.hpp"

namespace reaper::policy {

// Matches argv alone if the executable is not shown. `is_occupant`: it is known to run out of the
// install. None: it is no part of Hermes, or by what is shown not of this install and home.
[[nodiscard]] std::optional<Match> match_by_command_line(const scanner::ProcessRow& row,
                                                         const Rules& rules, bool is_occupant);

}  // namespace reaper::policy
