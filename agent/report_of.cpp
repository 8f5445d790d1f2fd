#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "agent/commands.hpp"

namespace reaper::agent {

namespace {

using policy::Judgement;
using scanner::Pid;
using scanner::ProcessFacts;

// Of one's own processes /proc always tells.
bool is_hidden(const scanner::Facts& facts, const Setup& setup) {
    return facts.machine.hides_processes && setup.settings.uids != std::vector<scanner::Uid>{facts.machine.uid};
}

// What a reader has to know before believing the numbers.
std::vector<std::string> remarks_on(const scanner::Facts& facts, const Setup& setup) {
    std::vector<std::string> remarks;
    const scanner::Machine& machine = facts.machine;
    if (!machine.has_handles) {
        remarks.push_back(
            "this kernel has no handles for processes (pidfd_open, Linux 5.3): nothing can be ended safely here");
    }
    if (facts.count.denied > 0) {
        remarks.push_back(
            fmt::format("{} process{} could not be read", facts.count.denied, facts.count.denied == 1 ? "" : "es"));
    }
    if (std::ranges::none_of(setup.rules.families, &policy::FamilyRule::enabled)) {
        remarks.push_back("no family is enabled, so nothing was looked for: see the configuration");
    }
    if (is_hidden(facts, setup)) {
        remarks.push_back("/proc hides the processes of other users (hidepid): run as root to see them");
    } else if (machine.hides_processes) {
        remarks.push_back(
            "/proc hides the processes of other users (hidepid): a helper whose parent is hidden is left alone");
    }
    return remarks;
}

bool sees_scope(const scanner::Facts& facts, const Setup& setup) {
    return facts.count.denied == 0 && facts.machine.has_handles && !is_hidden(facts, setup);
}

// What protected or concerned somebody, as far as that was read: nothing is removed by this.
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
    return std::any_of(report.processes.begin(), report.processes.end(),
                       [pid](const ReportedProcess& process) { return process.facts.row.pid == pid; });
}

bool contains(const std::vector<Pid>& pids, Pid pid) {
    return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

}  // namespace

const Judgement* find_judgement(const Judged& judged, Pid pid) {
    const auto found =
        std::ranges::find(judged.judgements, pid, [](const Judgement& judgement) { return judgement.identity.pid; });
    return found == judged.judgements.end() ? nullptr : &*found;
}

const ProcessFacts* find_facts(const Judged& judged, Pid pid) {
    const auto& candidates = judged.look.facts.candidates;
    const auto found = std::ranges::find(candidates, pid, [](const ProcessFacts& facts) { return facts.row.pid; });
    return found == candidates.end() ? nullptr : &*found;
}

Report report_of(const Judged& judged, const Options& options, const Setup& setup) {
    const scanner::Facts& facts = judged.look.facts;
    Report report;
    report.version = REAPER_VERSION;
    report.scope_words = scope_words(options);
    report.max_kills = options.max_kills;
    report.machine = facts.machine;
    report.started_epoch = facts.machine.now_epoch;
    report.uids = setup.settings.uids;
    report.homes = setup.settings.homes;
    for (const policy::FamilyRule& rule : setup.rules.families) {
        const auto& wanted = setup.settings.families;
        const bool chosen = wanted.empty() || std::ranges::find(wanted, rule.name) != wanted.end();
        if (!rule.enabled || !chosen) continue;
        report.families.push_back(rule.name);
        const auto action = rule.actions.find(policy::Verdict::orphan);
        const bool armed = action != rule.actions.end() && action->second == policy::Action::reap;
        if (!armed) report.report_only.push_back(rule.name);
    }
    report.count = facts.count;
    report.complete = sees_scope(facts, setup);
    for (const Judgement& judgement : judged.judgements) {
        report.processes.push_back({judgement, *find_facts(judged, judgement.identity.pid), std::nullopt});
    }
    report.files = files_of(facts, setup.rules);
    report.remarks = remarks_on(facts, setup);
    std::ranges::copy(judged.remarks, std::back_inserter(report.remarks));
    return report;
}

std::vector<Pid> keep_only(Report& report, const std::vector<Pid>& pids) {
    std::erase_if(report.processes,
                  [&](const ReportedProcess& process) { return !contains(pids, process.facts.row.pid); });
    std::vector<Pid> missing;
    std::copy_if(pids.begin(), pids.end(), std::back_inserter(missing),
                 [&](Pid pid) { return !is_listed(report, pid); });
    return missing;
}

}  // namespace reaper::agent
