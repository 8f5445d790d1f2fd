// What pid, lock and ledger files say against ending a member.
#pragma once

#include "policy/veto_list.hpp"
#include "policy/vetoes.hpp"

namespace reaper::policy {

void check_claims(const Member& member, const Surroundings& around, VetoList& vetoes);

// Found in the folders of the process's own user, and written by that user or root: nobody else's file says anything of
// it.
[[nodiscard]] bool speaks_of(const scanner::Claim& claim, const scanner::ProcessFacts& process);

// A claim that is to be believed: readable, written by the process's own user or root, with the start of the process
// it names or, where it records none, not older than that.
[[nodiscard]] bool is_valid_claim(const scanner::Claim& claim, const scanner::ProcessFacts& process,
                                  const scanner::Machine& machine);

// The updater that a marker names is alive, or may be. By the times alone: for 20 minutes whoever has its pid is, as the
// clock may have been stepped since, a marker that says nothing is an updater that is just writing it, and from inside of a container, or
// where /proc hides processes, an updater outside is not seen.
[[nodiscard]] bool is_update_running(const scanner::Claim& marker, const scanner::Machine& machine);

// By what it runs, too: however old the marker of an updater seems.
[[nodiscard]] bool is_update_running(const scanner::Claim& marker, const scanner::Machine& machine, const Rules& rules);

}  // namespace reaper::policy
