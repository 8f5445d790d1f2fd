// When a scheduled sweep last ran.
#include <fmt/format.h>

#include "agent/doctor/judge.hpp"
#include "agent/system/format.hpp"

namespace reaper::agent {

namespace {

using enum FindingStatus;

constexpr std::uint64_t kLongAgo = 24 * 60 * 60;  // seconds; a schedule sweeps every few minutes

// The latest end of a run; null: none is known.
const ScheduledUnit* last_run(const ScheduleState& schedule) {
    const ScheduledUnit* last = nullptr;
    for (const ScheduledUnit& unit : schedule.units) {
        if (!unit.sweeps || !unit.seconds_since_end || !unit.name.ends_with(".service")) continue;
        if (last == nullptr || *unit.seconds_since_end < *last->seconds_since_end) last = &unit;
    }
    return last;
}

std::string history_words(const HistoryFolder& history) {
    return history.last_end_s
               ? fmt::format("; something was last ended {} ago", age_text(*history.last_end_s))
               : std::string("; nothing was ever ended");
}

Finding last_finding(const Observations& seen) {
    const ScheduledUnit* last = last_run(seen.schedule);
    const std::string ended = history_words(seen.history);
    Finding finding{.id = "last_sweep"};
    if (last == nullptr) {
        finding.status = skip;
        finding.message = "when a scheduled sweep last ran is not recorded" + ended;
        return finding;
    }
    const std::uint64_t ago = *last->seconds_since_end;
    finding.status = ago > kLongAgo ? warn : ok;
    finding.message = fmt::format("{} last ran {} ago, with exit status {}{}", last->name,
                                  age_text(ago), last->exit_status.value_or(0), ended);
    finding.facts = {{"seconds_ago", static_cast<std::int64_t>(ago)}};
    return finding;
}

}  // namespace

void add_last_sweep(const Observations& seen, Findings& findings) {
    findings.push_back(last_finding(seen));
}

}  // namespace reaper::agent
