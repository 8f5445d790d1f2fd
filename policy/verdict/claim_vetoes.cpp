#include "policy/verdict/claim_vetoes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "policy/match/clock.hpp"
#include "policy/match/match.hpp"
#include "policy/match/named_process.hpp"
#include "policy/verdict/ownership.hpp"
#include "scanner/parse/interpreter.hpp"

namespace reaper::policy {

namespace {

using scanner::Access;
using scanner::Claim;
using scanner::ClaimKind;
using scanner::Machine;
using scanner::ProcessFacts;

void check_locks(const Member& member, VetoList& vetoes) {
    for (const std::string& path : member.facts->held_locks.value) {
        if (scanner::without_deleted_mark(path).ends_with("/gateway.lock")) {
            vetoes.add(Verdict::designated, "holds_lock", fmt::format("it holds {}", path));
        }
    }
}

bool records_owners(ClaimKind kind) {
    return kind == ClaimKind::ledger || kind == ClaimKind::headless_registry ||
           kind == ClaimKind::process_registry;
}

// True for files that concern all processes of a user: records of owners, desktop locks (they are
// in ~/.hermes, whatever home their backend serves) and update markers. Other files concern the
// home that they are in, or the Hermes home above it.
bool concerns_all_of_user(ClaimKind kind) {
    return records_owners(kind) || kind == ClaimKind::desktop_lock ||
           kind == ClaimKind::update_marker;
}

bool may_concern(const Claim& claim, const Member& member) {
    if (concerns_all_of_user(claim.kind) || claim.home == member.home) return true;
    return member.home.starts_with(claim.home + "/") ||
           variable(*member.facts, "HERMES_HOME") == claim.home;
}

void check_owners(const Member& member, const scanner::Facts& facts, VetoList& vetoes) {
    for (const Owner& owner : recorded_owners(member, facts)) {
        if (owner.state == OwnerState::alive) {
            vetoes.add(Verdict::attached, "owner",
                       fmt::format("{} names the process that started it (pid {}), which is alive",
                                   owner.source, owner.pid));
        } else if (owner.state == OwnerState::unknown) {
            vetoes.add(Verdict::unknown, "unreadable.owner",
                       fmt::format(
                           "{} names the process that started it (pid {}), which could not be read",
                           owner.source, owner.pid));
        }
    }
}

bool protects(ClaimKind kind) {
    return kind == ClaimKind::gateway_pid || kind == ClaimKind::desktop_lock ||
           kind == ClaimKind::meet_bot_record || kind == ClaimKind::proxy_pid;
}

// Recorded ticks are exact: if they differ, the claim does not name this process.
bool names(const Claim& claim, const ProcessFacts& process) {
    if (claim.access != Access::ok || claim.pid != process.identity.pid) return false;
    if (!applies_to(claim, process)) return false;
    return !claim.start_ticks || *claim.start_ticks == process.row.start_ticks;
}

// Wall clock times lift no veto if the program of the process writes such files, as the clock may
// have been stepped since, by no more than a day.
bool may_be_named(const Claim& claim, const ProcessFacts& process, const VetoInput& input) {
    constexpr double kMostStep = 24 * 3600.0;
    const Machine& machine = input.facts.machine;
    if (is_valid_claim(claim, process, machine)) return true;
    return names(claim, process) && may_write(claim.kind, process.row, input.rules) &&
           started_by(process.row.start_ticks, claim.written_epoch + kMostStep, machine);
}

bool is_of_bridge(ClaimKind kind) {
    return kind == ClaimKind::bridge_pid || kind == ClaimKind::bridge_stdio_pid;
}

bool did_not_answer(const Claim& claim, const scanner::Facts& facts) {
    return std::ranges::find(facts.unanswered, claim.home) != facts.unanswered.end();
}

bool lie_together(std::string_view one, std::string_view other) {
    const std::string_view outer = one.size() < other.size() ? one : other;
    const std::string_view inner = one.size() < other.size() ? other : one;
    return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '/');
}

// True if a claim of a home that does not answer is not about this member. Such a claim concerns
// only members of that home, members without a known home, and those that only a record makes
// members. If it concerned all processes of the user, one server that hangs would keep all leaks.
bool is_about_others(const Claim& claim, const Member& member) {
    const std::string hermes_home = variable(*member.facts, "HERMES_HOME").value_or("");
    if (member.rule().needs_owner || !member.facts->environment.ok()) return false;
    if (member.home.empty() && hermes_home.empty()) return false;
    const auto& script = member.facts->script.value;
    return std::ranges::none_of(
        std::array<std::string_view, 3>{member.home, hermes_home, script},
        [&](auto path) { return !path.empty() && lie_together(path, claim.home); });
}

void check_claim(const Claim& claim, const Member& member, const VetoInput& input,
                 VetoList& vetoes) {
    // bridge.pid is weighed by designate(); bridge-stdio*.pid is written by every headless bridge,
    // so it protects nothing.
    if (!applies_to(claim, *member.facts) || is_of_bridge(claim.kind)) return;
    if (is_of_other_family(claim, member)) return;
    if (did_not_answer(claim, input.facts) && is_about_others(claim, member)) return;
    if (is_unclear(claim)) {
        if (might_protect(claim, member))
            vetoes.add(Verdict::unknown, "unreadable.claim", describe_unclear(claim));
    } else if (claim.kind == ClaimKind::update_marker) {
        // An update replaces what all homes of a user share.
        if (is_update_running(claim, input.facts.machine, input.rules)) {
            vetoes.forbid("update", fmt::format("an update is running ({})", claim.path));
        }
    } else if (protects(claim.kind) && may_be_named(claim, *member.facts, input)) {
        vetoes.add(Verdict::designated, "claimed", fmt::format("{} names it", claim.path));
    }
}

}  // namespace

