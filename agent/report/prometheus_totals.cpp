#include "agent/report/prometheus_totals.hpp"

#include <array>
#include <span>

#include "agent/reaping/outcome.hpp"

namespace reaper::agent {

namespace {

constexpr std::array kEnds{OutcomeResult::ended_on_term, OutcomeResult::ended_on_kill};
constexpr std::array kFailures{OutcomeResult::denied, OutcomeResult::survived,
                               OutcomeResult::unkillable};

void add_results(const Totals& totals, std::span<const OutcomeResult> results, MetricText& text) {
    for (const auto& [family, counts] : totals.results) {
        for (const OutcomeResult result : results) {
            const auto found = counts.find(to_string(result));
            text.add({{"family", family}, {"result", to_string(result)}},
                     found == counts.end() ? 0 : found->second);
        }
    }
}

void add_by_family(const CountByWord& counts, MetricText& text) {
    for (const auto& [family, number] : counts) text.add({{"family", family}}, number);
}

Totals with_zeros(Totals totals, const std::vector<std::string>& families) {
    for (const std::string& family : families) totals.results.try_emplace(family);
    for (const auto& [family, results] : totals.results) {
        for (CountByWord* counts : {&totals.reclaimed_bytes, &totals.respawns, &totals.refusals})
            counts->try_emplace(family, 0);
    }
    return totals;
}

void add_runs(const CountsByWord& runs, MetricText& text) {
    text.describe("runs_total", "counter", "Runs that may end processes, by how they ended.");
    for (const auto& [command, statuses] : runs) {
        for (const auto& [status, number] : statuses)
            text.add({{"command", command}, {"exit_status", status}}, number);
    }
}

}  // namespace

void add_totals(const Totals& seen, const std::vector<std::string>& families, MetricText& text) {
    const Totals totals = with_zeros(seen, families);
    text.describe("ended_total", "counter", "Processes that were ended, by the signal that did.");
    add_results(totals, kEnds, text);
    text.describe("failed_total", "counter", "Processes that were signalled and did not end.");
    add_results(totals, kFailures, text);
    text.describe("reclaimed_bytes_total", "counter", "Memory that ended processes gave back.");
    add_by_family(totals.reclaimed_bytes, text);
    text.describe("respawns_total", "counter", "Helpers that were started again after their end.");
    add_by_family(totals.respawns, text);
    text.describe("refusals_total", "counter",
                  "Processes that should have ended and were not signalled, once for each run.");
    add_by_family(totals.refusals, text);
    add_runs(totals.runs, text);
}

void add_last_runs(const Totals& totals, MetricText& text) {
    text.describe("last_run_timestamp_seconds", "gauge", "When the last run began.");
    for (const auto& [command, run] : totals.last_runs)
        text.add({{"command", command}}, epoch_text(run.at));
    text.describe("last_run_duration_seconds", "gauge", "How long the last run took.");
    for (const auto& [command, run] : totals.last_runs)
        text.add({{"command", command}}, fmt::format("{:.6f}", run.took_ms / 1000));
    text.describe("last_run_exit_status", "gauge", "Exit status of the last run.");
    for (const auto& [command, run] : totals.last_runs)
        text.add({{"command", command}}, run.exit_status);
    text.describe("last_success_timestamp_seconds", "gauge",
                  "When the last run began that ended with exit status 0 or 1.");
    for (const auto& [command, run] : totals.last_runs) {
        if (run.succeeded_at > 0) text.add({{"command", command}}, epoch_text(run.succeeded_at));
    }
}

std::string render_totals_prometheus(const Totals& totals, std::string_view version,
                                     std::string_view commit) {
    MetricText text;
    text.add_build(version, commit);
    add_totals(totals, {}, text);
    add_last_runs(totals, text);
    return text.text();
}

}  // namespace reaper::agent
