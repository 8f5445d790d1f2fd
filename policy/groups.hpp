// What members of one group mean for each other: the two halves of a unit, and duplicates of one host.
#pragma once

#include <map>
#include <vector>

#include "policy/member.hpp"
#include "policy/verdict.hpp"

namespace reaper::policy {

// Of families that need one member: older ones that share host, home and the rule's same_options with a newer one: pid -> pid of the
// newest, which stays. Only among members that are attached by a live host and nothing else.
[[nodiscard]] std::map<scanner::Pid, scanner::Pid> find_duplicates(const std::vector<Member>& members,
                                                                   const std::vector<Judgement>& judgements);

// A unit is ended whole or not at all. Both vectors are in the same order.
void settle_units(const std::vector<Member>& members, std::vector<Judgement>& judgements);

}  // namespace reaper::policy
