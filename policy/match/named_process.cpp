#include "policy/match/named_process.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "policy/match/clock.hpp"
#include "policy/match/match.hpp"
#include "scanner/parse/script_path.hpp"

namespace reaper::policy {

namespace {

using scanner::Access;
using scanner::Claim;
using scanner::ClaimFile;
using scanner::ClaimKind;
using scanner::ProcessRow;

std::string_view file_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

// True if a word of its command line is a script or module of the program, as for a wrapper or an
// interpreter that no rule knows.
bool mentions(const Program& program, const std::vector<std::string>& argv) {
    return std::ranges::any_of(argv, [&](const std::string& word) {
        const auto is_word = [&](const std::string& script) {
            return file_name(script) == file_name(word);
        };
        return std::ranges::any_of(program.scripts, is_word) ||
               std::ranges::find(program.modules, word) != program.modules.end();
    });
}

bool runs_program_of(const FamilyRule& rule, const ProcessRow& row) {
    return std::ranges::any_of(rule.programs, [&](const Program& program) {
        return match_program(program, row) || mentions(program, row.command_line.value.argv);
    });
}

bool is_whatsapp(const ProcessRow& row) {
    return std::ranges::any_of(row.command_line.value.argv, [](const std::string& word) {
        return file_name(word) == "bridge.js";
    });
}

bool shows_program(const ProcessRow& row) {
    return row.exe.ok() && row.command_line.ok() && !row.command_line.value.truncated &&
           !row.command_line.value.argv.empty();
}

NamedProcess judge_program(const ClaimFile& file, const ProcessRow& row, const Rules& rules) {
    const auto families = families_named_by(file.kind);
    const std::string writer = fmt::format("{}", fmt::join(families, " or "));
    if (families.empty())
        return {NamedProcessState::lives, fmt::format("pid {} is alive", row.pid)};
    if (row.kernel_thread)
        return {NamedProcessState::reused, fmt::format("pid {} is a kernel thread", row.pid)};
    if (!shows_program(row))
        return {NamedProcessState::unknown,
                fmt::format("what pid {} runs could not be read", row.pid)};
    if (may_write(file.kind, row, rules))
        return {NamedProcessState::lives,
                fmt::format("pid {} is a {} that is alive", row.pid, writer)};
    if (is_whatsapp(row))
        return {NamedProcessState::other_bridge,
                fmt::format("pid {} is WhatsApp's bridge", row.pid)};
    return {NamedProcessState::other,
            fmt::format("pid {} is no {}: it runs {}", row.pid, writer, row.exe.value)};
}

// Returns what speaks against its start; empty: nothing. Ticks are exact, so if they are recorded
// no other time counts.
std::string_view doubt_of_start(const Claim& claim, const ProcessRow& row,
                                const scanner::Machine& machine) {
    constexpr std::string_view kOtherStart = "did not start when the file says";
    if (claim.start_ticks)
        return *claim.start_ticks == row.start_ticks ? std::string_view() : kOtherStart;
    if (!started_by(row.start_ticks, claim.written_epoch, machine))
        return "started after the file was written";
    if (claim.start_epoch && !started_at(row.start_ticks, *claim.start_epoch, machine))
        return kOtherStart;
    return {};
}

// The start in a host record is the only one that its readers compare, to two seconds.
bool started_as_recorded(const ClaimFile& file, const Claim& claim, const ProcessRow& row,
                         const scanner::Machine& machine) {
    if (claim.start_ticks) return *claim.start_ticks == row.start_ticks;
    return file.kind == ClaimKind::host_record && claim.start_epoch &&
           started_at(row.start_ticks, *claim.start_epoch, machine);
}

// A matching start is the identity itself, whatever runs there. Wall clock times that differ are
// weaker, as the clock may have been stepped: a process that runs the right program, or an unknown
// one, is never ruled out by them alone.
NamedProcess judge_row(const ClaimFile& file, const Claim& claim, const ProcessRow& row,
                       const scanner::Machine& machine, const Rules& rules) {
    if (started_as_recorded(file, claim, row, machine))
        return {NamedProcessState::lives,
                fmt::format("pid {} is alive, and started when the file says", row.pid)};
    NamedProcess named = judge_program(file, row, rules);
    const std::string_view doubt = doubt_of_start(claim, row, machine);
    if (doubt.empty()) return named;
    if (named.state == NamedProcessState::lives)
        return {NamedProcessState::contradicts, fmt::format("{}, but {}", named.detail, doubt)};
    if (named.state != NamedProcessState::other) return named;
    return {NamedProcessState::reused, fmt::format("pid {} {}", row.pid, doubt)};
}

NamedProcess find_here(const ClaimFile& file, const Claim& claim, const scanner::Machine& machine,
                       const Rules& rules) {
    const bool owner = file.kind == ClaimKind::browser_owner;
    const scanner::Pid pid = owner ? claim.spawner : claim.pid;
    const auto& row = owner ? claim.spawner_row : claim.named;
    if (file.named_exited)
        return {NamedProcessState::gone,
                fmt::format("pid {} has ended, but its parent has not reaped it yet", pid)};
    if (row.access == Access::gone && !machine.hides_processes)
        return {NamedProcessState::gone, fmt::format("no process has pid {}", pid)};
    if (!row.ok())
        return {NamedProcessState::unknown, fmt::format("pid {} could not be looked at", pid)};
    return judge_row(file, claim, row.value, machine, rules);
}

bool may_be_removed(NamedProcessState state) {
    return state == NamedProcessState::gone || state == NamedProcessState::reused;
}

}  // namespace

std::vector<std::string_view> families_named_by(ClaimKind kind) {
    switch (kind) {
        case ClaimKind::bridge_pid:
        case ClaimKind::bridge_stdio_pid:
        case ClaimKind::headless_registry: return {"bridge"};
        case ClaimKind::gateway_pid:
        case ClaimKind::gateway_lock:
        case ClaimKind::gateway_scope_lock: return {"gateway"};
        case ClaimKind::host_record: return {"gateway", "serve"};
        case ClaimKind::compute_host_registry: return {"compute_host"};
        case ClaimKind::meet_bot_record: return {"meet_bot"};
        case ClaimKind::proxy_pid: return {"iron_proxy"};
        default: return {};
    }
}

bool may_write(ClaimKind kind, const ProcessRow& row, const Rules& rules) {
    bool is_known = false;  // what the writer looks like
    for (const std::string_view family : families_named_by(kind)) {
        const auto rule = std::ranges::find(rules.families, family, &FamilyRule::name);
        if (rule == rules.families.end()) continue;
        is_known = true;
        if (runs_program_of(*rule, row)) return true;
    }
    return !is_known;
}

NamedProcess find_named(const ClaimFile& file, const Claim& claim, const scanner::Machine& machine,
                        const Rules& rules) {
    NamedProcess here = find_here(file, claim, machine, rules);
    if (!may_be_removed(here.state)) return here;
    const auto match =
        std::ranges::find_if(file.nested_matches, [&](const scanner::NestedPidMatch& one) {
            return one.number == claim.pid && may_write(file.kind, one.row, rules);
        });
    if (match == file.nested_matches.end()) return here;
    return {
        NamedProcessState::other_namespace,
        fmt::format("{}, but pid {} of another pid namespace may be meant, which is pid {} here",
                    here.detail, claim.pid, match->row.pid)};
}

}  // namespace reaper::policy
