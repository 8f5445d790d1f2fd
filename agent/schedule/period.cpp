#include "agent/schedule/period.hpp"

#include <fmt/format.h>

#include "policy/text/duration.hpp"

namespace reaper::agent {

namespace {

using std::chrono::seconds;

constexpr long kMinute = 60;
constexpr long kHour = 60 * kMinute;
constexpr long kDay = 24 * kHour;

bool divides_hour(long period) {
    return period % kMinute == 0 && period < kHour && kHour % period == 0;
}

bool divides_day(long period) {
    return period % kHour == 0 && period < kDay && kDay % period == 0;
}

}  // namespace

tl::expected<std::string, std::string> cron_fields(seconds every) {
    const long period = every.count();
    if (period == kMinute) return "* * * * *";
    if (divides_hour(period)) return fmt::format("*/{} * * * *", period / kMinute);
    if (period == kHour) return "0 * * * *";
    if (divides_day(period)) return fmt::format("0 */{} * * *", period / kHour);
    if (period == kDay) return "0 0 * * *";
    return tl::unexpected(
        fmt::format("--every {}: cron cannot do that; expected 1m, 2m, 3m, 4m, 5m, 6m, 10m, 12m, "
                    "15m, 20m, 30m, 1h, 2h, 3h, 4h, 6h, 8h, 12h or 24h",
                    policy::duration_text(every)));
}

std::string timer_lines(seconds every) {
    const long period = every.count();
    if (divides_hour(period))
        return fmt::format("OnCalendar=\nOnCalendar=*:0/{}\n", period / kMinute);
    if (period == kHour) return "OnCalendar=\nOnCalendar=*:00\n";
    if (divides_day(period))
        return fmt::format("OnCalendar=\nOnCalendar=0/{}:00\n", period / kHour);
    if (period == kDay) return "OnCalendar=\nOnCalendar=*-*-* 00:00:00\n";
    return fmt::format("OnCalendar=\nOnActiveSec={0}\nOnUnitActiveSec={0}\n", period);
}

}  // namespace reaper::agent
