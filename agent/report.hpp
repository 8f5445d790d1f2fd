// One report model, several renderers. The model holds what was found, decided and done; renderers only lay it out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/exit_status.hpp"
#include "agent/options.hpp"
#include "agent/outcome.hpp"
#include "policy/verdict.hpp"
#include "scanner/facts.hpp"

namespace reaper::agent {

struct ReportedProcess {
    policy::Judgement judgement;
    scanner::ProcessFacts facts;
    std::optional<Outcome> outcome;
};

struct ReportSummary {
    std::size_t matched = 0;
    std::size_t to_reap = 0;
    std::size_t reaped = 0;
    std::size_t reported = 0;
    std::size_t kept = 0;
    std::size_t failed = 0;
    std::uint64_t reclaimable_bytes = 0;
    std::uint64_t reclaimed_bytes = 0;
};

struct Report {
    std::string version;
    std::string command;  // "report", "sweep", "explain"
    bool dry_run = false;
    scanner::Machine machine;
    double started_epoch = 0;
    double elapsed_ms = 0;
    std::vector<scanner::Uid> uids;      // scope; empty: all users
    std::vector<std::string> homes;      // scope; empty: all
    std::vector<std::string> families;   // enabled
    scanner::ScanCount count;
    bool complete = true;
    std::vector<ReportedProcess> processes;
    std::vector<std::string> remarks;    // what a reader must know: why incomplete, why refused, what to do next
    ReportSummary summary;
    ExitStatus exit_status = ExitStatus::clean;
};

struct RenderOptions {
    bool color = false;
    bool quiet = false;
    bool verbose = false;
    bool ascii = false;       // the terminal is no UTF-8 terminal
    std::size_t width = 100;  // columns of the terminal
};

// Counts processes and outcomes, and says what follows for the exit status.
void conclude(Report& report);

[[nodiscard]] std::string render_text(const Report& report, const RenderOptions& options);
[[nodiscard]] std::string render_explanation(const Report& report, const RenderOptions& options);
[[nodiscard]] std::string render_json(const Report& report);
[[nodiscard]] std::string render_jsonl(const Report& report);
[[nodiscard]] std::string render_prometheus(const Report& report);
[[nodiscard]] std::string render_html(const Report& report);

}  // namespace reaper::agent
