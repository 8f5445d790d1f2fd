// Makes a report of what was judged.
#pragma once

#include <vector>

#include "agent/cli/options.hpp"
#include "agent/observe/judged.hpp"
#include "agent/observe/setup.hpp"
#include "agent/report/report.hpp"

namespace reaper::agent {

// Builds the part of a report that follows from one look. The caller concludes it.
[[nodiscard]] Report report_of(const Judged& judged, const SweepOptions& options,
                               const Setup& setup);

// The run that came to `report`, as it is written down.
[[nodiscard]] Run run_of(const Report& report);

// Drops all processes but `pids` from the report. Returns those of `pids` that the report does not
// have.
[[nodiscard]] std::vector<scanner::Pid> keep_only(Report& report,
                                                  const std::vector<scanner::Pid>& pids);

}  // namespace reaper::agent
