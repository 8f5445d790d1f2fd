#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "agent/report/report.hpp"
#include "agent/report/text/process_line.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

using policy::escape;
using policy::Verdict;

struct Tally {
    std::uint64_t processes = 0;
    std::uint64_t memory_bytes = 0;
    std::uint64_t resident_bytes = 0;
};

using Tallies = std::map<std::pair<std::string, Verdict>, Tally>;

std::string label(std::string_view value) {
    std::string text;
    for (const char c : escape(value)) {
        if (c == '\\' || c == '"') text += '\\';
        text += c;
    }
    return text;
}

void describe_metric(std::string& text, std::string_view name, std::string_view help) {
    text +=
        fmt::format("# HELP orphan_reaper_{0} {1}\n# TYPE orphan_reaper_{0} gauge\n", name, help);
}

template <class Number>
void add_gauge(std::string& text, std::string_view name, std::string_view help, Number value) {
    describe_metric(text, name, help);
    text += fmt::format("orphan_reaper_{} {}\n", name, value);
}

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

void add_by_verdict(std::string& text, const Tallies& tallies, std::string_view name,
                    std::string_view help, std::uint64_t Tally::* number) {
    describe_metric(text, name, help);
    for (const auto& [key, tally] : tallies) {
        text += fmt::format("orphan_reaper_{}{{family=\"{}\",verdict=\"{}\"}} {}\n", name,
                            label(key.first), policy::to_string(key.second), tally.*number);
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

void add_run(std::string& text, const Report& report) {
    describe_metric(text, "info", "Version and mode of the last run.");
    text += fmt::format("orphan_reaper_info{{version=\"{}\",command=\"{}\",dry_run=\"{}\"}} 1\n",
                        label(report.version), label(report.command), report.dry_run);
    add_gauge(text, "last_run_timestamp_seconds", "When the last run began.",
              fmt::format("{:.0f}", report.started_epoch));
    add_gauge(text, "last_run_duration_seconds", "How long it took.",
              fmt::format("{:.6f}", report.elapsed_ms / 1000));
    add_gauge(text, "exit_status", "Exit status of the last run.",
              static_cast<int>(report.exit_status));
    add_gauge(text, "scan_complete", "1 when everything needed could be read.",
              report.complete ? 1 : 0);
    add_gauge(text, "scan_processes", "Processes that were looked at.", report.count.seen);
    add_gauge(text, "scan_denied_processes",
              "Processes of which something needed could not be read.", report.count.denied);
}

}  // namespace

std::string render_prometheus(const Report& report) {
    const Tallies tallies = tally(report);
    const ReportSummary& summary = report.summary;
    std::string text;
    add_by_verdict(text, tallies, "processes", "Helper processes by family and verdict.",
                   &Tally::processes);
    add_by_verdict(text, tallies, "memory_bytes", "Their memory, swapped out or not.",
                   &Tally::memory_bytes);
    add_by_verdict(text, tallies, "resident_bytes", "Their resident memory.",
                   &Tally::resident_bytes);
    add_gauge(text, "to_reap_processes", "Leaked processes that a sweep ends.", summary.to_reap);
    add_gauge(text, "reaped_processes", "Processes that the last run ended.", summary.reaped);
    add_gauge(text, "failed_processes", "Processes that should have ended but did not.",
              summary.failed);
    add_gauge(text, "reclaimable_bytes", "Memory of the leaked processes.",
              summary.reclaimable_bytes);
    add_gauge(text, "reclaimed_bytes", "Memory that the last run gave back.",
              summary.reclaimed_bytes);
    add_gauge(text, "oldest_leak_age_seconds", "Age of the oldest leaked process that is left.",
              oldest_leak(report));
    add_run(text, report);
    return text;
}

}  // namespace reaper::agent
