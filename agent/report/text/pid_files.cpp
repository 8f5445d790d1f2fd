// Pid and lock files for a tired operator: what is in the way comes first.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "agent/report/headline.hpp"
#include "agent/report/text/layout.hpp"
#include "agent/report/text/sections.hpp"
#include "agent/system/format.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

using policy::escape;

bool is_stale(const ReportedFile& file) {
    return file.judgement.remove || file.judgement.paused;
}

bool is_paused(const Report& report) {
    return std::ranges::any_of(report.files,
                               [](const ReportedFile& file) { return file.judgement.paused; });
}

std::string files_headline(const Report& report) {
    const ReportSummary& summary = report.summary;
    const std::string stale = count_text(summary.files_stale, "stale file");
    if (report.files.empty()) return "no pid or lock file was found";
    if (summary.files_stale == 0)
        return fmt::format("nothing stale among {}", count_text(report.files.size(), "file"));
    if (is_paused(report)) return fmt::format("an update is running: {} left alone", stale);
    if (report.dry_run) return fmt::format("dry run: {} would be removed", stale);
    if (!report.cleaning) return fmt::format("{}, {} in all", stale, report.files.size());
    if (summary.files_removed == summary.files_stale) return stale + " removed";
    return fmt::format("{} of {} removed", summary.files_removed, stale);
}

std::string outcome_text(const Removal& removal) {
    const std::string detail =
        removal.detail.empty() ? std::string() : fmt::format(" ({})", escape(removal.detail, 200));
    switch (removal.result) {
        case RemovalResult::removed: return "removed";
        case RemovalResult::put_back: return "put back in its place";
        case RemovalResult::gone: return "gone already" + detail;
        case RemovalResult::changed:
        case RemovalResult::locked: return "left alone" + detail;
        case RemovalResult::failed:
        case RemovalResult::refused: return "NOT removed" + detail;
    }
    return "NOT removed";
}

std::string_view weight_word(policy::Weight weight) {
    return weight == policy::Weight::for_kill ? "stale"
           : weight == policy::Weight::note   ? "note"
                                              : "kept";
}

std::string entry(const ReportedFile& reported, const RenderOptions& options) {
    const policy::FileJudgement& judgement = reported.judgement;
    std::string text = fmt::format("  {}\n", escape(reported.file.path));
    text += paragraph(fmt::format("{}, {}: {}", policy::kind_word(reported.file.kind),
                                  to_string(judgement.state), escape(judgement.reason)),
                      options);
    if (reported.removal) text += paragraph("-> " + outcome_text(*reported.removal), options);
    if (!options.verbose) return text;
    for (const policy::Evidence& piece : judgement.evidence) {
        text += paragraph(fmt::format("{} {}: {}", weight_word(piece.weight),
                                      escape(piece.code, 60), escape(piece.detail)),
                          options);
    }
    return text;
}

std::string next_text(const Report& report) {
    const bool planned_only = !report.cleaning || report.dry_run;
    if (!planned_only || report.summary.files_stale == 0 || is_paused(report)) return {};
    return fmt::format("\nrun:  {}\n", next_command(report, "pidfiles --clean"));
}

}  // namespace

std::string_view stale_title(const Report& report) {
    if (report.dry_run) return "WOULD BE REMOVED";
    return report.cleaning ? "STALE, AND WHAT BECAME OF THEM" : "STALE";
}

std::string files_section(const Report& report, bool stale, std::string_view title, Style style,
                          const RenderOptions& options) {
    std::string text;
    for (const ReportedFile& file : report.files) {
        if (is_stale(file) == stale) text += entry(file, options);
    }
    return text.empty() ? text : "\n" + top_line(std::string(title), style, options) + text;
}

std::string render_pid_files(const Report& report, const RenderOptions& options) {
    const std::string unseen = report.complete ? "" : "; not everything could be looked at";
    const std::string first = files_headline(report) + unseen;
    if (options.quiet) return quiet_text(report, first, options);
    std::string text = top_line(first, headline_style(report.exit_status), options);
    text += files_section(report, true, stale_title(report), Style::bad, options);
    text += files_section(report, false, "KEPT", Style::good, options);
    return text + next_text(report) + closing_text(report, options);
}

}  // namespace reaper::agent
