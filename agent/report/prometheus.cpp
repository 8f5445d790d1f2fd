#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "agent/report/prometheus_text.hpp"
#include "agent/report/prometheus_totals.hpp"
#include "agent/report/report.hpp"
#include "agent/report/text/process_line.hpp"

namespace reaper::agent {

namespace {

using policy::Verdict;

struct Tally {
    std::uint64_t processes = 0;
    std::uint64_t memory_bytes = 0;
    std::uint64_t resident_bytes = 0;
};

using Tallies = std::map<std::pair<std::string, Verdict>, Tally>;

// Every enabled family with every verdict, zeros too: an alert must not have to guess what a
// missing series means.
Tallies tally(const Report& report) {
    Tallies tallies;
    const auto open = [&](const std::string& family) {
        for (const Verdict verdict : policy::kVerdicts) tallies.try_emplace({family, verdict});
    };
    for (const std::string& family : report.families) open(family);
    for (const ReportedProcess& process : report.processes) {
        open(process.judgement.family);
        Tally& tally = tallies[{process.judgement.family, process.judgement.verdict}];
        ++tally.processes;
        tally.memory_bytes += memory_bytes(process.facts);
        tally.resident_bytes += process.facts.rss_bytes;
    }
    return tallies;
}

void add_by_verdict(MetricText& text, const Tallies& tallies, std::string_view name,
                    std::string_view help, std::uint64_t Tally::* number) {
    text.describe(name, "gauge", help);
    for (const auto& [key, tally] : tallies) {
        text.add({{"family", key.first}, {"verdict", policy::to_string(key.second)}},
                 tally.*number);
    }
}

std::uint64_t oldest_leak(const Report& report) {
    std::uint64_t oldest = 0;
    for (const ReportedProcess& process : report.processes) {
        if (section_of(process) == ReportSection::leaked && !is_ended(process)) {
            oldest = std::max(oldest, age_seconds(report.machine, process.facts));
        }
    }
    return oldest;
}

void add_scan(MetricText& text, const Report& report) {
    text.add_gauge("scan_complete", "1 when everything needed could be read.",
                   report.complete ? 1 : 0);
    text.add_gauge("scan_processes", "Processes that were looked at.", report.count.seen);
    text.add_gauge("scan_denied_processes",
                   "Processes of which something needed could not be read.", report.count.denied);
}

// What it did itself: a report and a dry run end nothing.
void add_own_run(MetricText& text, const ReportSummary& summary) {
    text.add_gauge("last_run_ended_processes", "Processes that this run ended.", summary.reaped);
    text.add_gauge("last_run_failed_processes",
                   "Processes that this run should have ended and did not.", summary.failed);
    text.add_gauge("last_run_reclaimed_bytes", "Memory that this run gave back.",
                   summary.reclaimed_bytes);
}

void add_update(MetricText& text, const Report& report) {
    text.add_gauge("update_ready", "1 when nothing is in the way of an update.",
                   report.exit_status == ExitStatus::clean ? 1 : 0);
    text.describe("update_obstacles", "gauge", "What is in the way of an update, by kind.");
    std::map<std::string, std::size_t> kinds;
    for (const policy::Obstacle& obstacle : report.obstacles)
        ++kinds[std::string(policy::to_string(obstacle.kind))];
    for (const auto& [kind, number] : kinds) text.add({{"kind", kind}}, number);
    text.add_gauge("stale_files", "Stale pid and lock files that are left.",
                   report.summary.files_stale - report.summary.files_removed);
}

// With this very run, which only some commands write down.
Totals with_run(const Report& report) {
    Totals totals = report.totals.value_or(Totals{});
    const int status = static_cast<int>(report.exit_status);
    LastRun& last = totals.last_runs[report.command];
    const double succeeded_at = is_success(status) ? report.started_epoch : last.succeeded_at;
    last = {report.started_epoch, report.elapsed_ms, status, succeeded_at};
    return totals;
}

}  // namespace

std::string render_prometheus(const Report& report) {
    const Tallies tallies = tally(report);
    MetricText text;
    text.add_build(report.version, report.commit);
    add_by_verdict(text, tallies, "processes", "Helper processes by family and verdict.",
                   &Tally::processes);
    add_by_verdict(text, tallies, "memory_bytes", "Their memory, swapped out or not.",
                   &Tally::memory_bytes);
    add_by_verdict(text, tallies, "resident_bytes", "Their resident memory.",
                   &Tally::resident_bytes);
    text.add_gauge("to_reap_processes", "Leaked processes that a sweep ends.",
                   report.summary.to_reap);
    text.add_gauge("reclaimable_bytes", "Memory of the leaked processes.",
                   report.summary.reclaimable_bytes);
    text.add_gauge("oldest_leak_age_seconds", "Age of the oldest leaked process that is left.",
                   oldest_leak(report));
    if (report.command == "preflight") add_update(text, report);
    add_own_run(text, report.summary);
    add_scan(text, report);
    const Totals totals = with_run(report);
    if (report.totals) add_totals(totals, report.families, text);
    add_last_runs(totals, text);
    return text.text();
}

}  // namespace reaper::agent
