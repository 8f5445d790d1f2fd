#include <fmt/format.h>

#include "agent/schedule/command.hpp"
#include "agent/schedule/manager.hpp"
#include "agent/schedule/trial.hpp"

namespace reaper::agent {

ScheduleCheck try_report(const Situation& found, ScheduleKind kind) {
    const auto answer = ask({.argv = trial_command(found, kind),
                             .environment = is_confined(found, kind) ? manager_environment()
                                                                     : environment_of_cron(found),
                             .limit = std::chrono::minutes(1)});
    if (!answer)
        return {"report", CheckResult::failed,
                fmt::format("a report did not work: {}", describe(answer.error()))};
    const std::string what = answer->status == 0   ? "nothing leaked is left"
                             : answer->status == 1 ? "leaks were found"
                                                   : complaint(*answer);
    if (answer->status == 0 || answer->status == 1)
        return {"report", CheckResult::ok,
                fmt::format("a report ran as {} just now: exit status {}, {}", found.account,
                            answer->status, what)};
    return {"report", CheckResult::failed,
            fmt::format("a report as {} ended with exit status {}: {}", found.account,
                        answer->status, what),
            fmt::format("{} report", found.program)};
}

}  // namespace reaper::agent
