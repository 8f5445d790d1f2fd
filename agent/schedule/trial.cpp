#include <fmt/format.h>

#include "agent/reaping/command.hpp"
#include "agent/schedule/manager.hpp"
#include "agent/schedule/trial.hpp"

namespace reaper::agent {

ScheduleCheck try_report(const Situation& found, ScheduleKind kind) {
    const auto answer = ask({.argv = trial_command(found, kind),
                             .environment = is_confined(found, kind) ? manager_environment()
                                                                     : environment_of_cron(found),
                             .limit = std::chrono::minutes(1)});
    return answer
               ? judge_trial(found, *answer)
               : ScheduleCheck{"report", CheckResult::failed,
                               fmt::format("a report did not work: {}", describe(answer.error()))};
}

}  // namespace reaper::agent
