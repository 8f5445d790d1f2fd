#include "agent/report/text/process_line.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "agent/system/format.hpp"
#include "policy/text/escape.hpp"
#include "policy/verdict/reason.hpp"

namespace reaper::agent {

namespace {

using policy::Action;
using policy::escape;
using policy::Verdict;
using policy::Weight;

const policy::Evidence* find_evidence(const ReportedProcess& process, std::string_view code) {
    for (const policy::Evidence& piece : process.judgement.evidence) {
        if (piece.code == code) return &piece;
    }
    return nullptr;
}

const policy::Evidence* find_veto(const ReportedProcess& process) {
    for (const policy::Evidence& piece : process.judgement.evidence) {
        if (piece.weight == Weight::veto) return &piece;
    }
    return nullptr;
}

// "abandoned,in-service": what `sweep --reap` has to be told; empty when that alone changes
// nothing.
std::string reap_words(const ReportedProcess& process) {
    const Verdict verdict = process.judgement.verdict;
    const bool in_service = find_evidence(process, "unit.inside_service") != nullptr;
    std::string words =
        is_ended_by_default(verdict) ? std::string() : std::string(to_string(verdict));
    if (in_service) words += words.empty() ? "in-service" : ",in-service";
    return words;
}

// No advice is given to end init, which may hold anything, nor a process that this report does not
// end: that has its reason.
bool must_stay(const Report& report, scanner::Pid pid) {
    return pid <= 1 || std::ranges::any_of(report.processes, [pid](const ReportedProcess& process) {
               return process.facts.row.pid == pid && section_of(process) != ReportSection::leaked;
           });
}

std::string holder_text(const Report& report, const ReportedProcess& process) {
    const auto& input = process.facts.standard_input;
    if (process.judgement.verdict != Verdict::held || !input.ok() || input.value.holders.empty())
        return {};
    const auto& holders = input.value.holders;
    if (std::ranges::any_of(holders, [&](scanner::Pid pid) { return must_stay(report, pid); }))
        return {};
    return fmt::format("; so would ending what holds its stdin (pid {})", fmt::join(holders, ", "));
}

// What has it for a host, and is not ended by this report either; null: there is none.
const ReportedProcess* find_kept_below(const Report& report, const ReportedProcess& process) {
    const auto found = std::ranges::find_if(report.processes, [&](const ReportedProcess& other) {
        return other.judgement.host == process.facts.row.pid &&
               section_of(other) != ReportSection::leaked;
    });
    return found == report.processes.end() ? nullptr : &*found;
}

// The two keep each other where the host is held for what works below it: only a person can tell
// whether that hangs.
std::string remedy_below_leaked(const Report& report, const ReportedProcess& process) {
    const scanner::Pid host = process.judgement.host;
    const auto at = std::ranges::find(
        report.processes, host, [](const ReportedProcess& other) { return other.facts.row.pid; });
    const policy::Evidence* veto = at == report.processes.end() ? nullptr : find_veto(*at);
    if (veto == nullptr || veto->code != "veto.descendant")
        return fmt::format("it is left with its host (pid {}), which has to end first", host);
    return fmt::format(
        "its host (pid {}) is kept for it: if it hangs, end it yourself, and the host can end",
        host);
}

std::string leak_remedy(const Report& report, const ReportedProcess& process) {
    if (const policy::Evidence* veto = find_veto(process))
        return fmt::format("{} forbids to end it", escape(veto->code, 60));
    if (find_evidence(process, "host.leaked") != nullptr)
        return remedy_below_leaked(report, process);
    const std::string family = escape(process.judgement.family, 60);
    if (std::ranges::find(report.report_only, process.judgement.family) !=
        report.report_only.end()) {
        const std::string_view verdict = to_string(process.judgement.verdict);
        const std::string target =
            verdict == "orphan" ? "its orphans" : fmt::format("what is {}", verdict);
        return fmt::format(
            R"({0} is only reported; to end {1}, put {{"families": {{"{0}": {{"actions": )"
            R"({{"{2}": "reap"}}}}}}}} into a rule file (--config FILE))",
            family, target, verdict);
    }
    const bool narrowed = !report.scope_words.empty() && !report.replayed;
    const std::string scope = narrowed ? " " + escape(report.scope_words, 400) : std::string();
    if (const auto listed = report.pack_of_listed.find(process.judgement.family);
        listed != report.pack_of_listed.end()) {
        if (listed->second.empty()) return fmt::format("the rules of {} only report it", family);
        return fmt::format("it is only listed: 'sweep --dry-run --with {}{}' tells what would end",
                           escape(listed->second, 60), scope);
    }
    const std::string words = reap_words(process);
    if (words.empty()) return fmt::format("the rules of {} only report it", family);
    if (const ReportedProcess* below = find_kept_below(report, process))
        return fmt::format(
            "'sweep --dry-run --reap {}{}' tells whether it would end: pid {} works "
            "for it",
            words, scope, below->facts.row.pid);
    const std::string target =
        process.judgement.verdict == Verdict::duplicate ? "all but the newest" : "it";
    const std::string_view doubt =
        words.ends_with("in-service") ? ", if it merely sits in a service" : "";
    return fmt::format("'sweep --reap {}{}' would end {}{}{}", words, scope, target, doubt,
                       holder_text(report, process));
}

}  // namespace

ReportSection section_of(const ReportedProcess& process) {
    if (process.judgement.action == Action::reap) return ReportSection::leaked;
    const bool unjudged = process.judgement.verdict == Verdict::unknown;
    return process.judgement.action == Action::report || unjudged ? ReportSection::reported
                                                                  : ReportSection::kept;
}

std::string why(const ReportedProcess& process) {
    return policy::why(process.judgement);
}

std::string outcome_line(const ReportedProcess& process) {
    return process.outcome ? describe(*process.outcome) : std::string();
}

bool is_as_it_should_be(const Outcome& outcome) {
    return outcome.result == OutcomeResult::ended_on_term ||
           outcome.result == OutcomeResult::ended_on_kill ||
           outcome.result == OutcomeResult::already_gone ||
           outcome.result == OutcomeResult::changed || outcome.result == OutcomeResult::would_reap;
}

std::string action_line(const Report& report, const ReportedProcess& process) {
    const std::string left = remedy(report, process);
    return fmt::format("pid {} ({}, {}) {}: {}: {}", process.facts.row.pid, kind_text(process),
                       shown_home(report, process), to_string(process.judgement.verdict),
                       why(process), process.outcome ? outcome_line(process) : "left: " + left);
}

std::string remedy(const Report& report, const ReportedProcess& process) {
    if (section_of(process) != ReportSection::reported) return {};
    const Verdict verdict = process.judgement.verdict;
    if (is_leak(verdict)) return leak_remedy(report, process);
    if (verdict == Verdict::unknown) return "never ended while something about it is unknown";
    if (verdict != Verdict::zombie) return {};
    return fmt::format("it is dead already; its parent, pid {}, has to collect it",
                       process.facts.row.ppid);
}

std::string kind_text(const ReportedProcess& process) {
    const policy::Judgement& judgement = process.judgement;
    if (judgement.role.empty()) return escape(judgement.family, 60);
    return fmt::format("{}/{}", escape(judgement.family, 60), escape(judgement.role, 60));
}

std::string shown_home(const Report& report, const ReportedProcess& process) {
    if (process.judgement.home.empty()) return "(home unknown)";
    std::string home = escape(home_text(process.judgement.home, process.facts.user), 120);
    const bool one_user = report.uids.size() == 1;
    return one_user ? home : fmt::format("{} of {}", home, escape(process.facts.user, 40));
}

std::uint64_t age_seconds(const scanner::Machine& machine, const scanner::ProcessFacts& facts) {
    const std::uint64_t start = facts.row.start_ticks;
    if (machine.ticks_per_second == 0 || start > machine.now_ticks) return 0;
    return (machine.now_ticks - start) / machine.ticks_per_second;
}

std::string_view weight_word(policy::Weight weight) {
    switch (weight) {
        case Weight::for_kill: return "leaked";
        case Weight::against: return "in use";
        case Weight::veto: return "VETO";
        case Weight::note: return "note";
    }
    return "note";
}

std::string_view to_string(policy::Weight weight) {
    switch (weight) {
        case Weight::for_kill: return "for_kill";
        case Weight::against: return "against";
        case Weight::veto: return "veto";
        case Weight::note: return "note";
    }
    return "note";
}

}  // namespace reaper::agent
