#include "policy/designation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "policy/claim_vetoes.hpp"

namespace reaper::policy {

namespace {

using scanner::Access;
using scanner::Claim;
using scanner::ClaimKind;
using scanner::Facts;
using scanner::Pid;

bool contains(const std::vector<Pid>& pids, Pid pid) {
    return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

// Only the rule's port makes the daemon. Any other listener may be a debugger's: in a role that can be the daemon it is
// taken for one as long as nobody has the port, but never supersedes anybody.
enum class Listening { no, elsewhere, on_daemon_port };

Listening listening_of(const Member& member) {
    if (!member.facts->listeners.ok() || member.facts->row.state == 'Z') return Listening::no;
    const FamilyRule& rule = member.rule();
    const auto& listeners = member.facts->listeners.value;
    const bool on_port = std::any_of(listeners.begin(), listeners.end(), [&](const scanner::Listener& listener) {
        return std::find(rule.daemon_ports.begin(), rule.daemon_ports.end(), listener.port) != rule.daemon_ports.end();
    });
    if (on_port) return Listening::on_daemon_port;
    const auto& roles = rule.daemon_roles;
    const bool daemon_role = std::find(roles.begin(), roles.end(), member.match.role.name) != roles.end();
    const bool on_any = std::any_of(listeners.begin(), listeners.end(),
                                    [](const scanner::Listener& listener) { return listener.port != 0; });
    return daemon_role && on_any ? Listening::elsewhere : Listening::no;
}

// What speaks for being the daemon of one home.
struct Candidates {
    std::vector<Pid> by_port;
    std::vector<Pid> elsewhere;
    std::vector<Pid> by_file;
    std::vector<std::string> unreadable;
};

Candidates candidates_of(const std::vector<const Member*>& members, const HomeKey& key, const Facts& facts) {
    Candidates found;
    for (const Member* member : members) {
        const Listening listening = listening_of(*member);
        if (listening == Listening::on_daemon_port) found.by_port.push_back(member->pid());
        if (listening == Listening::elsewhere) found.elsewhere.push_back(member->pid());
    }
    for (const Claim& claim : facts.claims) {
        const bool of_home = claim.home == key.second && claim.scope == key.first;
        if (claim.kind != ClaimKind::bridge_pid || !of_home) continue;
        if (claim.access == Access::denied) found.unreadable.push_back(claim.path);
        for (const Member* member : members) {
            const bool named = is_valid_claim(claim, *member->facts, facts.machine);
            if (named && !contains(found.by_file, member->pid())) found.by_file.push_back(member->pid());
        }
    }
    return found;
}

std::string join(const std::vector<Pid>& pids) {
    return fmt::format("{}", fmt::join(pids, ", "));
}

// The port is the word of the kernel, the file only that of its writer; but where they name different living processes,
// one of the two is not understood, and then nobody is touched.
Designation decide(const Candidates& found) {
    Designation result;
    result.by_port = !found.by_port.empty();
    result.pids = result.by_port ? found.by_port : found.by_file;
    result.reason = result.by_port           ? "it owns the port of this home"
                    : !found.by_file.empty() ? "the pid file of this home names it"
                                             : "it listens, and nobody owns the port of this home";
    if (!result.by_port) {
        for (const Pid pid : found.elsewhere) {
            if (!contains(result.pids, pid)) result.pids.push_back(pid);
        }
    }
    const bool disagree = result.by_port && std::any_of(found.by_file.begin(), found.by_file.end(),
                                                        [&](Pid pid) { return !contains(found.by_port, pid); });
    if (!found.unreadable.empty()) {
        result.ambiguity = fmt::format("{} could not be read", found.unreadable.front());
    } else if (result.pids.size() > 1) {
        result.ambiguity = fmt::format("several processes could be the daemon of this home ({})", join(result.pids));
    } else if (disagree) {
        result.ambiguity =
            fmt::format("pid {} listens, but the pid file names pid {}", join(found.by_port), join(found.by_file));
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
        if (!member.home.empty() && !member.rule().daemon_roles.empty()) by_home[home_key(member)].push_back(&member);
    }
    std::map<HomeKey, Designation> designations;
    for (const auto& [key, home_members] : by_home) designations[key] = decide(candidates_of(home_members, key, facts));
    return designations;
}

}  // namespace reaper::policy
