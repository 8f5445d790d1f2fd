#include <utility>

#include <fmt/format.h>

#include "agent/commands/commands.hpp"
#include "agent/history/file.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "agent/redaction/facts.hpp"
#include "agent/report/build.hpp"
#include "agent/sweep/respawn_history.hpp"
#include "policy/match/match.hpp"
#include "policy/text/escape.hpp"
#include "scanner/access_guard.hpp"
#include "scanner/exited.hpp"

namespace reaper::agent {

namespace {

using scanner::Pid;
using scanner::ProcessFacts;

// Says why a process that was asked for was not judged. Incomplete: because it could not be read.
struct Absence {
    std::string why;
    bool incomplete = false;
};

Absence why_unreadable(Pid pid, const Error& error) {
    if (error.code == std::errc::no_such_process)
        return {fmt::format("pid {}: there is no such process", pid), true};
    return {fmt::format("pid {}: {}", pid, describe(error)), true};
}

Absence why_not(const scanner::ProcessTable& table, const policy::Rules& rules, Pid pid) {
    const auto row = scanner::read_row(table, pid);
    if (!row) return why_unreadable(pid, row.error());
    if (row->kernel_thread) return {fmt::format("pid {}: a kernel thread, never touched", pid)};
    if (row->state == 'Z' && !scanner::has_exited(*row))
        return {fmt::format("pid {}: its main thread has ended and others work on: what it is "
                            "cannot be seen any more",
                            pid),
                true};
    if (row->state == 'Z')
        return {fmt::format("pid {}: it has ended; its parent (pid {}) has to collect it", pid,
                            row->ppid)};
    if (!row->exe.ok()) {
        return {fmt::format("pid {}: its executable could not be read ({})", pid,
                            to_string(row->exe.access)),
                true};
    }
    const std::string exe = policy::escape(row->exe.value, 200);
    const auto variables = scanner::read_variables(table, pid, policy::environment_keys_of(rules));
    if (const auto match = policy::match(rules, *row, variables)) {
        return {fmt::format("pid {} ({}): a {} of user id {}, outside of what was looked at", pid,
                            exe, policy::escape(match->rule->name, 60), row->uid)};
    }
    return {fmt::format("pid {} ({}): no family describes it, so it is never touched", pid, exe)};
}

std::vector<ProcessFacts> with_details(const scanner::ProcessTable& table, const Report& report) {
    std::vector<ProcessFacts> all;
    all.reserve(report.processes.size());
    for (const ReportedProcess& process : report.processes) all.push_back(process.facts);
    auto read = read_bounded<std::vector<ProcessFacts>>(
        [&]() -> Result<std::vector<ProcessFacts>> {
            for (ProcessFacts& facts : all) {
                if (scanner::may_read_memory(facts.row.pid)) scanner::add_details({&facts, 1});
            }
            return all;
        },
        table.descriptors());
    return read && read->size() == all.size() ? *std::move(read) : all;
}

}  // namespace

template <>
struct MembersOf<Absence> {
    static auto tie(Is<Absence> auto& it) {
        auto& [why, incomplete] = it;
        return std::tie(why, incomplete);
    }
};

// Looks at the whole table, as for a report: the verdict of a process depends on the others of its
// home.
Result<Report> run_explain(const scanner::ProcessTable& table, const SweepOptions& options,
                           const ExplainOptions& own, const Setup& setup) {
    const Observer observer(table, setup.rules, setup.uid);
    CachedHistory past(history_folder());
    auto judged = look_and_judge_with_past(observer, setup, past, no_handles());
    if (!judged) return tl::unexpected(judged.error());
    Report report = report_of(*judged, options, setup);
    for (const Pid pid : keep_only(report, own.pids)) {
        const auto read = [&] { return Result<Absence>(why_not(table, setup.rules, pid)); };
        auto absence = read_bounded<Absence>(read, table.descriptors());
        if (!absence) absence = why_unreadable(pid, absence.error());
        report.remarks.push_back(std::move(absence->why));
        if (absence->incomplete) report.complete = false;
    }
    std::vector<ProcessFacts> detailed = with_details(table, report);
    for (std::size_t at = 0; at < detailed.size(); ++at) {
        report.processes[at].facts = std::move(detailed[at]);
        redact_marks(report.processes[at].facts, setup.rules);
    }
    return report;
}

}  // namespace reaper::agent
