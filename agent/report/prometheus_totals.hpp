// What is counted since the history began, as metrics.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/history/totals.hpp"
#include "agent/report/prometheus_text.hpp"

namespace reaper::agent {

// Adds the counters, with a zero for each of `families` that has none yet: a first end is seen as
// an increase only after a zero.
void add_totals(const Totals& totals, const std::vector<std::string>& families, MetricText& text);

// Adds when each command ran last, how long that took, and how it ended.
void add_last_runs(const Totals& totals, MetricText& text);

// What `history` prints.
[[nodiscard]] std::string render_totals_prometheus(const Totals& totals, std::string_view version,
                                                   std::string_view commit);

}  // namespace reaper::agent
