#include "policy/verdict/ownership.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "policy/match/clock.hpp"
#include "policy/rules/run_mark.hpp"
#include "policy/verdict/claim_vetoes.hpp"
#include "scanner/exited.hpp"
#include "scanner/model/number.hpp"

namespace reaper::policy {

namespace {

using scanner::Access;
using scanner::Claim;
using scanner::ClaimKind;
using scanner::Facts;
using scanner::Pid;
using scanner::ProcessFacts;
using scanner::ProcessRow;

// A record as it is written, before it is checked.
struct Record {
    std::string source;
    Pid pid = 0;
    std::optional<double> start_epoch;
};

std::optional<Pid> to_pid(const std::optional<std::string>& text) {
    const auto pid = text ? scanner::to_number<Pid>(*text) : std::nullopt;
    return pid && *pid > 1 ? pid : std::nullopt;
}

// Parses "1799992800.25": digits, perhaps a fraction, in every locale.
std::optional<double> to_seconds(const std::optional<std::string>& text) {
    std::string_view rest = text ? std::string_view(*text) : std::string_view();
    std::uint64_t whole = 0;
    if (!scanner::take_number(rest, whole) || whole == 0) return std::nullopt;
    double seconds = static_cast<double>(whole);
    if (rest.starts_with('.')) rest.remove_prefix(1);
    for (double place = 0.1; !rest.empty(); place /= 10) {
        if (rest.front() < '0' || rest.front() > '9') return std::nullopt;
        seconds += place * (rest.front() - '0');
        rest.remove_prefix(1);
    }
    return seconds;
}

// Parses "v1:<install>:<purpose>:<spawner pid>:<spawner start, or ->". Children inherit it, so with
// another purpose than that of the family it is about an ancestor.
std::optional<Record> spawn_record(const ProcessFacts& process, std::string_view purpose) {
    const auto marker = variable(process, "HERMES_SPAWN");
    if (!marker) return std::nullopt;
    const auto parts = split_mark(*marker);
    if (parts.size() != 5 || parts[0] != "v1" || parts[2] != purpose) return std::nullopt;
    const auto pid = to_pid(std::string(parts[3]));
    return pid ? std::optional(Record{"HERMES_SPAWN", *pid, to_seconds(std::string(parts[4]))})
               : std::nullopt;
}

std::optional<Record> read_record(const OwnerSource& source, const Match& match,
                                  const ProcessFacts& process) {
    const auto& arguments = match.invocation.arguments;
    if (source.from == OwnerSource::From::spawn_marker) return spawn_record(process, source.name);
    const bool is_option = source.from == OwnerSource::From::option;
    const auto pid =
        to_pid(is_option ? option_value(arguments, source.name) : variable(process, source.name));
    if (!pid) return std::nullopt;
    const bool has_time = !source.time_option.empty();
    return Record{
        source.name, *pid,
        has_time ? to_seconds(option_value(arguments, source.time_option)) : std::nullopt};
}

std::vector<Record> own_records(const Match& match, const ProcessFacts& process) {
    std::vector<Record> records;
    for (const OwnerSource& source : match.rule->owners) {
        if (auto record = read_record(source, match, process))
            records.push_back(std::move(*record));
    }
    return records;
}

// A process that now has the owner's pid, but is younger than the member, is not the owner. An
// older one that started at another time by the wall clock may be, as that clock is stepped. On
// macOS all starts are of that clock, so that a younger one is another only if the recorded start
// says the same.
OwnerState state_of(const ProcessRow& row, const std::optional<double>& start, const Member& member,
                    const scanner::Machine& machine) {
    if (has_exited(row)) return OwnerState::dead;
    if (start && started_at(row.start_ticks, *start, machine)) return OwnerState::alive;
    if (row.start_ticks > member.facts->row.start_ticks)
        return start || !is_mac(machine) ? OwnerState::dead : OwnerState::doubtful;
    return start ? OwnerState::doubtful : OwnerState::alive;
}

// Returns the state for a pid that no row of the facts has.
OwnerState state_of_absent(Pid pid, const Facts& facts) {
    const bool unread =
        std::find(facts.unread.begin(), facts.unread.end(), pid) != facts.unread.end();
    return unread || facts.machine.hides_processes ? OwnerState::unknown : OwnerState::dead;
}

OwnerState look_up(const Record& record, const Member& member, const Facts& facts) {
    const ProcessRow* row = find_row(facts, record.pid);
    return row != nullptr ? state_of(*row, record.start_epoch, member, facts.machine)
                          : state_of_absent(record.pid, facts);
}

std::optional<scanner::Identity> marked_host(const ProcessFacts& process) {
    const auto mark = variable(process, std::string(kRunMark));
    return mark ? read_run_mark(*mark) : std::nullopt;
}

// The mark has exact ticks: a process with that pid that is younger is another one. An older one
// cannot have come after the host, so the ticks are of another clock (a time namespace).
OwnerState look_up(const scanner::Identity& host, const Facts& facts) {
    const ProcessRow* row = find_row(facts, host.pid);
    if (row == nullptr) return state_of_absent(host.pid, facts);
    if (row->start_ticks < host.start_ticks) return OwnerState::doubtful;
    return row->start_ticks > host.start_ticks || has_exited(*row) ? OwnerState::dead
                                                                   : OwnerState::alive;
}

// Returns the host that `run` was told to end with; all that it starts inherits the mark. A mark of
// another boot or pid namespace was copied.
std::optional<Owner> owner_by_run(const Member& member, const Facts& facts) {
    const auto host = marked_host(*member.facts);
    const bool is_here = host && host->boot_id == facts.machine.boot_id &&
                         host->pid_namespace == facts.machine.pid_namespace;
    if (!is_here) return std::nullopt;
    return Owner{std::string(kRunMark), host->pid, look_up(*host, facts)};
}

bool is_about(const Claim& claim, const Member& member) {
    const ProcessRow& row = member.facts->row;
    if (claim.access != Access::ok || !applies_to(claim, *member.facts) || claim.spawner <= 1 ||
        is_of_other_family(claim, member))
        return false;
    if (claim.kind == ClaimKind::browser_owner)
        return claim.home == member.home && member.rule().needs_owner;
    return claim.pid == row.pid && (!claim.start_ticks || *claim.start_ticks == row.start_ticks);
}

// True if the parent is `run`, the only program of that name that starts helpers. A mark that was
// inherited past the next host says nothing about that host.
bool is_child_of_run(const Member& member, const Facts& facts) {
    const ProcessRow* parent = find_row(facts, member.parentage.pid);
    return parent != nullptr && parent->comm == "orphan-reaper";
}

// True if the claim names this member by the wall clock, too.
bool is_dated(const Claim& claim, const Member& member, const scanner::Machine& machine) {
    const std::uint64_t start = member.facts->row.start_ticks;
    if (claim.kind == ClaimKind::browser_owner || claim.start_ticks) return true;
    if (claim.start_epoch) return started_at(start, *claim.start_epoch, machine);
    return started_by(start, claim.written_epoch, machine);
}

// Corrects a clock that was stepped since: both recorded starts are shifted alike.
std::optional<double> spawner_start(const Claim& claim, const Member& member,
                                    const scanner::Machine& machine) {
    std::optional<double> start = claim.spawner_start_epoch;
    if (start && claim.start_epoch && !is_dated(claim, member, machine))
        *start += start_epoch(member.facts->row.start_ticks, machine) - *claim.start_epoch;
    return start;
}

OwnerState look_up(const Claim& claim, const Member& member, const scanner::Machine& machine) {
    const ProcessRow& row = claim.spawner_row.value;
    const auto& ticks = claim.spawner_start_ticks;
    if (claim.spawner_row.ok() && ticks && *ticks != row.start_ticks)
        return is_mac(machine) ? OwnerState::doubtful : OwnerState::dead;
    if (claim.spawner_row.ok())
        return state_of(row, spawner_start(claim, member, machine), member, machine);
    const bool gone = claim.spawner_row.access == Access::gone && !machine.hides_processes;
    return gone ? OwnerState::dead : OwnerState::unknown;
}

std::vector<Owner> all_owners(const Member& member, const Facts& facts) {
    std::vector<Owner> owners;
    for (const Record& record : own_records(member.match, *member.facts)) {
        OwnerState state = look_up(record, member, facts);
        // If only a mark makes it a member, it may be a job of the user that inherited the mark.
        if (member.match.needs_mark && state == OwnerState::dead) state = OwnerState::doubtful;
        owners.push_back({record.source, record.pid, state});
    }
    if (auto owner = owner_by_run(member, facts)) owners.push_back(std::move(*owner));
    for (const Claim& claim : facts.claims) {
        if (!is_about(claim, member)) continue;
        const OwnerState state = look_up(claim, member, facts.machine);
        // An inexact time lifts no veto, but proves no death either.
        if (state != OwnerState::alive && !is_dated(claim, member, facts.machine)) continue;
        owners.push_back({claim.path, claim.spawner, state});
    }
    return owners;
}

}  // namespace

Pid host_of(const Member& member, const Facts& facts) {
    if (!member.parentage.has_live_host()) return 0;
    const auto owner = is_child_of_run(member, facts) ? owner_by_run(member, facts) : std::nullopt;
    return owner && owner->state == OwnerState::alive ? owner->pid : member.parentage.pid;
}

std::vector<Owner> recorded_owners(const Member& member, const Facts& facts) {
    std::vector<Owner> owners = all_owners(member, facts);
    // A living host is judged as a parent. The record contradicts only if it is taken for an
    // adopter. Whatever host there is, everything below `run` has inherited its mark.
    const Pid host = host_of(member, facts);
    std::erase_if(owners, [&](const Owner& owner) {
        const bool inherited = host != 0 && owner.source == kRunMark;
        return owner.state == OwnerState::alive && (owner.pid == host || inherited);
    });
    return owners;
}

bool is_recorded(const Member& member, const Facts& facts) {
    return !all_owners(member, facts).empty();
}

std::vector<Pid> named_owners(const Match& match, const ProcessFacts& process) {
    std::vector<Pid> pids;
    for (const Record& record : own_records(match, process)) pids.push_back(record.pid);
    if (const auto host = marked_host(process)) pids.push_back(host->pid);
    return pids;
}

}  // namespace reaper::policy
