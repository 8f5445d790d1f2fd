#include "agent/report/headline.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "agent/cli/command_text.hpp"
#include "agent/report/text/process_line.hpp"
#include "agent/system/format.hpp"
#include "policy/text/escape.hpp"
#include "policy/verdict/respawn_veto.hpp"

namespace reaper::agent {

namespace {

using policy::escape;

template <class Test>
std::size_t count_if(const Report& report, Test test) {
    return static_cast<std::size_t>(
        std::count_if(report.processes.begin(), report.processes.end(), test));
}

bool is_step(const ReportedProcess& process) {
    return process.judgement.action == policy::Action::reap;
}

// Started again after each end: no step of any plan.
bool is_kept_alive(const ReportedProcess& process) {
    return policy::find_respawn_veto(process.judgement) != nullptr;
}

bool is_refused(const ReportedProcess& process) {
    return is_step(process) && process.outcome &&
           process.outcome->result == OutcomeResult::refused && process.outcome->signals.empty();
}

std::string limit_text(const Report& report) {
    return fmt::format("more than --max-kills {}", report.max_kills);
}

// Quiet, the first line is all there is.
std::string refusal(const Report& report) {
    if (exceeds_limit(report)) return limit_text(report);
    const auto first = std::ranges::find_if(report.processes, is_refused);
    return escape(first->outcome->detail, 200);
}

// They may be leaked, and may just be starting.
std::string young_text(const Report& report) {
    const std::size_t young = count_if(
        report, [](const auto& one) { return one.judgement.verdict == policy::Verdict::young; });
    if (young == 0) return {};
    return fmt::format("; {} {} too young to be judged", count_text(young, "helper"),
                       young == 1 ? "is" : "are");
}

std::string incomplete_reason(const Report& report) {
    const auto file =
        std::ranges::find_if(report.files, [](const auto& one) { return one.judgement.unread; });
    if (file != report.files.end())
        return fmt::format("{}: {}", escape(file->file.path, 200),
                           escape(file->judgement.reason, 200));
    const auto process = std::ranges::find_if(report.processes, could_not_be_judged);
    if (process != report.processes.end())
        return fmt::format("pid {} ({}): {}", process->facts.row.pid, kind_text(*process),
                           why(*process));
    return escape(fmt::format("{}", fmt::join(report.remarks, "; ")), 400);
}

std::string failure_reason(const Report& report) {
    const auto file =
        std::ranges::find_if(report.files, [](const auto& one) { return has_failed(one); });
    if (file != report.files.end())
        return fmt::format("{}: {}", escape(file->file.path, 200),
                           escape(file->removal->detail, 200));
    const auto process =
        std::ranges::find_if(report.processes, [](const auto& one) { return has_failed(one); });
    const bool told = process == report.processes.end() || exceeds_limit(report);
    if (told) return {};
    return fmt::format("pid {} ({}): {}", process->facts.row.pid, kind_text(*process),
                       outcome_line(*process));
}

std::string users_text(const Report& report) {
    if (report.uids.empty()) return "all users";
    std::vector<std::string> names;
    names.reserve(report.uids.size());
    for (const scanner::Uid uid : report.uids)
        names.push_back(uid == 0 ? "root" : fmt::format("uid {}", uid));
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string nothing_headline(const Report& report, std::size_t worth_a_look) {
    if (report.families.empty()) return "nothing was looked for: no family is enabled";
    if (worth_a_look > 0)
        return fmt::format("nothing to end, but {} to look at", count_text(worth_a_look, "helper"));
    if (report.exit_status == ExitStatus::incomplete) return "nothing leaked was found";
    return report.summary.matched == 0 ? "nothing leaked; no helper is running" : "nothing leaked";
}

std::string plan_headline(const Report& report, std::size_t worth_a_look) {
    const ReportSummary& summary = report.summary;
    const std::string size = size_text(summary.reclaimable_bytes);
    const std::string leaked = count_text(summary.to_reap, "leaked helper");
    if (summary.to_reap == 0) {
        // Root could have looked at all users, and a reader easily takes it to have done so.
        const bool narrowed = report.machine.uid == 0 && !report.uids.empty();
        return (narrowed ? users_text(report) + ": " : std::string()) +
               nothing_headline(report, worth_a_look);
    }
    if (exceeds_limit(report))
        return fmt::format("{}{}, a sweep would refuse: {}", report.dry_run ? "dry run: " : "",
                           leaked, limit_text(report));
    if (report.dry_run)
        return fmt::format("dry run: {} would be ended, {} would come back", leaked, size);
    return fmt::format("{}, {} would come back", leaked, size);
}

}  // namespace

std::string sweep_headline(const Report& report) {
    const ReportSummary& summary = report.summary;
    const std::size_t ended = count_if(report, is_ended);
    const std::string leaked = count_text(summary.to_reap, "leaked helper");
    const bool refused = summary.to_reap > 0 && count_if(report, is_refused) == summary.to_reap;
    if (refused) return fmt::format("refused: {}, none was touched: {}", leaked, refusal(report));
    if (ended == 0) return leaked + ", none was ended";
    std::string text = ended == summary.to_reap ? fmt::format("{} ended", leaked)
                                                : fmt::format("{} of {} ended", ended, leaked);
    return text + fmt::format(", {} came back", size_text(summary.reclaimed_bytes));
}

bool exceeds_limit(const Report& report) {
    return report.summary.to_reap > report.max_kills && count_if(report, is_ended) == 0;
}

std::string sweep_command(const Report& report) {
    const std::size_t enough = std::max(report.max_kills, report.summary.to_reap);
    return next_command(report, enough == SweepOptions{}.max_kills
                                    ? "sweep"
                                    : fmt::format("sweep --max-kills {}", enough));
}

std::string headline(const Report& report) {
    const std::size_t reported = count_if(report, [](const ReportedProcess& process) {
        return section_of(process) == ReportSection::reported;
    });
    const bool acted = report.summary.to_reap > 0 && report.command == "sweep" && !report.dry_run;
    std::string text = acted ? sweep_headline(report) : plan_headline(report, reported);
    if (report.summary.to_reap > 0 && reported > 0)
        text += fmt::format("; {} more to look at", reported);
    const std::size_t failed =
        count_if(report, [](const auto& one) { return is_step(one) && has_failed(one); });
    const bool all_failed = failed == report.summary.to_reap;  // "none was ended" has said so
    if (failed > 0 && !all_failed) text += fmt::format("; {} did not end", failed);
    const std::size_t kept_alive = count_if(report, is_kept_alive);
    if (kept_alive > 0)
        text += fmt::format("; {} left alone: started again after each end", kept_alive);
    text += young_text(report);
    if (!report.complete) text += "; not everything could be looked at";
    return report.interrupted ? "interrupted: " + text : text;
}

std::string only_line(const Report& report, const std::string& headline) {
    const bool incomplete = report.exit_status == ExitStatus::incomplete;
    const bool failed =
        report.exit_status == ExitStatus::not_ended && !headline.starts_with("refused: ");
    const std::string reason = incomplete ? incomplete_reason(report)
                               : failed   ? failure_reason(report)
                                          : std::string();
    return reason.empty() ? headline
                          : fmt::format("{}{} {}", headline, incomplete ? ':' : ';', reason);
}

std::string scope_line(const Report& report) {
    const std::size_t looked_at =
        report.count.seen - std::min(report.count.seen, report.count.foreign);
    std::string text = fmt::format(
        "looked at {} of {}", looked_at == 1 ? "1 process" : fmt::format("{} processes", looked_at),
        users_text(report));
    text += fmt::format(" in {:.0f} ms, as {}", report.elapsed_ms,
                        report.machine.uid == 0 ? "root" : "an ordinary user");
    if (!report.homes.empty())
        text +=
            fmt::format("; homes: {}", escape(fmt::format("{}", fmt::join(report.homes, ", "))));
    const std::string families = fmt::format("{}", fmt::join(report.families, ", "));
    return text + fmt::format("; families: {}", families.empty() ? "none" : escape(families));
}

std::string exit_line(ExitStatus status) {
    const auto meaning = [status]() -> std::string_view {
        switch (status) {
            case ExitStatus::clean: return "nothing leaked is left";
            case ExitStatus::leaks_left: return "leaks were found and left";
            case ExitStatus::usage: return "wrong usage";
            case ExitStatus::configuration: return "the configuration is invalid; nothing was done";
            case ExitStatus::incomplete:
                return "the scan was incomplete: not enough could be read to be sure";
            case ExitStatus::not_ended:
                return "something that should have ended or been removed was not";
            case ExitStatus::blocked: return "blocked: something is in the way";
            case ExitStatus::interrupted: return "interrupted before everything was done";
        }
        return "unknown";
    };
    return fmt::format("exit status {}: {}", static_cast<int>(status), meaning());
}

std::string next_command(const Report& report, std::string_view command) {
    return command_to_show(fmt::format("orphan-reaper {}{}{}", command,
                                       report.scope_words.empty() ? "" : " ", report.scope_words));
}

}  // namespace reaper::agent
