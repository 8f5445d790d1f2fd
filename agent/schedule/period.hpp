// How often, in the words of systemd and of cron.
#pragma once

#include <chrono>
#include <string>

#include <tl/expected.hpp>

namespace reaper::agent {

// The five fields of a crontab line: "*/5 * * * *". The error: cron cannot say that, and what it
// can.
[[nodiscard]] tl::expected<std::string, std::string> cron_fields(std::chrono::seconds every);

// The lines of a [Timer] section that replace those above: by the clock where the period divides an
// hour or a day, else from one run to the next.
[[nodiscard]] std::string timer_lines(std::chrono::seconds every);

}  // namespace reaper::agent
