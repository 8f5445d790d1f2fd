// Assesses whether a member is leaked, by its parent and stdio, without regard to vetoes.
#pragma once

#include <chrono>

#include "policy/match/member.hpp"
#include "policy/rules/verdict.hpp"
#include "policy/verdict/designation.hpp"

namespace reaper::policy {

// Adds evidence to the member. Returns one of: orphan, superseded, abandoned, held, attached,
// supervised, young, unknown. `designation` is that of its home.
[[nodiscard]] Verdict assess(Member& member, const scanner::Facts& facts,
                             const Designation& designation, std::chrono::milliseconds min_age);

}  // namespace reaper::policy
