// Ends the steps of a plan, all side by side: verify, TERM and CONT, wait on the handles, verify
// again, KILL, wait.
#pragma once

#include <vector>

#include "agent/reaping/parts.hpp"
#include "agent/reaping/target.hpp"

namespace reaper::agent {

// Verifies all of a unit, and sends TERM and CONT to each of it that is planned, or to none.
void begin(const std::vector<ReaperTarget*>& unit);

// Ends all targets, and returns one outcome per target, in their order. Never signals a target
// after its verifier objected, and never sends more than TERM, CONT and KILL. Sleeps in poll(2)
// only, until a target exits or the next deadline. When one target of a unit (Judgement::ends_with)
// is objected to, or is not among the targets, none of that unit is signalled; one that has simply
// exited does not matter. A launcher gets TERM only when what it runs has ended and the launcher
// has not ended with it. The grace of a judgement runs from TERM on; so does its grace_cap, up to
// which a database that makes progress extends the grace.
[[nodiscard]] std::vector<Outcome> reap(std::vector<Target> targets, const ReaperParts& parts,
                                        const ReaperTimes& times = {});

}  // namespace reaper::agent
