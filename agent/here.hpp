// The commands that look at the machine they run on: here_linux.cpp, or here_other.cpp where this program cannot see the processes.
#pragma once

#include <string>

#include "agent/options.hpp"
#include "agent/report.hpp"
#include "agent/setup.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

// The report of the command in `options`; for `rules`, the one of which processes match. Fails when the machine cannot be looked at
// at all; function_not_supported: no machine with this system can.
[[nodiscard]] Result<Report> run_here(const Options& options, const Setup& setup);

// What `history` prints: asks nothing but the history files of this user. Fails when one of them is there and cannot be read.
[[nodiscard]] Result<std::string> run_history(const Options& options, const RenderOptions& render);

}  // namespace reaper::agent
