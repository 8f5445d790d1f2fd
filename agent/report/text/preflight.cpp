// What is in the way of an update, for a user that wants to start one now.
#include <fmt/format.h>

#include "agent/redaction/argv.hpp"
#include "agent/report/headline.hpp"
#include "agent/report/readiness.hpp"
#include "agent/report/text/layout.hpp"
#include "agent/report/text/sections.hpp"
#include "agent/system/format.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

using policy::escape;
using policy::Obstacle;

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
    first =
        top_line(first.append(held_back_text(report)), headline_style(report.exit_status), options);
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
