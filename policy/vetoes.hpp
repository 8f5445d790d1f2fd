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

// Adds every veto that applies to the member's evidence. The result is what the vetoes say that the process is: the
// first in this order of what applies: foreign, designated, supervised, attached, unknown. None: no veto that speaks of
// the process itself.
[[nodiscard]] std::optional<Verdict> apply_vetoes(Member& member, const Surroundings& around);

}  // namespace reaper::policy
