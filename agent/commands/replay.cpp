#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "agent/cli/option_table.hpp"
#include "agent/commands/commands.hpp"
#include "agent/redaction/facts_file.hpp"
#include "agent/report/build.hpp"
#include "agent/report/hosts.hpp"
#include "agent/rules/per_user.hpp"
#include "agent/system/format.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

std::string origin_of(const scanner::Machine& machine) {
    return fmt::format(
        "judged from facts of {} at {}: this says nothing about the machine that you are on",
        policy::escape(machine.name, 100), time_text(machine.now_epoch));
}

// Members' homes are told as what they really are, and a link may lead nowhere on this machine.
void add_real_homes(std::vector<std::string>& homes,
                    const std::map<std::string, std::string>& real_paths) {
    const std::vector<std::string> typed = homes;
    for (std::string home : typed) {
        while (home.size() > 1 && home.back() == '/') home.pop_back();
        const auto real = real_paths.find(home);
        if (real != real_paths.end()) home = real->second;
        if (std::ranges::find(homes, home) == homes.end()) homes.push_back(std::move(home));
    }
}

}  // namespace

// The scope is part of the facts: the same verdicts must come out.
Report replay(scanner::Record record, const SweepOptions& options, const ExplainOptions& explain,
              Setup setup) {
    setup.settings.uids = record.scope_uids;
    add_real_homes(setup.settings.homes, record.real_paths);
    Judged judged;
    Look& look = judged.look;
    look.rules = with_background(setup.rules, record);
    look.past_ends = std::move(record.keepalives);
    look.facts = std::move(record);
    judged.judgements = policy::judge(look.facts, look.rules, setup.settings, look.past_ends);
    Report report = report_of(judged, options, setup);
    report.replayed = true;
    if (options.command == Command::report) report.hosts = tally_hosts(report, judged.look.facts);
    report.remarks.insert(report.remarks.begin(), origin_of(report.machine));
    if (options.command == Command::explain) {
        for (const scanner::Pid pid : keep_only(report, explain.pids))
            report.remarks.push_back(fmt::format("pid {}: these facts do not say what it is", pid));
    }
    return report;
}

Result<Report> run_replay(const SweepOptions& options, const ExplainOptions& explain, Setup setup) {
    auto record = read_facts(options.from_facts);
    if (!record) return tl::unexpected(record.error());
    return replay(*std::move(record), options, explain, std::move(setup));
}

}  // namespace reaper::agent