// The inode that Linux gives the first pid namespace (PROC_PID_INIT_INO). A Mac has no namespaces.
bool is_nested(const Machine& machine) {
    constexpr std::uint64_t kFirst = 0xEFFFFFFC;
    return !is_mac(machine) && machine.pid_namespace != 0 && machine.pid_namespace != kFirst;
}

bool applies_to(const Claim& claim, const ProcessFacts& process) {
    return claim.scope == process.row.uid && (claim.owner == process.row.uid || claim.owner == 0);
}

bool is_of_other_family(const Claim& claim, const Member& member) {
    const bool names_one_family = claim.kind == ClaimKind::compute_host_registry ||
                                  claim.kind == ClaimKind::meet_bot_record ||
                                  claim.kind == ClaimKind::proxy_pid;
    return names_one_family && families_named_by(claim.kind).front() != member.rule().name;
}

bool is_unclear(const Claim& claim) {
    return claim.access != Access::ok && claim.access != Access::gone;
}

std::string describe_unclear(const Claim& claim) {
    return claim.access == Access::malformed
               ? fmt::format("{} is empty, cut off or damaged: what it says is not known",
                             claim.path)
               : fmt::format("{} could not be read", claim.path);
}

bool might_protect(const Claim& claim, const Member& member) {
    return is_unclear(claim) && applies_to(claim, *member.facts) && !is_of_bridge(claim.kind) &&
           !is_of_other_family(claim, member) && may_concern(claim, member);
}

bool is_valid_claim(const Claim& claim, const ProcessFacts& process, const Machine& machine) {
    if (!names(claim, process)) return false;
    return claim.start_ticks || started_by(process.row.start_ticks, claim.written_epoch, machine);
}

bool is_fresh(const Claim& marker, const Machine& machine) {
    constexpr double kFresh = 20 * 60.0;
    return std::abs(machine.now_epoch - marker.written_epoch) < kFresh;
}

bool runs_updater(const scanner::ProcessRow& row, const Rules& rules) {
    return std::ranges::any_of(rules.families, [&](const FamilyRule& rule) {
        const auto runs = [&](const Program& program) {
            return match_program(program, row).has_value();
        };
        return rule.at_update == AtUpdate::is_update && std::ranges::any_of(rule.programs, runs);
    });
}

bool is_update_running(const Claim& marker, const Machine& machine) {
    if (marker.access == Access::denied) return true;
    if (marker.access != Access::ok) return is_fresh(marker, machine);
    if (marker.named.access == Access::gone)
        return (is_nested(machine) || machine.hides_processes) && is_fresh(marker, machine);
    if (!marker.named.ok() || is_fresh(marker, machine)) return true;
    return started_by(marker.named.value.start_ticks, marker.written_epoch, machine);
}

bool is_update_running(const Claim& marker, const Machine& machine, const Rules& rules) {
    if (is_unclear(marker) || is_update_running(marker, machine)) return true;
    return marker.access == Access::ok && marker.named.ok() &&
           runs_updater(marker.named.value, rules);
}

void check_claims(const Member& member, const VetoInput& input, VetoList& vetoes) {
    check_locks(member, vetoes);
    check_owners(member, input.facts, vetoes);
    for (const Claim& claim : input.facts.claims) check_claim(claim, member, input, vetoes);
}

}  // namespace reaper::policy
