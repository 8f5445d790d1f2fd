#include "agent/commands/commands.hpp"
#include "agent/history/file.hpp"
#include "agent/redaction/facts_file.hpp"
#include "agent/report/build.hpp"
#include "agent/sweep/respawn_history.hpp"

namespace reaper::agent {

Result<Report> run_report(const scanner::ProcessTable& table, const SweepOptions& options,
                          const ReportOptions& own, const Setup& setup) {
    const Observer observer(table, setup.rules, setup.uid);
    CachedHistory past(history_folder());
    auto judged = look_and_judge_with_past(observer, setup, past, no_handles());
    if (!judged) return tl::unexpected(judged.error());
    if (!own.facts.empty()) {
        const Look& look = judged->look;
        const auto written = write_facts(own.facts, look.facts, look.rules, look.past_ends);
        if (!written) return tl::unexpected(written.error());
    }
    Report report = report_of(*judged, options, setup);
    report.command = "report";
    return report;
}

}  // namespace reaper::agent
