#include "agent/commands.hpp"
#include "agent/live_line.hpp"
#include "agent/sweep.hpp"

namespace reaper::agent {

Result<Report> run_sweep(const scanner::Procfs& procfs, const Options& options, const Setup& setup) {
    const Interrupt interrupt;
    SweepLocks locks(interrupt, options.lock_wait, terminal_to_draw_on(options.quiet));
    return Sweep(procfs, options, setup, interrupt, locks).run();
}

}  // namespace reaper::agent
