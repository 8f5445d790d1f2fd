// The commands that look at the machine they run on: here_linux.cpp, or here_other.cpp where this program cannot see the processes.
#pragma once

#include <functional>
#include <string>

#include "agent/cli.hpp"
#include "agent/options.hpp"
#include "agent/report.hpp"
#include "agent/setup.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

// The report of the command in `options`; for `rules`, the one of which processes match. Fails when the machine cannot be looked at
// at all; function_not_supported: no machine with this system can.
[[nodiscard]] Result<Report> run_here(const Options& options, const Setup& setup);

// Concludes a report and writes it; gives back the exit status.
using ShowReport = std::function<int(Report)>;

// Sweeps, cleans, looks for what is still in the way of an update and shows it; then runs the program in `options` if nothing is. Gives back
// the exit status, of that program where it ran. Fails when the machine cannot be looked at at all, or the program not be started.
[[nodiscard]] Result<int> run_preflight(const Options& options, const Setup& setup, const ShowReport& show);

// What `history` prints: asks nothing but the history files of this user. Fails when one of them is there and cannot be read.
[[nodiscard]] Result<std::string> run_history(const Options& options, const RenderOptions& render);

// Runs options.program as a helper that ends with its host, and gives back its exit status. What went wrong before it could start:
// function_not_supported's message where this system has no means of it.
[[nodiscard]] tl::expected<int, Message> run_helper(const Options& options);

// Watches until it is told to stop, and gives back the exit status. The error: why it cannot begin.
[[nodiscard]] tl::expected<int, Message> run_watch(const Options& options, Setup setup);

}  // namespace reaper::agent
