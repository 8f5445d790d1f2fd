#include "agent/commands.hpp"
#include "agent/here.hpp"

namespace reaper::agent {

Result<Report> run_here(const Options& options, const Setup& setup) {
    const auto procfs = scanner::Procfs::open();
    if (!procfs) return tl::unexpected(procfs.error());
    switch (options.command) {
        case Command::report:
        case Command::rules: return run_report(*procfs, options, setup);
        case Command::sweep: return run_sweep(*procfs, options, setup);
        case Command::explain: return run_explain(*procfs, options, setup);
        case Command::pid_files: return run_pid_files(*procfs, options, setup);
        case Command::preflight:
        case Command::run:
        case Command::watch:
        case Command::history: break;
    }
    return failure(std::errc::function_not_supported, "run", "this command");
}

}  // namespace reaper::agent
