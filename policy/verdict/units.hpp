// Judges members in relation to each other: the two halves of a unit, and duplicates of one host.
#pragma once

#include <map>
#include <vector>

#include "policy/match/member.hpp"
#include "policy/rules/verdict.hpp"

namespace reaper::policy {

// For families that need one member per host: returns each older member with the same host, home
// and same_options as a newer one, and the newest, which stays. Considers only members that are
// attached because of a live host alone.
[[nodiscard]] std::map<scanner::Pid, scanner::Pid> find_duplicates(
    const std::vector<Member>& members, const std::vector<Judgement>& judgements);

// Ends a unit as a whole or not at all. Both vectors are in the same order.
void settle_units(const std::vector<Member>& members, std::vector<Judgement>& judgements);

}  // namespace reaper::policy
