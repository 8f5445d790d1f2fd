#include "agent/schedule/parts.hpp"

namespace reaper::agent {

std::string_view to_string(ScheduleKind kind) {
    switch (kind) {
        case ScheduleKind::user_timer: return "user timer";
        case ScheduleKind::user_watch: return "watch service";
        case ScheduleKind::system_timer: return "system timer";
        case ScheduleKind::user_cron: return "user crontab";
        case ScheduleKind::system_cron: return "system crontab";
        case ScheduleKind::launch_agent: return "launch agent";
        case ScheduleKind::launch_watch: return "watch agent";
        case ScheduleKind::launch_daemon: return "launch daemon";
        case ScheduleKind::brew_service: return "brew service";
    }
    return "";
}

bool is_written_by_install(std::string_view text) {
    return text.substr(0, text.find('\n')) == kWrittenByInstall;
}

}  // namespace reaper::agent
