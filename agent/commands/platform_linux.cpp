#include <unistd.h>

#include <chrono>

#include "agent/commands/commands.hpp"
#include "agent/commands/platform.hpp"
#include "agent/detach/detach.hpp"
#include "agent/reaping/descriptors.hpp"
#include "agent/report/journal.hpp"

namespace reaper::agent {

Result<Report> run_on_this_machine(const Options& options, const Setup& setup) {
    raise_descriptor_limit();
    const auto table = scanner::ProcessTable::open();
    if (!table) return tl::unexpected(table.error());
    switch (options.command) {
        case Command::report: return run_report(*table, options, options, setup);
        case Command::sweep: return run_sweep(*table, options, setup);
        case Command::explain: return run_explain(*table, options, options, setup);
        case Command::pid_files: return run_pid_files(*table, options, options, setup);
        case Command::rules:
        case Command::preflight:
        case Command::run:
        case Command::watch:
        case Command::history:
        case Command::doctor:
        case Command::merge:
        case Command::hooks:
        case Command::mcp:
        case Command::schedule: break;
    }
    return failure(std::errc::function_not_supported, "run", "this command");
}

Result<Report> find_matching(const SweepOptions& options, const Setup& setup) {
    raise_descriptor_limit();
    const auto table = scanner::ProcessTable::open();
    return table ? run_report(*table, options, {}, setup) : tl::unexpected(table.error());
}

tl::expected<int, Message> run_detached(const Options& options,
                                        const std::function<int(const Options&)>& sweep) {
    detach_sweep(options, sweep);
    return static_cast<int>(ExitStatus::clean);
}

void let_journal_read() {
    if (stderr_is_journal()) wait_until_read(STDERR_FILENO, std::chrono::seconds(1));
}

}  // namespace reaper::agent
