#include "agent/report/readiness.hpp"

#include <fmt/format.h>

#include "agent/report/headline.hpp"
#include "agent/system/format.hpp"

namespace reaper::agent {

namespace {

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

}  // namespace

std::string preflight_headline(const Report& report) {
    if (report.dry_run) return "dry run: " + readiness(report) + to_do_text(report.summary);
    return readiness(report) + done_text(report);
}

std::string_view held_back_text(const Report& report) {
    const bool starts = report.exit_status == ExitStatus::clean && !report.dry_run;
    return report.has_command && !starts ? "; the command was not started" : "";
}

}  // namespace reaper::agent
