// The vetoes: what forbids a kill whatever else is true.
#pragma once

#include <optional>
#include <vector>

#include "policy/match/member.hpp"
#include "policy/rules/verdict.hpp"
#include "policy/verdict/judge.hpp"

namespace reaper::policy {

// Everything that a member is judged by.
struct VetoInput {
    const scanner::Facts& facts;
    const Rules& rules;
    const Settings& settings;
    const PastEnds& past_ends;
};

// Adds every veto that applies to the evidence of the member. Returns what the vetoes say that the
// process is, the first that applies of: foreign, designated, supervised, attached, unknown. None:
// no veto says anything about the process itself.
[[nodiscard]] std::optional<Verdict> apply_vetoes(Member& member, const VetoInput& input);

}  // namespace reaper::policy
