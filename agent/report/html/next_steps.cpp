#include "agent/report/html/next_steps.hpp"

#include <algorithm>

#include "agent/report/headline.hpp"
#include "agent/report/html/marks.hpp"

namespace reaper::agent::html {

namespace {

// What did not end first, then what is leaked, then what is only reported; null: there is none.
const ReportedProcess* most_interesting(const Report& report) {
    const ReportedProcess* found = nullptr;
    for (const ReportedProcess& process : report.processes) {
        const bool better = found == nullptr || mark_of(process) < mark_of(*found);
        if (better && mark_of(process) < Mark::kept) found = &process;
    }
    return found;
}

std::string these(std::size_t count) {
    return count == 1 ? "it" : fmt::format("these {}", count);
}

void add_sweep(const Report& report, std::vector<Step>& steps) {
    const bool swept = report.command == "sweep" || report.command == "preflight";
    const bool planned_only = !swept || report.dry_run || exceeds_limit(report);
    const std::size_t leaked = report.summary.to_reap;
    if (!planned_only || report.replayed || leaked == 0) return;
    if (report.command == "preflight") {
        steps.push_back({next_command(report, "preflight"), "end " + these(leaked)});
        return;
    }
    const std::string sweep = sweep_command(report);
    if (!report.dry_run)
        steps.push_back({sweep + " --dry-run", "say once more what would end, and end nothing"});
    steps.push_back({sweep, "end " + these(leaked)});
}

}  // namespace

std::vector<Step> steps_after(const Report& report) {
    std::vector<Step> steps;
    if (report.command == "explain") return steps;
    add_sweep(report, steps);
    if (const ReportedProcess* process = most_interesting(report)) {
        const scanner::Pid pid = process->facts.row.pid;
        steps.push_back({next_command(report, fmt::format("explain {}", pid)),
                         fmt::format("see every fact about pid {}", pid)});
    }
    const bool ended = report.summary.reaped > 0 || report.summary.failed > 0;
    if (ended && !report.dry_run)
        steps.push_back({"orphan-reaper history", "see what was done, then and before"});
    if (steps.empty() && !report.replayed)
        steps.push_back({"orphan-reaper doctor", "check that this machine is swept regularly"});
    return steps;
}

std::vector<Step> steps_after_history() {
    return {{"orphan-reaper report", "see what is leaked now"},
            {"orphan-reaper doctor", "check that this machine is swept regularly"}};
}

Markup render(const std::vector<Step>& steps) {
    if (steps.empty()) return {};
    Markup items;
    for (const Step& step : steps)
        items += element("li", element("code", {{"class", "type"}}, text(step.command)) +
                                   element("span", text(step.effect)));
    return element("ul", {{"class", "card steps"}}, items);
}

}  // namespace reaper::agent::html
