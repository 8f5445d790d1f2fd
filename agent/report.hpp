// One report model, several renderers. The model holds what was found, decided and done; renderers only lay it out. Every renderer
// returns printable ASCII (and newlines), whatever bytes the processes put into their names and arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/exit_status.hpp"
#include "agent/options.hpp"
#include "agent/outcome.hpp"
#include "agent/removal.hpp"
#include "policy/obstacles.hpp"
#include "policy/pid_files.hpp"
#include "policy/verdict.hpp"
#include "scanner/facts.hpp"

namespace reaper::agent {

struct ReportedProcess {
    policy::Judgement judgement;
    scanner::ProcessFacts facts;
    std::optional<Outcome> outcome;
};

struct ReportedFile {
    scanner::ClaimFile file;
    policy::FileJudgement judgement;
    std::optional<Removal> removal;
};

struct ReportSummary {
    std::size_t matched = 0;
    std::size_t to_reap = 0;
    std::size_t reaped = 0;  // ended by a signal of ours
    std::size_t reported = 0;
    std::size_t kept = 0;
    std::size_t failed = 0;               // should have ended, but did not, or came back
    std::uint64_t reclaimable_bytes = 0;  // of everything in to_reap
    std::uint64_t reclaimed_bytes = 0;    // of everything in reaped
    std::size_t files_stale = 0;          // provably, and to be removed
    std::size_t files_removed = 0;
    std::size_t files_failed = 0;  // should have been removed, but were not
};

struct Report {
    std::string version;
    std::string command;      // "report", "sweep", "preflight", "explain", "pidfiles"
    std::string scope_words;  // options that give another command the same scope, see cli.hpp
    bool dry_run = false;
    bool replayed = false;  // judged from facts in a file
    bool interrupted = false;
    std::size_t max_kills = Options{}.max_kills;  // more than that a sweep refuses
    scanner::Machine machine;
    double started_epoch = 0;
    double elapsed_ms = 0;
    std::vector<scanner::Uid> uids;        // scope; empty: all users
    std::vector<std::string> homes;        // scope; empty: all
    std::vector<std::string> families;     // enabled
    std::vector<std::string> report_only;  // families of which not even an orphan is ended
    scanner::ScanCount count;
    bool complete = true;
    std::vector<ReportedProcess> processes;
    std::vector<ReportedFile> files;
    bool cleaning = false;                    // stale files are to be removed
    std::vector<policy::Obstacle> obstacles;  // of preflight: what is in the way of an update
    std::vector<std::string> remarks;         // what a reader must know: why incomplete, why refused, what to do next
    ReportSummary summary;
    ExitStatus exit_status = ExitStatus::clean;
};

struct RenderOptions {
    bool color = false;
    bool quiet = false;
    bool verbose = false;
    bool terminal = false;    // somebody watches: a chart may be drawn
    std::size_t width = 100;  // columns of the terminal
};

// Somebody has to look at it, or to end it. What a rule says is to be kept is neither.
[[nodiscard]] bool is_leak(const ReportedProcess& process);
// It was planned to end, and is gone for good.
[[nodiscard]] bool is_ended(const ReportedProcess& process);
// It was planned to end, and could not be ended, or came back.
[[nodiscard]] bool has_failed(const ReportedProcess& process);
[[nodiscard]] bool is_removed(const ReportedFile& file);
// It was to be removed, and could not be.
[[nodiscard]] bool has_failed(const ReportedFile& file);

// Counts processes and outcomes, and says what follows for the exit status. A process of which something needed could not be read
// makes the report incomplete; one that merely proves nothing does not. One whose step was called off by the second look still
// counts as left.
void conclude(Report& report);

// Quiet: the first line when something is wrong, nothing otherwise.
[[nodiscard]] std::string render_text(const Report& report, const RenderOptions& options);
[[nodiscard]] std::string render_pid_files(const Report& report, const RenderOptions& options);
[[nodiscard]] std::string render_preflight(const Report& report, const RenderOptions& options);
[[nodiscard]] std::string render_explanation(const Report& report, const RenderOptions& options);
// Valid JSON whatever the bytes are: what is not UTF-8 becomes U+FFFD.
[[nodiscard]] std::string render_json(const Report& report);
// One line a process ("type": "process"), then one with everything else ("type": "summary").
[[nodiscard]] std::string render_jsonl(const Report& report);
// For node_exporter's textfile collector.
[[nodiscard]] std::string render_prometheus(const Report& report);
// One page that needs nothing else: no script, no link, no picture.
[[nodiscard]] std::string render_html(const Report& report);

}  // namespace reaper::agent
