// The steps of a plan between two looks, as plain functions of what the looks saw.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "agent/commands.hpp"
#include "agent/outcome.hpp"
#include "agent/reaper.hpp"
#include "policy/plan.hpp"

namespace reaper::agent {

// Of everybody who was to end, by pid.
using Outcomes = std::map<scanner::Pid, Outcome>;

[[nodiscard]] Outcome not_done(scanner::Pid pid, OutcomeResult result, std::string why);

// Steps that the second look still says are right, with the handles of the first one; of the others, what became of them.
[[nodiscard]] std::vector<Target> settled_targets(const policy::Plan& plan, Look& first, const Judged& second,
                                                  Outcomes& outcomes);

// Those of `pids` stay as the earlier look had them; everybody else is as the later one has it.
[[nodiscard]] Judged keep_from(const Judged& earlier, Judged later, const std::set<scanner::Pid>& pids);

// Who was to end and is no longer there.
[[nodiscard]] std::set<scanner::Pid> missing_steps(const policy::Plan& plan,
                                                   const std::vector<policy::Judgement>& judgements);

}  // namespace reaper::agent
