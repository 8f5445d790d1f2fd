// What forbids a kill whatever else is true.
#pragma once

#include <optional>
#include <vector>

#include "policy/judge.hpp"
#include "policy/member.hpp"
#include "policy/verdict.hpp"

namespace reaper::policy {

// Everything a veto is checked against.
struct Surroundings {
    const scanner::Facts& facts;
    const Rules& rules;
    const Settings& settings;
};

// Adds every veto that applies to the member's evidence. The result is what the vetoes say that the process is: the first in this
// order of what applies: foreign, designated, supervised, attached, unknown. None: no veto that speaks of the process itself.
[[nodiscard]] std::optional<Verdict> apply_vetoes(Member& member, const Surroundings& around);

// A claim that is to be believed: readable, written by the process's own user or root, and not older than the process it names.
[[nodiscard]] bool is_valid_claim(const scanner::Claim& claim, const scanner::ProcessFacts& process,
                                  const scanner::Machine& machine);

}  // namespace reaper::policy
