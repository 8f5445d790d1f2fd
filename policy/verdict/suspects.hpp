// Finds the members that may be leaked, before they are judged: only of those more is read.
#pragma once

#include <set>
#include <vector>

#include "policy/match/member.hpp"
#include "policy/verdict/settings.hpp"
#include "scanner/model/facts.hpp"

namespace reaper::policy {

struct Suspects {
    std::set<scanner::Pid> hostless;  // adopted
    std::set<scanner::Pid> hosted;    // cut off from a living host, or one of several that it has
    std::set<scanner::Pid> to_end;    // those of both that rules and settings would have ended
};

// Returns every member whose verdict can be a leak, by age, parent, stdio and the other members of
// its home, and others that a veto keeps. Nothing that is read later makes a leak of any other.
[[nodiscard]] Suspects find_suspects(const std::vector<Member>& members,
                                     const scanner::Machine& machine, const Settings& settings);

}  // namespace reaper::policy
