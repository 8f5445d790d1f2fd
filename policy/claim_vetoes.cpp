#include "policy/claim_vetoes.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "policy/clock.hpp"
#include "policy/match.hpp"
#include "policy/named_process.hpp"
#include "policy/ownership.hpp"

namespace reaper::policy {

namespace {

using scanner::Access;
using scanner::Claim;
using scanner::ClaimKind;
using scanner::Machine;
using scanner::ProcessFacts;

void check_locks(const Member& member, VetoList& vetoes) {
    for (const std::string& path : member.facts->held_locks.value) {
        if (path.ends_with("/gateway.lock")) {
            vetoes.add(Verdict::designated, "holds_lock", fmt::format("it holds {}", path));
        }
    }
}

bool records_owners(ClaimKind kind) {
    return kind == ClaimKind::ledger || kind == ClaimKind::headless_registry || kind == ClaimKind::process_registry;
}

// Could it say something of the member? A record of owners can, whatever its home; other files are about the member's home, or the
// Hermes home above it.
bool may_concern(const Claim& claim, const Member& member) {
    if (records_owners(claim.kind) || claim.home == member.home) return true;
    return member.home.starts_with(claim.home + "/") || variable(*member.facts, "HERMES_HOME") == claim.home;
}

void check_owners(const Member& member, const scanner::Facts& facts, VetoList& vetoes) {
    for (const Owner& owner : recorded_owners(member, facts)) {
        if (owner.state == OwnerState::alive) {
            vetoes.add(Verdict::attached, "owner",
                       fmt::format("{} says who started it, and that one (pid {}) is alive", owner.source, owner.pid));
        } else if (owner.state == OwnerState::unknown) {
            vetoes.add(Verdict::unknown, "unreadable.owner",
                       fmt::format("{} says who started it, but that one (pid {}) could not be looked at", owner.source,
                                   owner.pid));
        }
    }
}

bool protects(ClaimKind kind) {
    return kind == ClaimKind::gateway_pid || kind == ClaimKind::desktop_lock;
}

// What is exact says so, or says nothing.
bool names(const Claim& claim, const ProcessFacts& process) {
    if (claim.access != Access::ok || claim.pid != process.identity.pid) return false;
    if (!speaks_of(claim, process)) return false;
    return !claim.start_ticks || *claim.start_ticks == process.row.start_ticks;
}

// The wall clock may have been stepped since, by no more than a day: it lifts no veto from somebody whose program writes
// such files.
bool may_be_named(const Claim& claim, const ProcessFacts& process, const Surroundings& around) {
    constexpr double kMostStep = 24 * 3600.0;
    const Machine& machine = around.facts.machine;
    if (is_valid_claim(claim, process, machine)) return true;
    return names(claim, process) && may_write(claim.kind, process.row, around.rules) &&
           started_by(process.row.start_ticks, claim.written_epoch + kMostStep, machine);
}

bool is_fresh(const Claim& marker, const Machine& machine) {
    constexpr double kFresh = 20 * 60.0;
    return std::abs(machine.now_epoch - marker.written_epoch) < kFresh;
}

// Linux gives the first pid namespace this inode (PROC_PID_INIT_INO); in any other one only some of the machine's processes are seen.
bool sees_everybody(const Machine& machine) {
    constexpr std::uint64_t kFirst = 0xEFFFFFFC;
    const bool nested = machine.pid_namespace != 0 && machine.pid_namespace != kFirst;
    return !nested && !machine.hides_processes;
}

bool runs_updater(const scanner::ProcessRow& row, const Rules& rules) {
    return std::ranges::any_of(rules.families, [&](const FamilyRule& rule) {
        const auto runs = [&](const Program& program) { return match_program(program, row).has_value(); };
        return rule.at_update == AtUpdate::is_update && std::ranges::any_of(rule.programs, runs);
    });
}

void check_claim(const Claim& claim, const Member& member, const Surroundings& around, VetoList& vetoes) {
    // designate() weighs the one; every headless bridge writes the other, so it protects nobody.
    const bool of_bridge = claim.kind == ClaimKind::bridge_pid || claim.kind == ClaimKind::bridge_stdio_pid;
    if (!speaks_of(claim, *member.facts) || of_bridge) return;
    if (claim.kind == ClaimKind::update_marker) {
        // An update replaces what all homes of a user share.
        if (is_update_running(claim, around.facts.machine, around.rules)) {
            vetoes.forbid("update", fmt::format("an update is running ({})", claim.path));
        }
    } else if (claim.access == Access::denied && may_concern(claim, member)) {
        vetoes.add(Verdict::unknown, "unreadable.claim", fmt::format("{} could not be read", claim.path));
    } else if (protects(claim.kind) && may_be_named(claim, *member.facts, around)) {
        vetoes.add(Verdict::designated, "claimed", fmt::format("{} names it", claim.path));
    }
}

}  // namespace

bool speaks_of(const Claim& claim, const ProcessFacts& process) {
    return claim.scope == process.row.uid && (claim.owner == process.row.uid || claim.owner == 0);
}

bool is_valid_claim(const Claim& claim, const ProcessFacts& process, const Machine& machine) {
    if (!names(claim, process)) return false;
    return claim.start_ticks || started_by(process.row.start_ticks, claim.written_epoch, machine);
}

bool is_update_running(const Claim& marker, const Machine& machine) {
    if (marker.access == Access::denied) return true;
    if (marker.access != Access::ok) return is_fresh(marker, machine);
    if (marker.named.access == Access::gone) return !sees_everybody(machine) && is_fresh(marker, machine);
    if (!marker.named.ok() || is_fresh(marker, machine)) return true;
    return started_by(marker.named.value.start_ticks, marker.written_epoch, machine);
}

bool is_update_running(const Claim& marker, const Machine& machine, const Rules& rules) {
    if (is_update_running(marker, machine)) return true;
    return marker.access == Access::ok && marker.named.ok() && runs_updater(marker.named.value, rules);
}

void check_claims(const Member& member, const Surroundings& around, VetoList& vetoes) {
    check_locks(member, vetoes);
    check_owners(member, around.facts, vetoes);
    for (const Claim& claim : around.facts.claims) check_claim(claim, member, around, vetoes);
}

}  // namespace reaper::policy
