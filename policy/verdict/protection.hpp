// Keeps what rules of the user protect.
#pragma once

#include <string>

#include "policy/match/member.hpp"
#include "policy/verdict/veto_list.hpp"
#include "policy/verdict/vetoes.hpp"

namespace reaper::policy {

// Returns the rule that protects this process of that home (empty: it is no member). Null: there is
// none.
[[nodiscard]] const ProtectRule* find_protection(const scanner::ProcessFacts& process,
                                                 const std::string& home, const VetoInput& input);

// Adds a veto for each rule that protects the member, and one if the rules of its user could not be
// read.
void check_protection(const Member& member, const VetoInput& input, VetoList& vetoes);

}  // namespace reaper::policy
