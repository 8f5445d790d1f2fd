// Is a process whose grace is over still closing its database? Killing it in a checkpoint throws the work away, and the
// next one begins from zero.
#pragma once

#include <chrono>
#include <optional>

#include "scanner/activity.hpp"

namespace reaper::agent {

enum class Overdue {
    working,     // holds a write lock and gets on: give it more time
    look_again,  // gets on, without a lock right now: locks flicker between two transactions
    done,        // does nothing, or holds a lock and does not get on: it is stuck
};

// What it did between two samples.
[[nodiscard]] Overdue judge_overdue(const scanner::Activity& before, const scanner::Activity& now);

// With one process, from TERM on.
class Patience {
   public:
    // What it is like as its grace begins; what it does at the end of it is compared with that.
    void begin(const scanner::Activity& sample) { before_ = sample; }
    // Its grace is over: how soon to ask again, `slice` for one that works, `blink` where that takes another look. None: it has had its
    // time.
    [[nodiscard]] std::optional<std::chrono::milliseconds> more(const scanner::Activity& now,
                                                                std::chrono::milliseconds slice,
                                                                std::chrono::milliseconds blink);

   private:
    std::optional<scanner::Activity> before_;
    int blinks_ = 0;  // looks in a row that found work but no lock
};

}  // namespace reaper::agent
