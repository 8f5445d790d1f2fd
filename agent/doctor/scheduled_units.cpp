// Which of the units sweep. Pure.
#include <algorithm>

#include "agent/doctor/schedule_state.hpp"

namespace reaper::agent {

bool is_loaded(const ScheduledUnit& unit) {
    return unit.load == "loaded";
}

bool is_timer(const ScheduledUnit& unit) {
    return unit.name.ends_with(".timer");
}

bool would_sweep(const ScheduleState& schedule, const ScheduledUnit& unit) {
    if (!is_timer(unit)) return unit.sweeps;
    return std::ranges::any_of(schedule.units, [&](const ScheduledUnit& other) {
        return other.name == unit.starts && other.of_user_manager == unit.of_user_manager &&
               other.sweeps;
    });
}

bool is_active(const ScheduledUnit& unit) {
    return (is_timer(unit) || unit.name == kWatchUnit) && unit.active == "active";
}

bool is_alive(const ScheduleState& schedule, const ScheduledUnit& unit) {
    return is_active(unit) && would_sweep(schedule, unit);
}

}  // namespace reaper::agent
