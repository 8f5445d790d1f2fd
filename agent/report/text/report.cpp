// The report for a tired operator: the answer first, then the proof, then the next command.
#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "agent/report/headline.hpp"
#include "agent/report/hosts.hpp"
#include "agent/report/report.hpp"
#include "agent/report/text/color.hpp"
#include "agent/report/text/layout.hpp"
#include "agent/report/text/process_line.hpp"
#include "agent/report/text/sections.hpp"
#include "agent/system/format.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

// Orders the processes by what to explain first: what failed, then what is leaked, then what is
// only reported.
const ReportedProcess* most_interesting(const Report& report) {
    Processes order = processes_in(report, ReportSection::leaked);
    const Processes reported = processes_in(report, ReportSection::reported);
    order.insert(order.end(), reported.begin(), reported.end());
    const auto found = std::find_if(order.begin(), order.end(),
                                    [](const auto* process) { return !is_ended(*process); });
    return found == order.end() ? nullptr : *found;
}

// Comments, so that the whole line can be pasted into a shell.
std::string next_text(const Report& report) {
    const bool planned_only = report.command != "sweep" || report.dry_run || exceeds_limit(report);
    std::string text;
    if (planned_only && !report.replayed && report.summary.to_reap > 0) {
        const std::string target =
            report.summary.to_reap == 1 ? "it" : fmt::format("these {}", report.summary.to_reap);
        text += fmt::format("run:  {:<32}  # end {}\n", sweep_command(report), target);
    }
    if (const ReportedProcess* process = most_interesting(report)) {
        const std::string command =
            next_command(report, fmt::format("explain {}", process->facts.row.pid));
        text += fmt::format("{:<6}{:<32}  # see every fact about it\n",
                            text.empty() ? "run:" : "or:", command);
    }
    return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string render_text(const Report& report, const RenderOptions& options) {
    if (options.quiet) return quiet_text(report, headline(report), options);
    std::string text = top_line(headline(report), headline_style(report.exit_status), options);
    text += top_line(scope_line(report), Style::faint, options);
    if (report.dry_run) text += "nothing was signalled: this is a dry run\n";
    text += section_table(report, ReportSection::leaked, leaked_title(report), Style::bad, options);
    text +=
        section_table(report, ReportSection::reported, "REPORTED ONLY", Style::warning, options);
    text += section_table(report, ReportSection::kept, "KEPT", Style::good, options);
    text += hosts_section(report, options);
    text += next_text(report);
    text += others_section(report, options);
    return text + closing_text(report, options);
}

}  // namespace reaper::agent
