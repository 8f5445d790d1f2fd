// Judges helpers by hosts and holders that are leaked themselves.
#pragma once

#include <vector>

#include "policy/match/member.hpp"
#include "policy/rules/verdict.hpp"

namespace reaper::policy {

// Adds the note "host.leaked" to what is attached to a leaked host. If that host is only reported,
// what it started is left with it: it becomes `held`, and is reported, never ended.
void leave_with_leaked_hosts(std::vector<Judgement>& judgements);

// Adds "stdin.held_by_leaked" to what is held by leaked processes alone. Both vectors are in the
// same order.
void note_leaked_holders(const std::vector<Member>& members, std::vector<Judgement>& judgements);

}  // namespace reaper::policy
