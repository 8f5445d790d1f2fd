#include "agent/doctor/judge.hpp"

#include <fmt/format.h>

#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

constexpr std::size_t kLongestFix = 2000;  // more would be cut off where it is shown

// A path may be escaped already, as those in the troubles of rules are.
bool can_be_typed(const std::string& fix) {
    return policy::escape(fix, kLongestFix) == fix && fix.find("\\x") == std::string::npos;
}

Findings judge_all(const Observations& seen) {
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

}  // namespace

Findings judge_machine(const Observations& seen) {
    Findings findings = judge_all(seen);
    for (Finding& finding : findings) {
        if (!can_be_typed(finding.fix)) finding.fix.clear();
    }
    return findings;
}

std::string name_of(const ScheduleOf& whose) {
    return whose.user.empty() ? fmt::format("user id {}", whose.uid) : whose.user;
}

std::string as_root(const Observations& seen, const std::string& command) {
    return seen.own_uid == 0 ? command : "sudo " + command;
}

}  // namespace reaper::agent
