#include "policy/verdict/orphan.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "policy/text/duration.hpp"
#include "policy/verdict/launcher_socket.hpp"
#include "policy/verdict/ownership.hpp"
#include "scanner/exited.hpp"

namespace reaper::policy {

namespace {

using scanner::EndKind;
using scanner::Facts;
using scanner::PeerState;
using scanner::Pid;
using scanner::StdioEnd;

void note_end(Member& member, const char* name, const StdioEnd& end) {
    const bool input = std::string_view(name) == "stdin";
    switch (end.peer) {
        case PeerState::dead:
            member.add(Weight::for_kill, fmt::format("{}.dead", name),
                       input ? "nothing can write to its stdin any more"
                             : "nothing can read its stdout any more");
            return;
        case PeerState::alive: {
            const std::string holders =
                end.holders.empty() ? "" : fmt::format(" (pid {})", fmt::join(end.holders, ", "));
            member.add(
                Weight::against, fmt::format("{}.alive", name),
                fmt::format("another process holds the other end of its {}{}", name, holders));
            return;
        }
        case PeerState::unknown:
            member.add(Weight::note, fmt::format("{}.no_evidence", name),
                       fmt::format("its {} proves nothing", name));
    }
}

PeerState peer(const scanner::Reading<StdioEnd>& end) {
    return end.ok() ? end.value.peer : PeerState::unknown;
}

bool is_open_terminal(const scanner::Reading<StdioEnd>& end) {
    return end.ok() && end.value.kind == EndKind::terminal && end.value.peer != PeerState::dead;
}

void note_dead_owners(Member& member, const Facts& facts) {
    for (const Owner& owner : recorded_owners(member, facts)) {
        if (owner.state != OwnerState::dead) continue;
        member.add(Weight::for_kill, "owner.dead",
                   fmt::format("{} names the process that started it (pid {}), which is gone",
                               owner.source, owner.pid));
    }
}

// A folder that was removed below a process, as that of a task that is done.
void note_deleted_folder(Member& member) {
    const auto& cwd = member.facts->cwd;
    if (!member.facts->cwd_deleted || !cwd.ok()) return;
    member.add(Weight::for_kill, "cwd.deleted",
               fmt::format("its working folder {} was deleted", cwd.value));
}

// The leader of its session was read where its terminal is gone; a younger process with that pid is
// another one.
bool has_lost_leader(const scanner::ProcessRow& row, const Facts& facts) {
    if (row.session == row.pid) return true;  // it has no other leader that could be alive
    if (row.session <= 0) return false;       // in another pid namespace
    if (std::ranges::find(facts.unread, row.session) != facts.unread.end()) return false;
    const scanner::ProcessRow* leader = find_row(facts, row.session);
    return leader == nullptr ? !facts.machine.hides_processes
                             : has_exited(*leader) || leader->start_ticks > row.start_ticks;
}

void note_lost_terminal(Member& member, const Facts& facts) {
    if (!has_lost_terminal(*member.facts) || !has_lost_leader(member.facts->row, facts)) return;
    member.add(Weight::for_kill, "terminal.gone",
               "its terminal is closed, and the session that it was started in has ended");
}

// Only a note, as a service can be at work without one.
void note_lonely_service(Member& member) {
    const scanner::Listener* service = find_service(member);
    if (service == nullptr || member.facts->listeners.value.size() != 1) return;
    if (service->clients.ok() && service->clients.value.empty())
        member.add(Weight::note, "listens.no_peer", "nothing is connected to what it listens on");
}

bool has_evidence(const Member& member, const std::string& code) {
    return std::any_of(member.evidence.begin(), member.evidence.end(),
                       [&](const Evidence& piece) { return piece.code == code; });
}

// A closed terminal proves nothing of what may be any program: an editor has a window as well.
bool may_have_window(const Member& member) {
    return !member.rule().under.empty() && has_lost_terminal(*member.facts);
}

bool is_proven(const Member& member) {
    if (may_have_window(member)) return false;
    const auto& proofs = member.rule().proofs;
    return std::any_of(proofs.begin(), proofs.end(), [&](const Proof& proof) {
        return std::all_of(proof.begin(), proof.end(),
                           [&](const std::string& code) { return has_evidence(member, code); });
    });
}

Verdict assess_with_live_host(Member& member) {
    const bool serves_host = !member.match.role.outlives_host && !may_have_window(member);
    if (is_cut_off(*member.facts) && serves_host) {
        member.add(Weight::against, "parent.live",
                   member.parentage.detail +
                       ", but no process holds the other end of its stdin or stdout");
        return Verdict::abandoned;
    }
    member.add(Weight::veto, "veto.live_host", member.parentage.detail);
    return Verdict::attached;
}

// Only for roles that may outlive their host. For the others stdio tells whether they still serve a
// host.
bool is_superseded(Member& member, const Designation& designation) {
    if (!designation.by_socket || !designation.at_work || designation.pids.size() != 1)
        return false;
    const Pid daemon = designation.pids.front();
    const bool silent = member.facts->listeners.ok() && find_service(member) == nullptr;
    if (!silent || daemon == member.pid()) return false;
    member.add(Weight::for_kill, "daemon.superseded",
               fmt::format("it listens on nothing, and pid {} is the daemon of this home", daemon));
    return true;
}

// Judges by its peers: the verdict if another process can still talk to it.
std::optional<Verdict> assess_peers(Member& member) {
    const PeerState input = peer(member.facts->standard_input);
    const PeerState output = peer(member.facts->standard_output);
    if (member.facts->standard_input.ok())
        note_end(member, "stdin", member.facts->standard_input.value);
    if (member.facts->standard_output.ok())
        note_end(member, "stdout", member.facts->standard_output.value);
    if (is_open_terminal(member.facts->standard_input) ||
        is_open_terminal(member.facts->standard_output)) {
        member.add(Weight::veto, "veto.terminal", "its stdio is a terminal");
        return Verdict::attached;
    }
    return input == PeerState::alive || output == PeerState::alive ? std::optional(Verdict::held)
                                                                   : std::nullopt;
}

Verdict assess_adopted(Member& member, const Facts& facts, const Designation& designation) {
    member.add(Weight::for_kill, "parent.adopter", member.parentage.detail);
    note_deleted_folder(member);
    note_lost_terminal(member, facts);
    note_lonely_service(member);
    const bool superseded = member.match.role.outlives_host && is_superseded(member, designation);
    if (superseded || !member.match.role.outlives_host) {
        if (const auto by_peers = assess_peers(member)) return *by_peers;
        if (superseded) return Verdict::superseded;
        note_dead_owners(member, facts);
        if (is_proven(member)) return Verdict::orphan;
    }
    member.add(Weight::against, "no_proof", "nothing proves that it is leaked");
    return Verdict::unknown;
}

// On macOS an exec replaces what the kernel remembers of its starter by launchd, which adopted it.
// The kernel says nearly the same of the jobs of a launchd that was itself replaced: so only what
// nothing can talk to is taken for an orphan.
bool may_be_job(const Member& member) {
    return member.parentage.first_parent == scanner::FirstParent::orphan_that_executed &&
           !is_cut_off(*member.facts);
}

// Comes last: what its stdio says tells a reader more.
void note_dead_parent(Member& member) {
    if (member.parentage.first_parent == scanner::FirstParent::dead)
        member.add(Weight::for_kill, "parent.dead", "the process that started it has ended");
}

Verdict assess_by_parent(Member& member, const Facts& facts, const Designation& designation) {
    const Parentage& parentage = member.parentage;
    if (parentage.adopted()) {
        const Verdict verdict = assess_adopted(member, facts, designation);
        note_dead_parent(member);
        if (!may_be_job(member)) return verdict;
        member.add(
            Weight::veto, "veto.may_be_job",
            "launchd may have started it: nothing proves that it has lost what talked to it");
        return stronger(verdict, Verdict::unknown);
    }
    if (parentage.has_live_host()) return assess_with_live_host(member);
    if (parentage.nature == Parentage::Nature::launchd) {
        member.add(Weight::veto, "veto.supervised", parentage.detail);
        return Verdict::supervised;
    }
    if (parentage.nature == Parentage::Nature::outside) {
        member.add(Weight::veto, "veto.outside_parent", parentage.detail);
        return Verdict::attached;
    }
    member.add(Weight::veto, "veto.unreadable.parent", parentage.detail);
    return Verdict::unknown;
}

}  // namespace

Verdict assess(Member& member, const Facts& facts, const Designation& designation,
               std::chrono::milliseconds min_age) {
    const Verdict verdict = assess_by_parent(member, facts, designation);
    const auto age = age_of(member.facts->row, facts.machine);
    const bool is_used = verdict == Verdict::attached || verdict == Verdict::supervised;
    if (is_used || age >= min_age) return verdict;
    member.add(Weight::veto, "veto.young",
               fmt::format("it is younger than {}", duration_text(min_age)));
    return Verdict::young;
}

}  // namespace reaper::policy
