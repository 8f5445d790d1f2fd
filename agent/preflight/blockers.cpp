#include "agent/preflight/blockers.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "agent/cli/cli.hpp"
#include "agent/report/text/process_line.hpp"
#include "policy/text/escape.hpp"
#include "scanner/inspector.hpp"

namespace reaper::agent {

using policy::Obstacle;
using policy::ObstacleKind;

namespace {

std::string clean_command(const ScopeOptions& options, const ReportedFile& file) {
    ScopeOptions whose;
    whose.homes = options.homes;
    whose.user = scanner::user_name(file.file.scope);
    return "orphan-reaper pidfiles --clean " + scope_words(whose);
}

Obstacle file_in_the_way(const ScopeOptions& options, const ReportedFile& file) {
    return {
        ObstacleKind::stale_file,
        {},
        scanner::user_name(file.file.stamp.owner),
        {},
        fmt::format("{} {}: {}", file.file.path,
                    file.judgement.remove ? "is stale, and could not be removed"
                                          : "could not be put back in its place",
                    file.removal->detail),
        (::geteuid() == 0 ? "when that is put right: " : "sudo ") + clean_command(options, file),
        false};
}

Obstacle young_file_in_the_way(const ScopeOptions& options, const ReportedFile& file) {
    return {ObstacleKind::young,
            {},
            scanner::user_name(file.file.stamp.owner),
            {},
            fmt::format("{}: {}", file.file.path, file.judgement.reason),
            "when it is a minute old: " + clean_command(options, file),
            true};
}

}  // namespace

bool is_left(const ReportedProcess& process, bool dry_run) {
    if (policy::is_young_orphan(process.judgement)) return true;
    const bool would_end = dry_run && process.judgement.action == policy::Action::reap;
    return is_leak(process) && !is_ended(process) && !would_end;
}

Obstacle leak_in_the_way(const Report& report, const ReportedProcess& process) {
    const bool young = policy::is_young_orphan(process.judgement);
    Obstacle obstacle{young ? ObstacleKind::young : ObstacleKind::leak,
                      {process.facts.row.pid},
                      process.facts.user,
                      process.facts.row.command_line.value.argv,
                      fmt::format("{}: {}", to_string(process.judgement.verdict), why(process)),
                      remedy(report, process),
                      young,
                      policy::unit_name_of(process.facts.row)};
    if (process.outcome) obstacle.detail += "; " + outcome_line(process);
    const bool vetoed = std::ranges::any_of(
        process.judgement.evidence,
        [](const policy::Evidence& piece) { return piece.weight == policy::Weight::veto; });
    const bool returned =
        process.outcome && process.outcome->respawned_as && process.judgement.host != 0;
    if (returned)
        obstacle.help = fmt::format("orphan-reaper explain {}",
                                    process.judgement.host);  // the host that starts it
    else if (young)
        obstacle.help = "wait until it is old enough to be judged";
    else if (vetoed || obstacle.help.empty())
        obstacle.help = fmt::format("orphan-reaper explain {}", process.facts.row.pid);
    return obstacle;
}

Obstacle return_in_the_way(const ReportedProcess& process, bool returned) {
    const scanner::Pid host = process.judgement.host;
    return {
        ObstacleKind::leak,
        {process.facts.row.pid},
        process.facts.user,
        process.facts.row.command_line.value.argv,
        fmt::format("it was ended, and pid {}, which had started it, {}", host,
                    returned ? "started it again" : "may start it again: there was no time to see"),
        fmt::format("orphan-reaper explain {}; or give it more time (--timeout)", host),
        false,
        policy::unit_name_of(process.facts.row)};
}

void add_files(const ScopeOptions& options, Report& report) {
    for (const ReportedFile& file : report.files) {
        if (has_failed(file)) report.obstacles.push_back(file_in_the_way(options, file));
        if (file.judgement.young) report.obstacles.push_back(young_file_in_the_way(options, file));
        if (file.judgement.unread)
            report.remarks.push_back(fmt::format("{}: {}", policy::escape(file.file.path, 200),
                                                 policy::escape(file.judgement.reason, 200)));
    }
}

Obstacle sweep_in_the_way(std::string user, const std::string& what, scanner::Pid holder) {
    Obstacle obstacle{ObstacleKind::sweep,         {},   std::move(user), {}, what,
                      "try again when it is done", false};
    if (holder > 0) {
        obstacle.pids = {holder};
        obstacle.help = fmt::format("wait until it is done; to check: ps -fp {}", holder);
    }
    return obstacle;
}

}  // namespace reaper::agent
