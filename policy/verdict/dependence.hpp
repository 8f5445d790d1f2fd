// Finds which other members the judgement of one member depends on.
#pragma once

#include <set>
#include <vector>

#include "policy/match/member.hpp"
#include "scanner/model/facts.hpp"

namespace reaper::policy {

// Returns the members to judge together with `pid`, and that one itself: its unit, all members
// below the unit, and those that may be duplicates of any of these, with their launchers. Any other
// member counts only for the designation of its home. Empty: `pid` is no member.
[[nodiscard]] std::set<scanner::Pid> judged_together(const std::vector<Member>& members,
                                                     const scanner::Facts& facts, scanner::Pid pid);

}  // namespace reaper::policy
