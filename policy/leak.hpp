// Is it leaked? What parent and stdio say of one member, vetoes aside.
#pragma once

#include <chrono>

#include "policy/designation.hpp"
#include "policy/member.hpp"
#include "policy/verdict.hpp"

namespace reaper::policy {

// Adds what was found to the member's evidence. One of: orphan, superseded, abandoned, held, attached, young, unknown.
// `designation` is that of the member's home.
[[nodiscard]] Verdict assess(Member& member, const scanner::Facts& facts, const Designation& designation,
                             std::chrono::milliseconds min_age);

}  // namespace reaper::policy
