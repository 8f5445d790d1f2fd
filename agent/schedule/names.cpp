#include "agent/schedule/names.hpp"

#include <fmt/format.h>

namespace reaper::agent {

std::string service_unit(ScheduleKind kind, std::string_view account) {
    if (kind == ScheduleKind::system_timer) return fmt::format("orphan-reaper@{}.service", account);
    return kind == ScheduleKind::user_watch ? "orphan-reaper-watch.service"
                                            : "orphan-reaper.service";
}

std::string enabled_unit(ScheduleKind kind, std::string_view account) {
    if (kind == ScheduleKind::system_timer) return fmt::format("orphan-reaper@{}.timer", account);
    return kind == ScheduleKind::user_watch ? service_unit(kind, account) : "orphan-reaper.timer";
}

std::string service_file(ScheduleKind kind, const std::string& unit_folder) {
    if (kind == ScheduleKind::system_timer)
        return fmt::format("{}/orphan-reaper@.service", kSystemUnits);
    return fmt::format("{}/{}", unit_folder, service_unit(kind, ""));
}

std::string scheduled_words(ScheduleKind kind, bool report_only) {
    if (kind == ScheduleKind::user_watch || kind == ScheduleKind::launch_watch)
        return report_only ? "watch --report-only" : "watch";
    return report_only ? "report --quiet" : "sweep --quiet";
}

}  // namespace reaper::agent
