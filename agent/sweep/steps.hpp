// The steps of a plan between two looks, as plain functions of what the looks saw.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "agent/observe/judged.hpp"
#include "agent/reaping/outcome.hpp"
#include "agent/reaping/reaper.hpp"
#include "agent/sweep/planned_ends.hpp"
#include "policy/verdict/plan.hpp"

namespace reaper::agent {

// What became of all that was to end, by pid.
using Outcomes = std::map<scanner::Pid, Outcome>;

// Drops all that is not as `planned` has it, by `facts`; and units of which not every half that
// would end is in there.
void keep_planned(std::vector<policy::Judgement>& judgements, const PlannedEnds& planned,
                  const scanner::Facts& facts);

// Drops targets that are not as `planned` has them, and says so in `outcomes`.
void leave_changed(std::vector<Target>& targets, const PlannedEnds& planned, const Judged& now,
                   Outcomes& outcomes);

[[nodiscard]] Outcome not_done(scanner::Pid pid, OutcomeResult result, std::string why);

// Whether the look has a handle of every step, and room for those of what they rely on.
[[nodiscard]] bool can_be_held(const policy::Plan& plan, const Look& look);

// The first steps of which that many handles can be held, with those that end together and those
// that are relied on. Empty: of none.
[[nodiscard]] std::set<scanner::Pid> first_batch(const policy::Plan& plan, std::size_t room);

// Steps that the second look still says are right, with the handles of the first one; of the
// others, what became of them.
[[nodiscard]] std::vector<Target> settled_targets(const policy::Plan& plan, Look& first,
                                                  const Judged& second, Outcomes& outcomes);

// Those of `pids` stay as the earlier look had them; all others are as the later one has them.
[[nodiscard]] Judged keep_from(const Judged& earlier, Judged later,
                               const std::set<scanner::Pid>& pids);

// Returns what was to end and is no longer there.
[[nodiscard]] std::set<scanner::Pid> missing_steps(
    const policy::Plan& plan, const std::vector<policy::Judgement>& judgements);

}  // namespace reaper::agent
