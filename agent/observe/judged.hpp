// One look at the machine, and what policy decided about it.
#pragma once

#include <string>
#include <vector>

#include "agent/observe/setup.hpp"
#include "agent/observe/snapshot.hpp"
#include "policy/verdict/judge.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

struct Judged {
    Look look;
    std::vector<policy::Judgement> judgements;
    std::vector<std::string> remarks = {};  // what a reader must know
};

// Looks, judges, and reads what the judgements ask for. Knows nothing of earlier runs: see
// apply_respawn_history(). Fails only when the machine cannot be looked at at all.
[[nodiscard]] Result<Judged> look_and_judge(const Observer& observer, const Setup& setup,
                                            const KeepHandles& held = std::nullopt);

// Null: the process was not judged.
[[nodiscard]] const policy::Judgement* find_judgement(const Judged& judged, scanner::Pid pid);
[[nodiscard]] const scanner::ProcessFacts* find_facts(const Judged& judged, scanner::Pid pid);

}  // namespace reaper::agent
