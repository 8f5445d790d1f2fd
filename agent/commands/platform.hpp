// The commands that look at this machine: platform_linux.cpp, or platform_other.cpp where this
// program cannot see the processes.
#pragma once

#include <functional>
#include <string>

#include "agent/cli/cli.hpp"
#include "agent/cli/options.hpp"
#include "agent/observe/setup.hpp"
#include "agent/report/report.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

// The report of the command in `options`. Fails when the machine cannot be looked at at all;
// function_not_supported: no machine with this system can.
[[nodiscard]] Result<Report> run_on_this_machine(const Options& options, const Setup& setup);

// The report of which processes match, for `rules check`. Fails as the last one does, except that
// a system where nothing can be looked at gets an incomplete report.
[[nodiscard]] Result<Report> find_matching(const SweepOptions& options, const Setup& setup);

// Concludes a report and writes it; returns the exit status.
using ShowReport = std::function<int(Report)>;

// Sweeps, cleans, looks for what is still in the way of an update and shows it; then runs the
// program in `own` if nothing is. Gives back the exit status, of that program where it ran.
// Fails when the machine cannot be looked at at all, or the program not be started.
[[nodiscard]] Result<int> run_preflight(const SweepOptions& options, const PreflightOptions& own,
                                        const Setup& setup, const ShowReport& show);

// What `history` prints: asks nothing but the history files of this user. Fails when one of them is
// there and cannot be read.
[[nodiscard]] Result<std::string> run_history(const HistoryOptions& own, Format format,
                                              const RenderOptions& render);

// Writes down that a run of `options` came to `report`, unless it was to end or to record nothing;
// and reads for metrics what the history adds up to. A history that cannot be used is no failure of
// a run that is over: the report has said so, or has no counters.
void note_and_total(const Options& options, Report& report);
// Writes down one that did not begin, as its rules are wrong: sweeps that fail for ever are seen.
void note_unstarted(const Options& options, int exit_status);

// What `doctor` prints, and its exit status.
struct DoctorReport {
    std::string text;
    ExitStatus exit_status = ExitStatus::clean;
};
// Checks the machine and the setup of this program on it; changes nothing. Fails where the command
// line is wrong; what could not be looked at is in the text.
[[nodiscard]] tl::expected<DoctorReport, Message> run_doctor(const ScopeOptions& options,
                                                             const DoctorOptions& own,
                                                             Format format,
                                                             const RenderOptions& render);

// Hands the sweep over to a process that outlives this one, prints nothing, and returns the exit
// status. `sweep` is called there, in place of run_on_this_machine(), and writes the report.
[[nodiscard]] tl::expected<int, Message> run_detached(
    const Options& options, const std::function<int(const Options&)>& sweep);

// Runs own.program as a helper that ends with its host, and gives back its exit status. What
// went wrong before it could start: function_not_supported's message where this system has no means
// of it.
[[nodiscard]] tl::expected<int, Message> run_helper(const ScopeOptions& options,
                                                    const RunOptions& own, bool verbose);

struct ScheduleAnswer {
    std::string text;
    int status = 0;
};

// Installs, removes or shows what sweeps every few minutes; its text and exit status. The error:
// why nothing was done, or not all of it.
[[nodiscard]] tl::expected<ScheduleAnswer, Message> run_schedule(const Options& options);

struct HooksAnswer {
    std::string text;
    int status = 0;
};
// Shows what would be changed, and says whether it may be.
using AskPerson = std::function<bool(const std::string& plan)>;

// Installs, removes or shows the hooks of agent hosts; its text and exit status. `ask` is called
// at most once, and not with --yes. The error: why nothing was done.
[[nodiscard]] tl::expected<HooksAnswer, Message> run_hooks(const Options& options,
                                                           const AskPerson& ask);

// Watches until a signal ends it, and returns the exit status. Fails when it cannot begin.
[[nodiscard]] tl::expected<int, Message> run_watch(const WatchOptions& options, Setup setup);

// Serves tools to the agent host that started this, over stdin and stdout, and returns the exit
// status once the host has gone. Fails when it cannot begin.
[[nodiscard]] tl::expected<int, Message> run_mcp(const Options& options);

// To be called last: waits a second at most until the journal of systemd has read what was written
// to stderr. It asks the process of which unit a line is: one that has ended by then has said it
// for no unit. Does nothing where stderr goes elsewhere.
void let_journal_read();

}  // namespace reaper::agent
