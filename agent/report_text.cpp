// The report for a tired operator: the answer first, then the proof, then the next command.
#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "agent/human.hpp"
#include "agent/ink.hpp"
#include "agent/report.hpp"
#include "agent/report_headline.hpp"
#include "agent/report_lines.hpp"
#include "agent/text_parts.hpp"
#include "policy/escape.hpp"

namespace reaper::agent {

namespace {

using policy::escape;

constexpr std::size_t kMostRows = 20;

using Processes = std::vector<const ReportedProcess*>;

Processes on_shelf(const Report& report, Shelf shelf) {
    Processes chosen;
    for (const ReportedProcess& process : report.processes) {
        if (shelf_of(process) == shelf) chosen.push_back(&process);
    }
    return chosen;
}

std::string evidence_text(const ReportedProcess& process, const RenderOptions& options) {
    std::string text;
    for (const policy::Evidence& evidence : process.judgement.evidence) {
        text += paragraph(
            fmt::format("{} {}: {}", to_string(evidence.weight), escape(evidence.code, 60), escape(evidence.detail)),
            options);
    }
    return text;
}

// "4711  bridge/headless  1h 10m  91 MB  ~/.hermes/memos-plugin"
std::string columns(const Report& report, const ReportedProcess& process, const RenderOptions& options) {
    const scanner::ProcessFacts& facts = process.facts;
    const std::string age = age_text(age_seconds(report.machine, facts));
    const std::string size = size_text(facts.rss_bytes);
    const std::string home = shown_home(report, process);
    if (has_columns(options)) {
        return fmt::format("{:>7}  {:<22} {:>8} {:>9}  {}\n", facts.row.pid, kind_text(process), age, size, home);
    }
    return fmt::format("{} {}\n", facts.row.pid, kind_text(process)) +
           paragraph(fmt::format("{} old, {}", age, size), options) + paragraph(home, options);
}

std::string entry(const Report& report, const ReportedProcess& process, const RenderOptions& options) {
    std::string text = columns(report, process, options);
    // Members of one shelf can have got there for different reasons; the leaked ones nearly always are orphans.
    const bool named = shelf_of(process) != Shelf::leaked || process.judgement.verdict != policy::Verdict::orphan;
    text += paragraph((named ? std::string(to_string(process.judgement.verdict)) + ": " : std::string()) + why(process),
                      options);
    if (process.outcome && process.outcome->result != OutcomeResult::would_reap)
        text += paragraph("-> " + outcome_line(process), options);
    const std::string cure = remedy(report, process);
    if (!cure.empty()) text += paragraph("-> " + cure, options);
    if (options.verbose) text += evidence_text(process, options);
    return text;
}

// The ones that did not end are what somebody has to deal with: first, so that no cap hides them.
Processes failures_first(const Processes& processes) {
    Processes order;
    for (const bool failed : {true, false}) {
        std::copy_if(processes.begin(), processes.end(), std::back_inserter(order),
                     [failed](const auto* process) { return has_failed(*process) == failed; });
    }
    return order;
}

std::string section(const Report& report, Shelf shelf, std::string_view title, Ink ink, const RenderOptions& options) {
    const Processes processes = failures_first(on_shelf(report, shelf));
    if (processes.empty()) return {};
    const std::size_t shown = options.verbose ? processes.size() : std::min(processes.size(), kMostRows);
    const std::string heading = has_columns(options)
                                    ? fmt::format("{:<31} {:>8} {:>9}  {}", title, "AGE", "MEMORY", "HOME")
                                    : std::string(title);
    std::string text = "\n" + top_line(heading, ink, options);
    for (std::size_t i = 0; i < shown; ++i) text += entry(report, *processes[i], options);
    if (shown < processes.size())
        text += fmt::format("         ... and {} more: --verbose lists all\n", processes.size() - shown);
    return text;
}

std::string leaked_title(const Report& report) {
    if (report.dry_run) return "WOULD BE ENDED";
    return report.command == "sweep" ? "LEAKED, AND WHAT BECAME OF THEM" : "LEAKED";
}

// Whom to ask about first: what failed, then what is leaked, then what is only reported.
const ReportedProcess* most_interesting(const Report& report) {
    Processes order = failures_first(on_shelf(report, Shelf::leaked));
    const Processes reported = on_shelf(report, Shelf::reported);
    order.insert(order.end(), reported.begin(), reported.end());
    const auto found =
        std::find_if(order.begin(), order.end(), [](const auto* process) { return !is_ended(*process); });
    return found == order.end() ? nullptr : *found;
}

// Comments, so that the whole line can be pasted into a shell.
std::string next_text(const Report& report) {
    const bool planned_only = report.command != "sweep" || report.dry_run || exceeds_limit(report);
    std::string text;
    if (planned_only && !report.replayed && report.summary.to_reap > 0) {
        const std::string whom = report.summary.to_reap == 1 ? "it" : fmt::format("these {}", report.summary.to_reap);
        text += fmt::format("run:  {:<32}  # end {}\n", sweep_command(report), whom);
    }
    if (const ReportedProcess* process = most_interesting(report)) {
        const std::string command = next_command(report, fmt::format("explain {}", process->facts.row.pid));
        text += fmt::format("{:<6}{:<32}  # see every fact about it\n", text.empty() ? "run:" : "or:", command);
    }
    return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string render_text(const Report& report, const RenderOptions& options) {
    const std::string first = top_line(headline(report), headline_ink(report.exit_status), options);
    if (options.quiet) return report.exit_status == ExitStatus::clean ? std::string() : first;
    std::string text = first + top_line(scope_line(report), Ink::faint, options);
    if (report.dry_run) text += "nothing was signalled: this is a dry run\n";
    text += section(report, Shelf::leaked, leaked_title(report), Ink::bad, options);
    text += section(report, Shelf::reported, "REPORTED ONLY", Ink::warning, options);
    text += section(report, Shelf::kept, "KEPT", Ink::good, options);
    text += next_text(report);
    return text + closing_text(report, options);
}

}  // namespace reaper::agent
