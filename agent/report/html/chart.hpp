// What was ended, by day and family: as bars, and as a table of the same numbers.
#pragma once

#include <chrono>
#include <vector>

#include "agent/report/history_view.hpp"
#include "agent/report/html/markup.hpp"

namespace reaper::agent::html {

struct Period {
    double now = 0;
    std::chrono::milliseconds since{};
};

// Empty when nothing was ended or failed.
[[nodiscard]] Markup chart_of(const std::vector<Tally>& tallies, const Period& period);
[[nodiscard]] Markup table_of(const std::vector<Tally>& tallies);

}  // namespace reaper::agent::html
