// What will be done, as data, before anything is done.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "policy/rules/verdict.hpp"

namespace reaper::policy {

struct Plan {
    // Judgements with the action reap: children before the processes that started them, then by
    // pid.
    std::vector<Judgement> steps;
    std::string refusal;  // not empty: why nothing of this plan may be done

    bool operator==(const Plan&) const = default;
};

// Makes the plan. More than max_kills steps refuse the whole plan, not only the rest of it.
[[nodiscard]] Plan make_plan(const std::vector<Judgement>& judgements, std::size_t max_kills);

}  // namespace reaper::policy
