// Processes of users who are not looked at: often no more than the command line is shown. Enough to be in the way of an update, which
// ends nobody; never enough to end one.
#pragma once

#include <optional>

#include "policy/match.hpp"

namespace reaper::policy {

// By argv alone where the executable is not shown. `is_occupant`: it is known to run out of the install. None: it is no part of Hermes,
// or by what is shown none of this install and home.
[[nodiscard]] std::optional<Match> match_unseen(const scanner::ProcessRow& row, const Rules& rules, bool is_occupant);

}  // namespace reaper::policy
