#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>

#include "agent/commands/commands.hpp"
#include "agent/commands/packet_members.hpp"
#include "agent/history/file.hpp"
#include "agent/history/merge.hpp"
#include "agent/observe/diagnosis.hpp"
#include "agent/pid_files/storms.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "agent/redaction/facts_file.hpp"
#include "agent/report/build.hpp"
#include "agent/report/diagnosis.hpp"
#include "agent/report/history_view.hpp"
#include "agent/report/hosts.hpp"
#include "agent/sweep/respawn_history.hpp"
#include "policy/match/member.hpp"
#include "policy/text/escape.hpp"
#include "policy/update/gateways.hpp"

namespace reaper::agent {

namespace {

using Remarks = std::vector<std::string>;

constexpr std::chrono::hours kPastOfPage(14 * 24);

Remarks find_storms(const scanner::ProcessTable& table, const Look& look, const Setup& setup) {
    const auto remarks = read_bounded<Remarks>(
        [&]() -> Result<Remarks> {
            return storm_remarks(pid_file_places(look.facts, setup), look.facts.machine);
        },
        table.descriptors());
    return remarks.value_or(Remarks());
}

// Reads files only where a gateway runs: in a storm it waits longer than it takes to start.
void add_gateways(const scanner::ProcessTable& table, const Look& look, const Setup& setup,
                  Report& report) {
    const auto members = policy::find_members(look.facts, look.rules);
    if (policy::gateways_by_home(members).empty()) return;
    for (const std::string& several : policy::describe_gateways(members))
        report.remarks.push_back(policy::escape(several, 400));
    std::ranges::move(find_storms(table, look, setup), std::back_inserter(report.remarks));
}

void add_diagnosis(const scanner::ProcessTable& table, const Judged& judged, const Setup& setup,
                   Report& report) {
    report.hosts = tally_hosts(report, judged.look.facts);
    report.diagnosis = diagnose(table, judged, setup.uid);
    std::ranges::move(diagnosis_remarks(*report.diagnosis), std::back_inserter(report.remarks));
}

// Only a page shows the past. Where it cannot be read, the page says nothing about it.
void add_past(const SweepOptions& options, Report& report) {
    if (options.command != Command::report || options.format != Format::html) return;
    const auto history =
        read_histories(history_folder(), usual_history_places(), report.machine.uid);
    if (!history) return;
    report.past = std::make_shared<const PastSweeps>(
        past_sweeps_of(*history, report.machine.now_epoch, kPastOfPage));
}

}  // namespace

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
    std::ranges::move(remarks_on_home(setup), std::back_inserter(report.remarks));
    add_gateways(table, judged->look, setup, report);
    if (options.command == Command::report) add_diagnosis(table, *judged, setup, report);
    add_past(options, report);
    return report;
}

}  // namespace reaper::agent
