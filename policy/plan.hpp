// What will be done, as data, before anything is done.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "policy/verdict.hpp"

namespace reaper::policy {

struct Plan {
    std::vector<Judgement> steps;  // whose action is reap: leaves before what started them, then by pid
    std::string refusal;           // not empty: nothing of this plan may be done, and why

    bool operator==(const Plan&) const = default;
};

// More than max_kills steps refuse the whole plan, not the rest of it.
[[nodiscard]] Plan make_plan(const std::vector<Judgement>& judgements, std::size_t max_kills);

}  // namespace reaper::policy
