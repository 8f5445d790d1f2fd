#include "agent/sweep/sweep.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "agent/commands/commands.hpp"
#include "agent/pid_files/places.hpp"
#include "agent/report/desktop.hpp"
#include "agent/report/journal.hpp"
#include "agent/report/text/progress.hpp"
#include "agent/run/cgroup.hpp"

namespace reaper::agent {

Result<Report> run_sweep(const scanner::ProcessTable& table, const SweepOptions& options,
                         const Setup& setup, std::optional<PlannedEnds> planned) {
    const Interrupt interrupt;
    SweepLocks locks(interrupt, options.lock_wait, terminal_to_draw_on(options.quiet));
    Sweep sweep(table, options, setup, interrupt, locks);
    if (planned) sweep.end_only(*std::move(planned));
    auto report = sweep.run();
    if (!report) return report;
    std::ranges::move(remarks_on_home(setup), std::back_inserter(report->remarks));
    if (options.quiet && stderr_is_journal()) tell_journal(*report);
    if (options.dry_run) return report;
    if (options.notify) notify_desktop(*report);
    for (const std::string& path : remove_leftover_cgroups(table))
        report->remarks.push_back("removed an empty cgroup that a killed run had left behind: " +
                                  path);
    return report;
}

}  // namespace reaper::agent
