// Decides whether a process whose grace is over still works on its database. KILL in the middle of
// a checkpoint would throw that work away, and the next start would begin it from zero.
#pragma once

#include <chrono>
#include <optional>

#include "scanner/activity.hpp"

namespace reaper::agent {

// Extends the grace of one process, from TERM on.
class GraceExtension {
   public:
    // Takes the sample at the begin of the grace, with which later ones are compared.
    void begin(const scanner::Activity& sample) { before_ = sample; }
    // Returns when to ask again after the grace is over: `slice` for a process that holds a write
    // lock and gets on; `retry_delay`, a few times, for one that gets on without a lock right now,
    // as locks flicker between two transactions. None: it does nothing, or is stuck with a lock.
    [[nodiscard]] std::optional<std::chrono::milliseconds> more(
        const scanner::Activity& now, std::chrono::milliseconds slice,
        std::chrono::milliseconds retry_delay);

   private:
    std::optional<scanner::Activity> before_;
    int retries_ = 0;  // samples in a row that showed work but no lock
};

}  // namespace reaper::agent
