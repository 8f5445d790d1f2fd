// Ending a process must not end another one that stays, so processes below one that is to be ended
// can hold it.
#pragma once

#include <vector>

#include "policy/match/member.hpp"
#include "policy/verdict/judge.hpp"
#include "policy/verdict/vetoes.hpp"

namespace reaper::policy {

// Turns `reap` into `report`, with veto.descendant, for every member with a living descendant that
// must stay. A member below holds it for any reason other than its live host, which may be this
// one. A daemon that left the session goes on without its host, so it holds only what runs it in
// its own place. Any other process below holds only a runner: if it listens, is traced, has another
// user, leads a terminal, is protected by a rule, or could not be read. Both vectors are in the
// same order. Call it before settle_units().
void hold_by_descendants(const std::vector<Member>& members, const VetoInput& input,
                         std::vector<Judgement>& judgements);

// True if it leads the session of a terminal, which is hung up when it ends.
[[nodiscard]] bool leads_terminal(const scanner::ProcessRow& row);

}  // namespace reaper::policy
