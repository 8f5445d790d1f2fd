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
#include "agent/report_sections.hpp"
#include "agent/text_parts.hpp"
#include "policy/escape.hpp"

namespace reaper::agent {

namespace {

// Whom to ask about first: what failed, then what is leaked, then what is only reported.
const ReportedProcess* most_interesting(const Report& report) {
    Processes order = on_shelf(report, Shelf::leaked);
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
    text += shelf_section(report, Shelf::leaked, leaked_title(report), Ink::bad, options);
    text += shelf_section(report, Shelf::reported, "REPORTED ONLY", Ink::warning, options);
    text += shelf_section(report, Shelf::kept, "KEPT", Ink::good, options);
    text += next_text(report);
    return text + closing_text(report, options);
}

}  // namespace reaper::agent
