// Is a process whose grace is over still closing its database? Killing it in a checkpoint throws the work away, and the
// next one begins from zero.
#pragma once

#include "scanner/activity.hpp"

namespace reaper::agent {

enum class Overdue {
    working,     // holds a write lock and gets on: give it more time
    look_again,  // gets on, without a lock right now: locks flicker between two transactions
    done,        // does nothing, or holds a lock and does not get on: it is stuck
};

// What it did between two samples.
[[nodiscard]] Overdue judge_overdue(const scanner::Activity& before, const scanner::Activity& now);

}  // namespace reaper::agent
