// The commands: each takes what its options are, those that it has alone in `own`, and returns what
// to report.
#pragma once

#include <optional>
#include <string>

#include "agent/cli/options.hpp"
#include "agent/observe/setup.hpp"
#include "agent/report/report.hpp"
#include "agent/sweep/planned_ends.hpp"
#include "scanner/model/record.hpp"
#include "scanner/model/result.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

// These fail only when the machine cannot be looked at at all: what could not be read is in the
// report, as incomplete. The caller concludes the report. `planned`: all that a sweep may end;
// none: whatever is leaked.
[[nodiscard]] Result<Report> run_report(const scanner::ProcessTable& table,
                                        const SweepOptions& options, const ReportOptions& own,
                                        const Setup& setup);
[[nodiscard]] Result<Report> run_sweep(const scanner::ProcessTable& table,
                                       const SweepOptions& options, const Setup& setup,
                                       std::optional<PlannedEnds> planned = std::nullopt);
[[nodiscard]] Result<Report> run_explain(const scanner::ProcessTable& table,
                                         const SweepOptions& options, const ExplainOptions& own,
                                         const Setup& setup);
// Reports on pid and lock files; with --clean, removes the stale ones.
[[nodiscard]] Result<Report> run_pid_files(const scanner::ProcessTable& table,
                                           const SweepOptions& options, const PidFilesOptions& own,
                                           const Setup& setup);

// Do what run_report() and run_explain() do, but from the facts in options.from_facts, without
// looking at this machine. Fail when that file cannot be read or understood.
[[nodiscard]] Result<Report> run_replay(const SweepOptions& options, const ExplainOptions& explain,
                                        Setup setup);

// The part of it that follows the file: whatever the facts say, as nothing is looked up that they
// need not have.
[[nodiscard]] Report replay(scanner::Record record, const SweepOptions& options,
                            const ExplainOptions& explain, Setup setup);

// What `merge` prints, and its exit status.
struct MergedReports {
    std::string text;
    ExitStatus exit_status = ExitStatus::clean;
};
// Reads the reports of machines, which may be pipes, one after the other, and makes one of them.
// What cannot be read or understood is named in there. Looks at nothing else.
[[nodiscard]] MergedReports run_merge(const MergeOptions& own, Format format,
                                      const RenderOptions& render);

// What `rules show` and `rules check` print. Fails when the machine cannot be looked at.
[[nodiscard]] Result<std::string> run_rules(const SweepOptions& options, const Setup& setup,
                                            const RenderOptions& render);

}  // namespace reaper::agent
