// The commands that look at the machine they run on: here_linux.cpp, or here_other.cpp where this program cannot see the processes.
#pragma once

#include "agent/options.hpp"
#include "agent/report.hpp"
#include "agent/setup.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

// The report of the command in `options`; for `rules`, the one of which processes match. Fails when the machine cannot be looked at
// at all; function_not_supported: no machine with this system can.
[[nodiscard]] Result<Report> run_here(const Options& options, const Setup& setup);

}  // namespace reaper::agent
