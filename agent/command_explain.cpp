#include <algorithm>

#include <fmt/format.h>

#include "agent/commands.hpp"
#include "policy/escape.hpp"
#include "policy/member.hpp"

namespace reaper::agent {

namespace {

using scanner::Pid;

bool is_listed(const Report& report, Pid pid) {
    return std::any_of(report.processes.begin(), report.processes.end(),
                       [pid](const ReportedProcess& process) { return process.facts.row.pid == pid; });
}

// Why a process that was asked for is not judged at all.
std::string why_not(const scanner::Procfs& procfs, Pid pid) {
    const auto row = scanner::read_row(procfs, pid);
    if (!row) {
        const bool gone = row.error().code == std::errc::no_such_process;
        return gone ? fmt::format("pid {}: there is no such process", pid)
                    : fmt::format("pid {}: {}", pid, describe(row.error()));
    }
    if (!row->exe.ok())
        return fmt::format("pid {}: its executable could not be read ({})", pid, to_string(row->exe.access));
    return fmt::format("pid {} ({}): no family describes it, so it is never touched", pid,
                       policy::escape(row->exe.value, 200));
}

}  // namespace

// The whole table is looked at, as for a report: what a process is depends on the others of its home.
Result<Report> run_explain(const scanner::Procfs& procfs, const Options& options, const Setup& setup) {
    const Lookout lookout(procfs, setup.rules, setup.uid);
    auto judged = look_and_judge(lookout, setup);
    if (!judged) return tl::unexpected(judged.error());
    Report report = report_of(*judged, options, setup);
    report.command = "explain";
    std::erase_if(report.processes, [&](const ReportedProcess& process) {
        return std::find(options.pids.begin(), options.pids.end(), process.facts.row.pid) == options.pids.end();
    });
    for (const Pid pid : options.pids) {
        if (!is_listed(report, pid)) report.remarks.push_back(why_not(procfs, pid));
    }
    return report;
}

}  // namespace reaper::agent
