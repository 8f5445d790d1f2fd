#include "agent/report/build.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "agent/cli/option_table.hpp"
#include "agent/cli/version.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "agent/report/hosts.hpp"
#include "policy/text/escape.hpp"
#include "policy/verdict/claim_vetoes.hpp"

namespace reaper::agent {

namespace {

using policy::Judgement;
using scanner::Pid;

// /proc always shows one's own processes.
bool is_hidden(const scanner::Facts& facts, const Setup& setup) {
    return facts.machine.hides_processes &&
           setup.settings.uids != std::vector<scanner::Uid>{facts.machine.uid};
}

// Says what a reader must know before believing the numbers.
std::vector<std::string> remarks_on(const scanner::Facts& facts, const Setup& setup) {
    std::vector<std::string> remarks;
    const scanner::Machine& machine = facts.machine;
    if (!machine.has_handles) {
        remarks.push_back(
            "this kernel has no handles for processes (pidfd_open, Linux 5.3): nothing can be "
            "ended safely here");
    }
    if (facts.count.denied > 0) {
        remarks.push_back(fmt::format("{} process{} could not be read", facts.count.denied,
                                      facts.count.denied == 1 ? "" : "es"));
    }
    for (const std::string& what : facts.unanswered)
        remarks.push_back(unanswered_text(policy::escape(what, 200)));
    const auto is_on = [](const auto& rule) { return rule.enabled && !rule.apart; };
    if (std::ranges::none_of(setup.rules.families, is_on)) {
        remarks.push_back("no family is enabled, so nothing was looked for: see the configuration");
    }
    if (setup.under_is_gone) {
        remarks.push_back(
            fmt::format("{} does not exist: only what was started before it was "
                        "deleted can be found",
                        policy::escape(setup.settings.under.front(), 400)));
    }
    if (is_hidden(facts, setup)) {
        remarks.push_back(
            "/proc hides the processes of other users (hidepid): run as root to see them");
    } else if (machine.hides_processes) {
        remarks.push_back(
            "/proc hides the processes of other users (hidepid): a helper whose parent is hidden "
            "is left alone");
    }
    return remarks;
}

// Helpers of any program are found by what Hermes wrote down of them, and by nothing else.
std::vector<std::string> lost_ledgers(const scanner::Facts& facts, const policy::Rules& rules) {
    std::vector<std::string> remarks;
    if (!policy::takes_any_executable(rules)) return remarks;
    for (const scanner::Claim& claim : facts.claims) {
        if (claim.kind == scanner::ClaimKind::ledger && policy::is_unclear(claim))
            remarks.push_back(policy::describe_unclear(claim) +
                              "; helpers that only it names could not be looked for");
    }
    return remarks;
}

bool sees_scope(const scanner::Facts& facts, const Setup& setup) {
    return facts.count.denied == 0 && facts.unanswered.empty() && facts.machine.has_handles &&
           !is_hidden(facts, setup);
}

// What protects or names a process, as far as it was read: nothing is removed by this.
std::vector<ReportedFile> files_of(const scanner::Facts& facts, const policy::Rules& rules) {
    std::vector<ReportedFile> files;
    for (const scanner::Claim& claim : facts.claims) {
        scanner::ClaimFile file;
        file.kind = claim.kind;
        file.home = claim.home;
        file.path = claim.path;
        file.scope = claim.scope;
        file.stamp.owner = claim.owner;
        file.claims = {claim};
        policy::FileJudgement judgement = policy::judge_file(file, facts.machine, rules);
        judgement.remove = false;
        judgement.unread = false;  // where that matters, the processes say so
        files.push_back({std::move(file), std::move(judgement), std::nullopt});
    }
    return files;
}

bool is_listed(const Report& report, Pid pid) {
    return std::any_of(
        report.processes.begin(), report.processes.end(),
        [pid](const ReportedProcess& process) { return process.facts.row.pid == pid; });
}

bool contains(const std::vector<Pid>& pids, Pid pid) {
    return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

bool ends_orphans(const policy::FamilyRule& rule) {
    const auto action = rule.actions.find(policy::Verdict::orphan);
    return action != rule.actions.end() && action->second == policy::Action::reap;
}

bool is_apart(const Judgement& judgement, const policy::Rules& rules) {
    const auto rule =
        std::ranges::find(rules.families, judgement.family, &policy::FamilyRule::name);
    return rule != rules.families.end() && rule->apart;
}

// Only `report` lists what is apart; an explanation was asked for, and so was a folder.
void add_process(Report& report, const Judgement& judgement, const scanner::ProcessFacts& facts,
                 const policy::Rules& rules) {
    const bool apart =
        report.command == "report" && !takes_leftovers(rules) && is_apart(judgement, rules);
    (apart ? report.others : report.processes).push_back({judgement, facts, std::nullopt});
}

// Refused, so that it was not signalled: a later run may do it.
CountByWord refusals_of(const Report& report) {
    CountByWord refusals;
    for (const ReportedProcess& process : report.processes) {
        if (process.outcome && process.outcome->result == OutcomeResult::refused)
            ++refusals[process.judgement.family];
    }
    return refusals;
}

}  // namespace

Report report_of(const Judged& judged, const SweepOptions& options, const Setup& setup) {
    const scanner::Facts& facts = judged.look.facts;
    Report report;
    report.version = REAPER_VERSION;
    report.commit = commit();
    report.command = info_of(options.command).name;
    report.scope_words = scope_words(options);
    report.max_kills = options.max_kills;
    report.machine = facts.machine;
    report.started_epoch = facts.machine.now_epoch;
    report.uids = setup.settings.uids;
    report.homes = setup.settings.homes;
    report.under = setup.settings.under;
    for (const policy::FamilyRule& rule : setup.rules.families) {
        const auto& packs = report.other_packs;
        if (rule.apart && std::ranges::find(packs, rule.pack) == packs.end())
            report.other_packs.push_back(rule.pack);
        const bool armed = ends_orphans(rule);
        if (rule.apart && !(armed && takes_leftovers(setup.rules)))
            report.pack_of_listed[rule.name] = armed ? rule.pack : std::string();
        const auto& wanted = setup.settings.families;
        const bool chosen = wanted.empty() || std::ranges::find(wanted, rule.name) != wanted.end();
        if (!rule.enabled || rule.apart || !chosen) continue;
        report.families.push_back(rule.name);
        if (!armed) report.report_only.push_back(rule.name);
    }
    report.count = facts.count;
    report.complete = sees_scope(facts, setup);
    for (const Judgement& judgement : judged.judgements)
        add_process(report, judgement, *find_facts(judged, judgement.identity.pid), setup.rules);
    // A page draws the tree of processes.
    if (options.format == Format::html) report.hosts = tally_hosts(report, facts);
    report.files = files_of(facts, setup.rules);
    report.remarks = remarks_on(facts, setup);
    const auto lost = lost_ledgers(facts, setup.rules);
    report.complete = report.complete && lost.empty();
    std::ranges::copy(lost, std::back_inserter(report.remarks));
    std::ranges::copy(judged.remarks, std::back_inserter(report.remarks));
    return report;
}

std::vector<Pid> keep_only(Report& report, const std::vector<Pid>& pids) {
    std::erase_if(report.processes, [&](const ReportedProcess& process) {
        return !contains(pids, process.facts.row.pid);
    });
    std::vector<Pid> missing;
    std::copy_if(pids.begin(), pids.end(), std::back_inserter(missing),
                 [&](Pid pid) { return !is_listed(report, pid); });
    return missing;
}

Run run_of(const Report& report) {
    return {report.command,     report.started_epoch, report.elapsed_ms,
            report.exit_status, refusals_of(report),  report.from};
}

}  // namespace reaper::agent
