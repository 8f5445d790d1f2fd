#include "policy/verdict/designation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "policy/verdict/claim_vetoes.hpp"
#include "policy/verdict/debugger.hpp"

namespace reaper::policy {

namespace {

using scanner::Claim;
using scanner::ClaimKind;
using scanner::Facts;
using scanner::Pid;

bool contains(const std::vector<Pid>& pids, Pid pid) {
    return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

// How a member listens. The port of the rule makes it the daemon. On any other port it counts, in
// the role of a daemon, as long as no process has that one; if it may be the port of a debugger, it
// never supersedes another one.
enum class Listening { no, maybe_debugged, elsewhere, on_daemon_port, in_its_place };

Listening listening_elsewhere(const Member& member) {
    const auto& listeners = member.facts->listeners.value;
    const bool on_any =
        std::any_of(listeners.begin(), listeners.end(),
                    [](const scanner::Listener& listener) { return listener.port != 0; });
    if (!on_any) return Listening::no;
    const bool serves =
        member.match.role.outlives_host &&
        std::any_of(listeners.begin(), listeners.end(), [&](const scanner::Listener& listener) {
            return listener.port != 0 && !may_be_of_debugger(listener, *member.facts);
        });
    return serves ? Listening::elsewhere : Listening::maybe_debugged;
}

Listening listening_of(const Member& member) {
    if (!member.facts->listeners.ok() || member.facts->row.state == 'Z') return Listening::no;
    const FamilyRule& rule = member.rule();
    const auto& listeners = member.facts->listeners.value;
    const bool on_port =
        std::any_of(listeners.begin(), listeners.end(), [&](const scanner::Listener& listener) {
            return std::find(rule.daemon_ports.begin(), rule.daemon_ports.end(), listener.port) !=
                   rule.daemon_ports.end();
        });
    const auto& roles = rule.daemon_roles;
    const bool daemon_role =
        std::find(roles.begin(), roles.end(), member.match.role.name) != roles.end();
    if (on_port) return daemon_role ? Listening::on_daemon_port : Listening::in_its_place;
    return daemon_role ? listening_elsewhere(member) : Listening::no;
}

// The members that may be the daemon of one home, by reason.
struct Candidates {
    std::vector<Pid> by_port;
    std::vector<Pid> in_its_place;  // on the port, in a role that is no daemon
    std::vector<Pid> elsewhere;
    std::vector<Pid> serving;  // of those elsewhere, on a port that is no debugger's
    std::vector<Pid> by_file;
    std::vector<Pid> held_up;          // listen, and cannot do their work
    std::vector<std::string> unclear;  // doubts about any of them
};

Candidates candidates_of(const std::vector<const Member*>& members, const HomeKey& key,
                         const Facts& facts) {
    Candidates found;
    for (const Member* member : members) {
        const bool may_be_elsewhere =
            member->facts->row.state != 'Z' && place_of(*member->facts) == Place::unknown;
        if (may_be_elsewhere)
            found.unclear.push_back(fmt::format(
                "which folder is the home of pid {} could not be found out", member->pid()));
        const Listening listening = listening_of(*member);
        if (listening == Listening::on_daemon_port) found.by_port.push_back(member->pid());
        if (listening != Listening::no && !member->match.invocation.doubt.empty())
            found.unclear.push_back(
                fmt::format("pid {} listens, and what it runs is not certain", member->pid()));
        if (listening == Listening::in_its_place) found.in_its_place.push_back(member->pid());
        if (listening != Listening::no && !is_at_work(*member->facts))
            found.held_up.push_back(member->pid());
        if (listening == Listening::elsewhere) found.serving.push_back(member->pid());
        if (listening == Listening::elsewhere || listening == Listening::maybe_debugged)
            found.elsewhere.push_back(member->pid());
    }
    for (const Claim& claim : facts.claims) {
        const bool of_home = claim.home == key.second && claim.scope == key.first;
        if (claim.kind != ClaimKind::bridge_pid || !of_home) continue;
        if (is_unclear(claim)) found.unclear.push_back(describe_unclear(claim));
        for (const Member* member : members) {
            const bool named = is_valid_claim(claim, *member->facts, facts.machine);
            if (named && !contains(found.by_file, member->pid()))
                found.by_file.push_back(member->pid());
        }
    }
    return found;
}

std::string join(const std::vector<Pid>& pids) {
    return fmt::format("{}", fmt::join(pids, ", "));
}

// Decides. The port is known from the kernel, the file only from its writer. If they name different
// living processes one of them is misunderstood, so no process of the home is touched.
Designation decide(const Candidates& found) {
    Designation result;
    const bool by_port = !found.by_port.empty();
    result.pids = by_port ? found.by_port : found.by_file;
    result.reason = by_port ? "it owns the port of this home"
                    : !found.by_file.empty()
                        ? "the pid file of this home names it"
                        : "it listens, and no process owns the port of this home";
    if (!by_port) {
        for (const Pid pid : found.elsewhere) {
            if (!contains(result.pids, pid)) result.pids.push_back(pid);
        }
    }
    result.by_socket = by_port || (!found.serving.empty() && result.pids == found.serving);
    result.at_work = std::none_of(result.pids.begin(), result.pids.end(),
                                  [&](Pid pid) { return contains(found.held_up, pid); });
    const bool disagree =
        by_port && std::any_of(found.by_file.begin(), found.by_file.end(),
                               [&](Pid pid) { return !contains(found.by_port, pid); });
    if (!found.unclear.empty()) {
        result.ambiguity = found.unclear.front();
    } else if (!found.in_its_place.empty()) {
        result.ambiguity = fmt::format("pid {} has the port of this home, and is no daemon",
                                       join(found.in_its_place));
    } else if (result.pids.size() > 1) {
        result.ambiguity = fmt::format("several processes could be the daemon of this home ({})",
                                       join(result.pids));
    } else if (disagree) {
        result.ambiguity = fmt::format("pid {} listens, but the pid file names pid {}",
                                       join(found.by_port), join(found.by_file));
    }
    return result;
}

}  // namespace

HomeKey home_key(const Member& member) {
    return {member.facts->row.uid, member.home};
}

std::map<HomeKey, Designation> designate(const std::vector<Member>& members, const Facts& facts) {
    std::map<HomeKey, std::vector<const Member*>> by_home;
    for (const Member& member : members) {
        // In another root the same path is another home.
        const bool is_ours = !member.home.empty() && place_of(*member.facts) != Place::elsewhere;
        if (is_ours && !member.rule().daemon_roles.empty())
            by_home[home_key(member)].push_back(&member);
    }
    std::map<HomeKey, Designation> designations;
    for (const auto& [key, home_members] : by_home)
        designations[key] = decide(candidates_of(home_members, key, facts));
    return designations;
}

}  // namespace reaper::policy
