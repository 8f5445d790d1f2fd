#include "agent/report/report.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace reaper::agent {

namespace {

using policy::Action;
using policy::Verdict;

bool was_signalled_away(const ReportedProcess& process) {
    if (!process.outcome) return false;
    return process.outcome->result == OutcomeResult::ended_on_term ||
           process.outcome->result == OutcomeResult::ended_on_kill;
}

// What could be read proves nothing: that is an answer. What could not be read might have proved
// something.
void count(const ReportedProcess& process, ReportSummary& summary) {
    ++summary.matched;
    const std::uint64_t bytes = memory_bytes(process.facts);
    switch (process.judgement.action) {
        case Action::reap:
            ++summary.to_reap;
            summary.reclaimable_bytes += bytes;
            break;
        case Action::report: ++summary.reported; break;
        case Action::keep: ++summary.kept; break;
    }
    if (was_signalled_away(process)) {
        ++summary.reaped;
        summary.reclaimed_bytes += bytes;
    }
    if (has_failed(process)) ++summary.failed;
}

void count(const ReportedFile& file, ReportSummary& summary) {
    if (file.judgement.remove || file.judgement.paused) ++summary.files_stale;
    if (is_removed(file)) ++summary.files_removed;
    if (has_failed(file)) ++summary.files_failed;
}

// A file that is no longer stale, or that was removed by another program, is no longer in the way.
bool is_left(const ReportedFile& file) {
    return (file.judgement.remove && !file.removal) || file.judgement.paused;
}

// Any status but 0 means: do not update now.
ExitStatus status_of_preflight(const Report& report) {
    if (!report.obstacles.empty()) return ExitStatus::blocked;
    if (!report.complete) return ExitStatus::incomplete;
    const bool to_do = report.summary.to_reap > 0 || report.summary.files_stale > 0;
    return report.dry_run && to_do ? ExitStatus::leaks_left : ExitStatus::clean;
}

// Its host is gone, and nothing proves that it may go: it is left, and may be a leak.
bool is_left_unproven(const ReportedProcess& process) {
    const auto& evidence = process.judgement.evidence;
    const bool adopted =
        std::ranges::find(evidence, "parent.adopter", &policy::Evidence::code) != evidence.end();
    return process.judgement.verdict == Verdict::unknown && adopted && !is_ended(process);
}

ExitStatus status_of(const Report& report) {
    if (report.interrupted) return ExitStatus::interrupted;
    if (report.summary.failed > 0 || report.summary.files_failed > 0) return ExitStatus::not_ended;
    if (report.command == "preflight") return status_of_preflight(report);
    const bool paused =
        std::ranges::any_of(report.files, [](const auto& file) { return file.judgement.paused; });
    if (report.cleaning && paused) return ExitStatus::blocked;
    if (!report.complete) return ExitStatus::incomplete;
    if (std::ranges::any_of(report.files, is_left)) return ExitStatus::leaks_left;
    const bool left =
        std::any_of(report.processes.begin(), report.processes.end(), [](const auto& process) {
            return (is_leak(process) && !is_ended(process)) || is_left_unproven(process);
        });
    return left ? ExitStatus::leaks_left : ExitStatus::clean;
}

}  // namespace

bool is_leak(const ReportedProcess& process) {
    if (process.judgement.action != Action::report) return process.judgement.action == Action::reap;
    return policy::is_leak(process.judgement.verdict);
}

bool could_not_be_judged(const ReportedProcess& process) {
    if (process.judgement.verdict != Verdict::unknown) return false;
    constexpr std::string_view kMissing[] = {"veto.home", "veto.identity", "veto.ambiguous",
                                             "veto.no_handles"};
    return std::ranges::any_of(process.judgement.evidence, [&](const policy::Evidence& piece) {
        return piece.code.starts_with("veto.unreadable.") ||
               std::ranges::find(kMissing, piece.code) != std::end(kMissing);
    });
}

bool is_ended(const ReportedProcess& process) {
    if (!process.outcome || process.outcome->respawned_as) return false;
    return was_signalled_away(process) || process.outcome->result == OutcomeResult::already_gone;
}

bool has_failed(const ReportedProcess& process) {
    if (!process.outcome) return false;
    if (process.outcome->respawned_as) return true;
    switch (process.outcome->result) {
        case OutcomeResult::denied:
        case OutcomeResult::survived:
        case OutcomeResult::unkillable:
        case OutcomeResult::refused: return true;
        case OutcomeResult::ended_on_term:
        case OutcomeResult::ended_on_kill:
        case OutcomeResult::already_gone:
        case OutcomeResult::changed:
        case OutcomeResult::would_reap: return false;
    }
    return true;
}

bool is_removed(const ReportedFile& file) {
    return file.removal && file.removal->result == RemovalResult::removed;
}

bool has_failed(const ReportedFile& file) {
    if (!file.removal) return false;
    return file.removal->result == RemovalResult::failed ||
           file.removal->result == RemovalResult::refused;
}

void conclude(Report& report) {
    report.summary = {};
    for (const ReportedProcess& process : report.processes) {
        count(process, report.summary);
        if (could_not_be_judged(process)) report.complete = false;
    }
    for (const ReportedFile& file : report.files) {
        count(file, report.summary);
        if (file.judgement.unread) report.complete = false;
    }
    report.exit_status = status_of(report);
}

}  // namespace reaper::agent
