// Turns facts, rules and what the history says into one judgement per family member. Pure: the same
// input gives the same output, byte for byte.
#pragma once

#include <optional>
#include <vector>

#include "policy/match/member.hpp"
#include "policy/rules/rules.hpp"
#include "policy/rules/verdict.hpp"
#include "policy/verdict/respawn_veto.hpp"
#include "policy/verdict/settings.hpp"
#include "scanner/model/facts.hpp"

namespace reaper::policy {

// Judges all members, sorted by pid. Candidates that no rule matches are skipped.
[[nodiscard]] std::vector<Judgement> judge(const scanner::Facts& facts, const Rules& rules,
                                           const Settings& settings, const PastEnds& past_ends);

// Judges one process, as judge() does among all: with its unit, with what is below that, with what
// it could be a duplicate of, and with the designation of its home. Leaves out the note
// "host.leaked". None: judge() has no judgement of it. `memory`: by the same rules; it saves the
// matching of what has not changed since an earlier call.
[[nodiscard]] std::optional<Judgement> judge_one(scanner::Pid pid, const scanner::Facts& facts,
                                                 MatchMemory& memory, const Settings& settings,
                                                 const PastEnds& past_ends);

}  // namespace reaper::policy
