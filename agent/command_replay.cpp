#include <fmt/format.h>

#include "agent/commands.hpp"
#include "agent/facts_source.hpp"
#include "agent/human.hpp"
#include "agent/option_table.hpp"
#include "policy/escape.hpp"

namespace reaper::agent {

namespace {

std::string origin_of(const scanner::Machine& machine) {
    return fmt::format("judged from facts of {} at {}: this says nothing about the machine that you are on",
                       policy::escape(machine.name, 100), time_text(machine.now_epoch));
}

}  // namespace

// Whose processes were looked at is part of the facts: the same verdicts must come out.
Result<Report> run_replay(const Options& options, Setup setup) {
    auto facts = read_facts(options.from_facts);
    if (!facts) return tl::unexpected(facts.error());
    setup.settings.uids = facts->scope_uids;
    Judged judged;
    judged.judgements = policy::judge(*facts, setup.rules, setup.settings);
    judged.look.facts = std::move(*facts);
    Report report = report_of(judged, options, setup);
    report.command = name_of(options.command);
    report.replayed = true;
    report.remarks.insert(report.remarks.begin(), origin_of(report.machine));
    if (options.command == Command::explain) {
        for (const scanner::Pid pid : keep_only(report, options.pids))
            report.remarks.push_back(fmt::format("pid {}: these facts do not say what it is", pid));
    }
    return report;
}

}  // namespace reaper::agent
