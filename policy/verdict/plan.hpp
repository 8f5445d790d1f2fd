// What will be done, as data, before anything is done.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "policy/rules/verdict.hpp"

namespace reaper::policy {

struct Plan {
    // Judgements with the action reap: children before the processes that started them, then by
    // pid.
    std::vector<Judgement> steps;
    // What a limit forbids: all that would be ended of a user who has too much of it.
    std::vector<Judgement> refused;
    std::string refusal;  // why; empty: nothing is refused

    bool operator==(const Plan&) const = default;
};

// Processes by user.
using Counts = std::map<scanner::Uid, std::size_t>;

// Makes the plan. More than max_kills steps of one user, together with those in `earlier`, refuse
// all of that user's, not only the rest of them, and nothing of other users'.
[[nodiscard]] Plan make_plan(const std::vector<Judgement>& judgements, std::size_t max_kills,
                             const Counts& earlier = {});

}  // namespace reaper::policy
