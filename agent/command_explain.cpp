#include <utility>

#include <fmt/format.h>

#include "agent/commands.hpp"
#include "agent/history_file.hpp"
#include "agent/redact_facts.hpp"
#include "policy/escape.hpp"
#include "policy/match.hpp"

namespace reaper::agent {

namespace {

using scanner::Pid;

// Why a process that was asked for is not judged at all. Incomplete: because it could not be looked at.
struct Absence {
    std::string why;
    bool incomplete = false;
};

Absence why_unreadable(Pid pid, const Error& error) {
    if (error.code == std::errc::no_such_process) return {fmt::format("pid {}: there is no such process", pid), true};
    return {fmt::format("pid {}: {}", pid, describe(error)), true};
}

Absence why_not(const scanner::Procfs& procfs, const policy::Rules& rules, Pid pid) {
    const auto row = scanner::read_row(procfs, pid);
    if (!row) return why_unreadable(pid, row.error());
    if (row->kernel_thread) return {fmt::format("pid {}: a kernel thread, never touched", pid)};
    if (row->state == 'Z')
        return {fmt::format("pid {}: it has ended; its parent (pid {}) has to collect it", pid, row->ppid)};
    if (!row->exe.ok()) {
        return {fmt::format("pid {}: its executable could not be read ({})", pid, to_string(row->exe.access)), true};
    }
    const std::string exe = policy::escape(row->exe.value, 200);
    const auto variables = scanner::read_variables(procfs, pid, policy::environment_keys_of(rules));
    if (const auto match = policy::match(rules, *row, variables)) {
        return {fmt::format("pid {} ({}): a {} of user id {}, outside of what was looked at", pid, exe,
                            policy::escape(match->rule->name, 60), row->uid)};
    }
    return {fmt::format("pid {} ({}): no family describes it, so it is never touched", pid, exe)};
}

}  // namespace

// The whole table is looked at, as for a report: what a process is depends on the others of its home.
Result<Report> run_explain(const scanner::Procfs& procfs, const Options& options, const Setup& setup) {
    const Lookout lookout(procfs, setup.rules, setup.uid);
    Past past(history_folder());
    auto judged = look_and_judge(lookout, setup, past, nobody());
    if (!judged) return tl::unexpected(judged.error());
    Report report = report_of(*judged, options, setup);
    report.command = "explain";
    for (const Pid pid : keep_only(report, options.pids)) {
        Absence absence = why_not(procfs, setup.rules, pid);
        report.remarks.push_back(std::move(absence.why));
        if (absence.incomplete) report.complete = false;
    }
    for (ReportedProcess& process : report.processes) {
        scanner::add_details({&process.facts, 1});
        redact_marks(process.facts, setup.rules);
    }
    return report;
}

}  // namespace reaper::agent
