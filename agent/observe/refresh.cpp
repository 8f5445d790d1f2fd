// Reads one process again, with all that its verdict relies on.
#include <algorithm>
#include <set>

#include "agent/observe/claim_places.hpp"
#include "agent/observe/claims.hpp"
#include "agent/observe/descendants.hpp"
#include "agent/observe/relatives.hpp"
#include "agent/observe/request.hpp"
#include "agent/observe/snapshot.hpp"
#include "agent/observe/snapshot_packet.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "scanner/machine.hpp"

namespace reaper::agent {

namespace {

using scanner::Facts;
using scanner::Pid;
using scanner::PidHandle;
using scanner::ProcessFacts;

// Both clocks together: times that files record are compared with the one, starts of processes with
// the other.
void advance_clock(scanner::Machine& machine) {
    const std::uint64_t now = scanner::ticks_since_boot(machine.ticks_per_second);
    machine.now_epoch += static_cast<double>(now - machine.now_ticks) / machine.ticks_per_second;
    machine.now_ticks = now;
}

std::set<Pid> pids_in(const Facts& facts) {
    std::set<Pid> pids;
    for (const auto* all : {&facts.candidates, &facts.descendants}) {
        for (const ProcessFacts& one : *all) pids.insert(one.row.pid);
    }
    return pids;
}

const PidHandle* find_handle(const Look& look, Pid pid) {
    const auto found = look.handles.find(pid);
    return found == look.handles.end() ? nullptr : &found->second;
}

}  // namespace

// By a copy, which changes its own facts and sends what has changed.
Result<std::optional<Pid>> Observer::refresh(Look& look, const PidHandle& target,
                                             const std::vector<Pid>& relied_on,
                                             policy::MatchMemory& memory) const {
    std::vector<const PidHandle*> handles;
    for (const Pid pid : relied_on) {
        handles.push_back(find_handle(look, pid));
        if (handles.back() == nullptr) return pid;
    }
    Facts& facts = look.facts;
    std::set<Pid> read;
    if (BoundedReader::of_program().reads_in_place())
        return refresh_in_place(facts, target, handles, memory, read);
    const auto in_copy = [&]() -> Result<FactsChanges> {
        const FactsBefore before(facts);
        const auto lost = refresh_in_place(facts, target, handles, memory, read);
        if (!lost) return tl::unexpected(lost.error());
        FactsChanges changes = before.changes_to(facts, read);
        changes.lost = *lost;
        changes.managers_hang = managers_hang();
        return changes;
    };
    std::vector<int> kept = table_.descriptors();
    kept.push_back(target.raw());
    for (const PidHandle* handle : handles) kept.push_back(handle->raw());
    std::vector<std::string> left_out;
    auto changes = read_bounded<FactsChanges>(in_copy, std::move(kept), &left_out);
    for (std::string& what : left_out) {
        if (std::ranges::find(facts.unanswered, what) == facts.unanswered.end())
            facts.unanswered.push_back(std::move(what));
    }
    if (!changes) return tl::unexpected(std::move(changes.error()));
    if (changes->managers_hang) expect_managers_to_hang();
    const auto lost = changes->lost;
    apply(*std::move(changes), facts);
    return lost;
}

// Claims come last: those about what was found meanwhile count, too.
Result<std::optional<Pid>> Observer::refresh_in_place(
    Facts& facts, const PidHandle& target, const std::vector<const PidHandle*>& relied_on,
    policy::MatchMemory& memory, std::set<Pid>& read) const {
    const std::set<Pid> before = pids_in(facts);
    scanner::Inspector inspector(table_, witness_);
    const auto again = [&](const PidHandle& handle) {
        read.insert(handle.pid());
        return read_again(facts, inspector, handle);
    };
    if (auto done = again(target); !done) return tl::unexpected(std::move(done.error()));
    DescendantReader below(table_, rules_, facts, witness_);
    below.read_again(target.pid());
    ask(below.unasked());
    read.insert(below.pids().begin(), below.pids().end());
    for (const PidHandle* handle : relied_on) {
        if (!again(*handle)) return handle->pid();
    }
    const bool known = std::ranges::includes(before, pids_in(facts));
    const auto places = claim_places(policy::find_members(facts, memory));
    if (known)
        read_claims(facts, table_, places, read);
    else
        read_claims_anew(facts, table_, places);
    drop_claims_of_others(facts);
    advance_clock(facts.machine);
    return std::nullopt;
}

Result<void> Observer::read_again(Facts& facts, scanner::Inspector& inspector,
                                  const PidHandle& handle) const {
    const auto known = std::ranges::find(facts.candidates, handle.pid(),
                                         [](const ProcessFacts& one) { return one.row.pid; });
    const auto match = known == facts.candidates.end()
                           ? std::nullopt
                           : policy::match(rules_, known->row, known->environment);
    if (!match)
        return failure(std::errc::no_such_process, "look again at",
                       "pid " + std::to_string(handle.pid()));
    auto fresh = inspect(inspector, handle, request_for(rules_, *match));
    if (!fresh) return tl::unexpected(std::move(fresh.error()));
    fresh->user = known->user;
    if (known->unit.value.asked) {
        ProcessFacts* process = &*fresh;
        ask({&process, 1});
    }
    *known = std::move(*fresh);
    read_relatives(facts, table_, rules_, *known);
    return {};
}

}  // namespace reaper::agent
