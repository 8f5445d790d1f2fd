#include "agent/doctor/judge.hpp"

#include <fmt/format.h>

namespace reaper::agent {

Findings judge_machine(const Observations& seen) {
    Findings findings;
    add_sight(seen, findings);
    if (!seen.around_trouble.empty()) {
        add_rules(seen, findings);
        findings.push_back(
            {.id = "around",
             .status = FindingStatus::fail,
             .message = fmt::format("nothing else could be looked at: {}", seen.around_trouble)});
        return findings;
    }
    add_standing(seen, findings);
    add_kernel(seen, findings);
    add_limits(seen, findings);
    add_rules(seen, findings);
    add_history(seen, findings);
    add_schedule(seen, findings);
    add_last_sweep(seen, findings);
    add_homes(seen, findings);
    add_programs(seen, findings);
    return findings;
}

std::string name_of(const ScheduleOf& whose) {
    return whose.user.empty() ? fmt::format("user id {}", whose.uid) : whose.user;
}

std::string as_root(const Observations& seen, const std::string& command) {
    return seen.own_uid == 0 ? command : "sudo " + command;
}

}  // namespace reaper::agent
