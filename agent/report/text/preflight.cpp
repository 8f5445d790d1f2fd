// What is in the way of an update, for a user that wants to start one now.
#include <fmt/format.h>

#include "agent/redaction/argv.hpp"
#include "agent/report/headline.hpp"
#include "agent/report/text/layout.hpp"
#include "agent/report/text/sections.hpp"
#include "agent/system/format.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

using policy::escape;
using policy::Obstacle;

// What was done for it: "2 leaked helpers ended, 182 MB came back; 1 stale file removed".
std::string done_text(const Report& report) {
    const ReportSummary& summary = report.summary;
    std::string text;
    if (summary.to_reap > 0 && !report.dry_run) text += "; " + sweep_headline(report);
    if (summary.files_removed > 0)
        text += fmt::format("; {} removed", count_text(summary.files_removed, "stale file"));
    return text;
}

std::string to_do_text(const ReportSummary& summary) {
    std::string text;
    if (summary.to_reap > 0)
        text += fmt::format("; {} would be ended", count_text(summary.to_reap, "leaked helper"));
    if (summary.files_stale > 0)
        text += fmt::format("; {} would be removed", count_text(summary.files_stale, "stale file"));
    return text;
}

std::string readiness(const Report& report) {
    const std::size_t count = report.obstacles.size();
    if (count > 0)
        return fmt::format("not ready: {} in the way",
                           count == 1 ? "1 thing is" : fmt::format("{} things are", count));
    if (report.interrupted) return "interrupted: it is not known whether anything is in the way";
    if (report.summary.failed + report.summary.files_failed > 0)
        return "not ready: not everything could be done";
    if (!report.complete) return "not known to be ready: not everything could be looked at";
    return report.dry_run ? "nothing else would be in the way of an update"
                          : "ready: nothing is in the way of an update";
}

std::string preflight_headline(const Report& report) {
    if (report.dry_run) return "dry run: " + readiness(report) + to_do_text(report.summary);
    return readiness(report) + done_text(report);
}

std::string_view held_back(const Report& report) {
    const bool starts = report.exit_status == ExitStatus::clean && !report.dry_run;
    return report.has_command && !starts ? "; the command was not started" : "";
}

std::string entry(const Obstacle& obstacle, const RenderOptions& options) {
    std::string subject = obstacle.user.empty() ? std::string() : "of " + escape(obstacle.user, 60);
    if (!obstacle.pids.empty())
        subject = fmt::format("pid {}{}{}", fmt::join(obstacle.pids, ", "),
                              subject.empty() ? "" : " ", subject);
    if (!subject.empty()) subject = fmt::format(" ({})", subject);
    std::string text = fmt::format("  {}{}\n", to_string(obstacle.kind), subject);
    if (!obstacle.argv.empty()) text += paragraph(redacted_line(obstacle.argv), options);
    text += paragraph(escape(obstacle.detail, 1000), options);
    return text + paragraph("-> " + escape(obstacle.help, 1000), options);
}

std::string obstacles_section(const Report& report, const RenderOptions& options) {
    if (report.obstacles.empty()) return {};
    std::string text = "\n" + top_line("IN THE WAY", Style::bad, options);
    for (const Obstacle& obstacle : report.obstacles) text += entry(obstacle, options);
    return text;
}

}  // namespace

std::string render_preflight(const Report& report, const RenderOptions& options) {
    const std::string answer = preflight_headline(report);
    std::string first = options.quiet ? only_line(report, answer) : answer;
    first = top_line(first.append(held_back(report)), headline_style(report.exit_status), options);
    if (options.quiet) return report.exit_status == ExitStatus::clean ? std::string() : first;
    std::string text = first + top_line(scope_line(report), Style::faint, options);
    text += obstacles_section(report, options);
    text += section_table(report, ReportSection::leaked, leaked_title(report), Style::bad, options);
    text += files_section(report, true, stale_title(report), Style::bad, options);
    if (options.verbose) {
        text += section_table(report, ReportSection::reported, "REPORTED ONLY", Style::warning,
                              options);
        text += section_table(report, ReportSection::kept, "KEPT", Style::good, options);
        text += files_section(report, false, "FILES KEPT", Style::good, options);
    }
    return text + closing_text(report, options);
}

}  // namespace reaper::agent
