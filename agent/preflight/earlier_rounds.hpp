// What earlier rounds of a preflight did: the last look sees nothing of it any more.
#pragma once

#include <vector>

#include "agent/report/report.hpp"

namespace reaper::agent {

// True if the helper was started again after its end. The new one is for the next round.
[[nodiscard]] bool was_respawned(const ReportedProcess& process);

class EarlierRounds {
   public:
    // Keeps what that round signalled or removed; drops all that it only looked at.
    void add(Report report);
    // Puts it into the report of the last round. What that names as well is taken from there.
    void move_into(Report& report);
    // Helpers that were started again, one for each time.
    [[nodiscard]] const std::vector<ReportedProcess>& respawned() const { return respawned_; }

   private:
    Report done_;
    std::vector<ReportedProcess> respawned_;
};

}  // namespace reaper::agent
