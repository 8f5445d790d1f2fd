#include "agent/report_lines.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "agent/human.hpp"
#include "policy/breaker.hpp"
#include "policy/escape.hpp"

namespace reaper::agent {

namespace {

using policy::Action;
using policy::escape;
using policy::Verdict;
using policy::Weight;

std::string details(const ReportedProcess& process, Weight weight, std::size_t most) {
    std::string text;
    for (const policy::Evidence& evidence : process.judgement.evidence) {
        if (evidence.weight != weight || most == 0) continue;
        if (!text.empty()) text += "; ";
        text += escape(evidence.detail, 200);
        --most;
    }
    return text;
}

std::string first_of(const ReportedProcess& process, std::initializer_list<Weight> weights, std::size_t most) {
    for (const Weight weight : weights) {
        std::string text = details(process, weight, most);
        if (!text.empty()) return text;
    }
    return "no evidence was recorded";
}

std::string main_reasons(const ReportedProcess& process) {
    if (shelf_of(process) == Shelf::leaked) return first_of(process, {Weight::for_kill, Weight::note}, 3);
    if (shelf_of(process) == Shelf::kept) return first_of(process, {Weight::veto, Weight::against, Weight::note}, 2);
    return first_of(process, {Weight::veto, Weight::against, Weight::for_kill, Weight::note}, 2);
}

std::string how_it_ended(const Outcome& outcome) {
    const std::string took = took_text(outcome.took);
    switch (outcome.result) {
        case OutcomeResult::ended_on_term: return fmt::format("ended on TERM after {}", took);
        case OutcomeResult::ended_on_kill: return fmt::format("ended on KILL after {}", took);
        case OutcomeResult::already_gone: return "had already exited by itself";
        case OutcomeResult::changed: return "left alone: it changed between two looks";
        case OutcomeResult::denied: return "NOT ended: not permitted";
        case OutcomeResult::survived: return fmt::format("NOT ended: still running after KILL ({})", took);
        case OutcomeResult::unkillable: return "NOT ended: stuck inside the kernel; KILL is pending";
        case OutcomeResult::would_reap: return "would be ended";
        case OutcomeResult::refused:
            return outcome.signals.empty() ? "NOT ended: refused, nothing was sent"
                                           : fmt::format("NOT ended: still ending after {}, KILL was not sent", took);
    }
    return "NOT ended";
}

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

// "abandoned,in-service": what `sweep --reap` has to be told; empty when that alone changes nothing.
std::string reap_words(const ReportedProcess& process) {
    const Verdict verdict = process.judgement.verdict;
    const bool by_default = verdict == Verdict::orphan || verdict == Verdict::superseded;
    const bool in_service = find_evidence(process, "unit.inside_service") != nullptr;
    std::string words = by_default ? std::string() : std::string(to_string(verdict));
    if (in_service) words += words.empty() ? "in-service" : ",in-service";
    return words;
}

// Init may hold anything, and what this report does not end has its reason: nobody is ever told to end either.
bool must_stay(const Report& report, scanner::Pid pid) {
    return pid <= 1 || std::ranges::any_of(report.processes, [pid](const ReportedProcess& process) {
               return process.facts.row.pid == pid && shelf_of(process) != Shelf::leaked;
           });
}

std::string holder_text(const Report& report, const ReportedProcess& process) {
    const auto& input = process.facts.standard_input;
    if (process.judgement.verdict != Verdict::held || !input.ok() || input.value.holders.empty()) return {};
    const auto& holders = input.value.holders;
    if (std::ranges::any_of(holders, [&](scanner::Pid pid) { return must_stay(report, pid); })) return {};
    return fmt::format("; so would ending whoever holds its stdin (pid {})", fmt::join(holders, ", "));
}

std::string leak_remedy(const Report& report, const ReportedProcess& process) {
    if (const policy::Evidence* veto = find_veto(process))
        return fmt::format("{} forbids to end it", escape(veto->code, 60));
    const std::string family = escape(process.judgement.family, 60);
    if (std::ranges::find(report.report_only, process.judgement.family) != report.report_only.end()) {
        const std::string_view verdict = to_string(process.judgement.verdict);
        const std::string whom = verdict == "orphan" ? "its orphans" : fmt::format("what is {}", verdict);
        return fmt::format(R"({0} is only reported; to end {1}, put {{"families": {{"{0}": {{"actions": )"
                           R"({{"{2}": "reap"}}}}}}}} into a rule file (--config FILE))",
                           family, whom, verdict);
    }
    const std::string words = reap_words(process);
    if (words.empty()) return fmt::format("the rules of {} only report it", family);
    const std::string whom = process.judgement.verdict == Verdict::duplicate ? "all but the newest" : "it";
    const std::string_view doubt = words.ends_with("in-service") ? ", if it merely sits in a service" : "";
    return fmt::format("'sweep --reap {}' would end {}{}{}", words, whom, doubt, holder_text(report, process));
}

}  // namespace

Shelf shelf_of(const ReportedProcess& process) {
    if (process.judgement.action == Action::reap) return Shelf::leaked;
    const bool unjudged = process.judgement.verdict == Verdict::unknown;
    return process.judgement.action == Action::report || unjudged ? Shelf::reported : Shelf::kept;
}

std::string why(const ReportedProcess& process) {
    std::string text = main_reasons(process);
    for (const policy::Evidence& evidence : process.judgement.evidence) {
        const bool always = evidence.code == "database.deleted" || evidence.code == policy::kRespawnNote;
        if (always) text += "; " + escape(evidence.detail, 200);
    }
    return text;
}

std::string outcome_line(const ReportedProcess& process) {
    if (!process.outcome) return {};
    std::string text = how_it_ended(*process.outcome);
    if (!process.outcome->detail.empty()) text += fmt::format(" ({})", escape(process.outcome->detail, 200));
    if (process.outcome->respawned_as) text += fmt::format("; CAME BACK as pid {}", *process.outcome->respawned_as);
    return text;
}

std::string remedy(const Report& report, const ReportedProcess& process) {
    if (shelf_of(process) != Shelf::reported) return {};
    switch (process.judgement.verdict) {
        case Verdict::abandoned:
        case Verdict::duplicate:
        case Verdict::held:
        case Verdict::orphan:
        case Verdict::superseded: return leak_remedy(report, process);
        case Verdict::zombie:
            return fmt::format("it is dead already; its parent, pid {}, has to collect it", process.facts.row.ppid);
        case Verdict::unknown: return "never ended while something about it is unknown";
        case Verdict::designated:
        case Verdict::attached:
        case Verdict::supervised:
        case Verdict::young:
        case Verdict::foreign: return {};
    }
    return {};
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
