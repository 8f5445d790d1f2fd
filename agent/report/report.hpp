// One report model, several renderers. The model holds what was found, decided and done; renderers
// only lay it out. Every renderer returns printable ASCII (and newlines), whatever bytes the
// processes put into their names and arguments.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/cli/options.hpp"
#include "agent/history/totals.hpp"
#include "agent/reaping/outcome.hpp"
#include "agent/reaping/removal.hpp"
#include "agent/system/exit_status.hpp"
#include "policy/pid_files/judge_files.hpp"
#include "policy/rules/verdict.hpp"
#include "policy/update/obstacles.hpp"
#include "scanner/model/diagnosis.hpp"
#include "scanner/model/facts.hpp"

namespace reaper::agent {

struct PastSweeps;  // history_view.hpp

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

// What one host has started, of all that the report lists.
struct HostTally {
    scanner::Pid pid = 0;           // 0: helpers without a living host
    std::string comm;               // raw bytes; empty: it could not be read
    std::vector<std::string> argv;  // as the process has it: not redacted
    std::size_t helpers = 0;
    std::map<std::string, std::size_t> families;  // how many helpers of each
    std::size_t leaked = 0;
    std::uint64_t rss_bytes = 0;
    std::uint64_t swap_bytes = 0;
};

struct Report {
    std::string version;
    std::string commit = {};  // of the build; empty: not known
    std::string command;      // "report", "sweep", "preflight", "explain", "pidfiles"
    std::string from = {};    // what asked for a sweep (--from); empty: not said
    std::string scope_words;  // options that give another command the same scope, see cli.hpp
    bool dry_run = false;
    bool replayed = false;  // judged from facts in a file
    bool interrupted = false;
    std::size_t max_kills = SweepOptions{}.max_kills;  // more than that a sweep refuses
    scanner::Machine machine;
    double started_epoch = 0;
    double elapsed_ms = 0;
    std::vector<scanner::Uid> uids;        // scope; empty: all users
    std::vector<std::string> homes;        // scope; empty: all
    std::vector<std::string> under;        // scope: names of the folder of --under; empty: all
    std::vector<std::string> families;     // enabled
    std::vector<std::string> report_only;  // families of which not even an orphan is ended
    // Of families that are only listed: the pack that would end orphans; empty: it would not,
    // either.
    std::map<std::string, std::string> pack_of_listed;
    scanner::ScanCount count;
    bool complete = true;
    std::vector<ReportedProcess> processes;
    // Helpers of hosts that the rules only list: never ended, and never counted.
    std::vector<ReportedProcess> others;
    std::vector<std::string> other_packs;  // by which those are switched on
    std::vector<ReportedFile> files;
    bool cleaning = false;                    // stale files are to be removed
    bool has_command = false;                 // of preflight: it starts one when all is ready
    std::vector<policy::Obstacle> obstacles;  // of preflight: what is in the way of an update
    std::vector<std::string>
        remarks;  // what a reader must know: why incomplete, why refused, what to do next
    ReportSummary summary;
    std::vector<HostTally> hosts;                 // of `report` and of pages: most memory first
    std::optional<Totals> totals;                 // of the history; none: it was not asked
    std::optional<scanner::Diagnosis> diagnosis;  // of `report`; none: judged from a file
    std::shared_ptr<const PastSweeps> past;       // of a page; null: it was not looked up
    ExitStatus exit_status = ExitStatus::clean;
};

struct RenderOptions {
    bool color = false;
    bool quiet = false;
    bool verbose = false;
    bool terminal = false;    // a person watches: a chart may be drawn
    std::size_t width = 100;  // columns of the terminal
};

// True if a person has to look at it or end it: not for what a rule keeps.
[[nodiscard]] bool is_leak(const ReportedProcess& process);
// True if something that its verdict needs could not be read.
[[nodiscard]] bool could_not_be_judged(const ReportedProcess& process);
// True if it was planned to end, and has ended for good.
[[nodiscard]] bool is_ended(const ReportedProcess& process);
// True if it was planned to end, and could not be ended, or came back.
[[nodiscard]] bool has_failed(const ReportedProcess& process);
[[nodiscard]] bool is_removed(const ReportedFile& file);
// True if it was to be removed, and could not be.
[[nodiscard]] bool has_failed(const ReportedFile& file);

// Counts processes and outcomes, and sets the exit status. A process of which something needed
// could not be read makes the report incomplete; one that merely proves nothing does not. A step
// that the second look called off still counts as left.
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
