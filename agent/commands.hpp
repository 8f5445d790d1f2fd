// The commands: each takes its options and gives back what to report.
#pragma once

#include <vector>

#include "agent/history.hpp"
#include "agent/look.hpp"
#include "agent/options.hpp"
#include "agent/report.hpp"
#include "agent/setup.hpp"
#include "scanner/process_table.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

// All fail only when the machine cannot be looked at at all. The report is concluded by the caller.
[[nodiscard]] Result<Report> run_report(const scanner::Procfs& procfs, const Options& options, const Setup& setup);
[[nodiscard]] Result<Report> run_sweep(const scanner::Procfs& procfs, const Options& options, const Setup& setup);
[[nodiscard]] Result<Report> run_explain(const scanner::Procfs& procfs, const Options& options, const Setup& setup);
// What pid and lock files name; with --clean, removes the stale ones.
[[nodiscard]] Result<Report> run_pid_files(const scanner::Procfs& procfs, const Options& options, const Setup& setup);

// The same as run_report() and run_explain(), but from the facts in options.from_facts: asks this machine nothing. Fails when that
// file cannot be read or understood.
[[nodiscard]] Result<Report> run_replay(const Options& options, Setup setup);

// What `rules show` and `rules check` print. Fails when the machine cannot be looked at.
[[nodiscard]] Result<std::string> run_rules(const Options& options, const Setup& setup, const RenderOptions& render);

// Drops the other processes; gives back those of `pids` that the report does not have.
[[nodiscard]] std::vector<scanner::Pid> keep_only(Report& report, const std::vector<scanner::Pid>& pids);

// A look and what was decided about it.
struct Judged {
    Look look;
    std::vector<policy::Judgement> judgements;
    std::vector<Respawn> respawns = {};     // since earlier runs, that the history does not have yet
    std::vector<std::string> remarks = {};  // what a reader must know
};

// Also by the history of this user: see heed_history().
[[nodiscard]] Result<Judged> look_and_judge(const Lookout& lookout, const Setup& setup, Past& past,
                                            const Held& held = std::nullopt);
// The same without it: what is only to be looked at, and ended by nobody.
[[nodiscard]] Result<Judged> look_and_judge_anew(const Lookout& lookout, const Setup& setup,
                                                 const Held& held = std::nullopt);

// None: nobody of that pid was judged.
[[nodiscard]] const policy::Judgement* find_judgement(const Judged& judged, scanner::Pid pid);
[[nodiscard]] const scanner::ProcessFacts* find_facts(const Judged& judged, scanner::Pid pid);

// The part of a report that follows from one look.
[[nodiscard]] Report report_of(const Judged& judged, const Options& options, const Setup& setup);

}  // namespace reaper::agent
