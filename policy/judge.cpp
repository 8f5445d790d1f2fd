#include "policy/judge.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "policy/breaker.hpp"
#include "policy/designation.hpp"
#include "policy/groups.hpp"
#include "policy/leak.hpp"
#include "policy/member.hpp"
#include "policy/ownership.hpp"
#include "policy/starter.hpp"
#include "policy/vetoes.hpp"

namespace reaper::policy {

namespace {

using scanner::Facts;
using std::chrono::milliseconds;

bool has_veto(const std::vector<Evidence>& evidence) {
    return std::any_of(evidence.begin(), evidence.end(),
                       [](const Evidence& piece) { return piece.weight == Weight::veto; });
}

// The designated daemon stays; where it cannot be told which one that is, nobody of its home is touched.
std::optional<Verdict> apply_designation(Member& member, const Designation& designation) {
    if (!designation.ambiguity.empty()) {
        member.add(Weight::veto, "veto.ambiguous", designation.ambiguity);
        return Verdict::unknown;
    }
    const auto& pids = designation.pids;
    if (std::find(pids.begin(), pids.end(), member.pid()) == pids.end()) return std::nullopt;
    member.add(Weight::veto, "veto.designated", designation.reason + ": the daemon that must stay");
    return Verdict::designated;
}

// Which of two things that are both true of a process says more about it?
Verdict stronger(Verdict left, Verdict right) {
    constexpr Verdict kOrder[] = {Verdict::foreign, Verdict::designated, Verdict::supervised, Verdict::attached,
                                  Verdict::unknown};
    for (const Verdict verdict : kOrder) {
        if (left == verdict || right == verdict) return verdict;
    }
    return left;
}

Verdict verdict_of(Member& member, const Surroundings& around, const Designation& designation) {
    if (member.facts->row.state == 'Z') {
        member.add(Weight::veto, "veto.zombie", "it is dead; only its parent can clear it away");
        return Verdict::zombie;
    }
    const auto vetoed = apply_vetoes(member, around);
    const auto designated = apply_designation(member, designation);
    const milliseconds min_age = around.settings.min_age.value_or(member.rule().start_up);
    Verdict verdict = assess(member, around.facts, designation, min_age);
    if (designated) verdict = stronger(verdict, *designated);
    if (vetoed) verdict = stronger(verdict, *vetoed);
    return verdict;
}

bool sits_in_service(const Member& member) {
    const auto& unit = member.facts->unit;
    return unit.ok() && unit.value.name.ends_with(".service");
}

// What the command line wants ended as well is ended where the family's orphans are.
Action leak_action(const Judgement& judgement, const FamilyRule& rule, const Settings& settings) {
    const auto action = [&rule](Verdict verdict) {
        const auto found = rule.actions.find(verdict);
        return found == rule.actions.end() ? Action::report : found->second;
    };
    const bool wanted = settings.also_reap.contains(judgement.verdict) && action(Verdict::orphan) == Action::reap;
    return wanted ? Action::reap : action(judgement.verdict);
}

Action default_action(const Judgement& judgement, const FamilyRule& rule, const Settings& settings) {
    switch (judgement.verdict) {
        case Verdict::orphan:
        case Verdict::superseded:
        case Verdict::abandoned:
        case Verdict::duplicate:
        case Verdict::held: return leak_action(judgement, rule, settings);
        case Verdict::zombie:
        case Verdict::unknown: return Action::report;
        default: return Action::keep;
    }
}

Action permitted_action(Judgement& judgement, const Member& member, const Surroundings& around) {
    const Action action = default_action(judgement, member.rule(), around.settings);
    if (action != Action::reap) return action;
    if (has_veto(judgement.evidence)) return Action::report;
    if (sits_in_service(member) && !around.settings.reap_inside_services) {
        judgement.evidence.push_back({"unit.inside_service", Weight::against,
                                      fmt::format("it sits inside {} without being it: that service may want it",
                                                  member.facts->unit.value.name)});
        return Action::report;
    }
    return Action::reap;
}

// Who starts it again is told of everybody who is leaked, wanted or not.
Action action_of(Judgement& judgement, const Member& member, const Surroundings& around) {
    const Action action = permitted_action(judgement, member, around);
    if (action == Action::keep) return action;
    auto evidence = respawn_evidence(judgement, *member.facts, around.facts);
    if (!evidence) return action;
    judgement.kept_alive = action == Action::reap && evidence->weight == Weight::veto;
    judgement.evidence.push_back(std::move(*evidence));
    return judgement.kept_alive ? Action::report : action;
}

// No reason to end anybody: a gateway at work can be such a holder. But what it writes is lost, and people look for that.
void note_deleted_databases(Member& member) {
    for (const std::string& path : member.facts->deleted_databases) {
        member.add(Weight::note, "database.deleted", fmt::format("it writes to {}, which is deleted", path));
    }
}

Judgement judge_member(Member& member, const Surroundings& around, const Designation& designation) {
    Judgement judgement;
    judgement.identity = member.facts->identity;
    judgement.family = member.rule().name;
    judgement.role = member.match.role.name;
    judgement.home = member.home;
    judgement.launcher = member.match.invocation.launcher;
    judgement.verdict = verdict_of(member, around, designation);
    note_deleted_databases(member);
    judgement.evidence = member.evidence;
    judgement.grace = around.settings.grace.value_or(member.rule().grace);
    judgement.grace_cap = std::max(judgement.grace, around.settings.grace_cap.value_or(member.rule().grace_cap));
    if (judgement.verdict == Verdict::superseded) judgement.relies_on = designation.pids;
    judgement.host = host_of(member, around.facts);
    return judgement;
}

// What kept the process, its live host, does not keep an older duplicate.
void make_duplicate(Judgement& judgement, scanner::Pid newest) {
    for (Evidence& piece : judgement.evidence) {
        if (piece.code == "veto.live_host") piece = {"parent.live", Weight::against, piece.detail};
    }
    judgement.evidence.push_back({"duplicate.older", Weight::for_kill,
                                  fmt::format("pid {} serves the same host and home, and is newer", newest)});
    judgement.verdict = Verdict::duplicate;
    judgement.relies_on = {newest};
}

// The newest has to be past its start-up as well: until then the older one may be the only one that works.
void judge_duplicates(const std::vector<Member>& members, const Surroundings& around,
                      std::vector<Judgement>& judgements) {
    std::set<scanner::Pid> grown;
    for (const Member& member : members) {
        const milliseconds min_age = around.settings.min_age.value_or(member.rule().start_up);
        if (age_of(*member.facts, around.facts.machine) >= min_age) grown.insert(member.pid());
    }
    const auto duplicates = find_duplicates(members, judgements);
    for (std::size_t at = 0; at < members.size(); ++at) {
        const auto found = duplicates.find(members[at].pid());
        const bool settled = found != duplicates.end() && grown.contains(found->first) && grown.contains(found->second);
        if (settled) make_duplicate(judgements[at], found->second);
    }
}

// Whose host is leaked itself needs no verdict of its own: it ends with its host, or is an orphan then.
void note_leaked_hosts(const std::vector<Member>& members, std::vector<Judgement>& judgements) {
    for (std::size_t at = 0; at < members.size(); ++at) {
        if (judgements[at].verdict != Verdict::attached) continue;
        for (const Judgement& host : judgements) {
            const bool leaked = host.verdict == Verdict::orphan || host.verdict == Verdict::superseded;
            if (host.identity.pid != members[at].facts->row.ppid || !leaked) continue;
            judgements[at].evidence.push_back(
                {"host.leaked", Weight::note, fmt::format("its host (pid {}) is leaked itself", host.identity.pid)});
        }
    }
}

bool is_wanted(const Judgement& judgement, const Settings& settings) {
    const auto admits = [](const std::vector<std::string>& names, const std::string& name) {
        return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
    };
    return admits(settings.homes, judgement.home) && admits(settings.families, judgement.family);
}

}  // namespace

std::vector<Judgement> judge(const Facts& facts, const Rules& rules, const Settings& settings) {
    const Surroundings around{facts, rules, settings};
    std::vector<Member> members = find_members(facts, rules);
    const auto designations = designate(members, facts);
    std::vector<Judgement> judgements;
    for (Member& member : members) {
        const auto found = designations.find(home_key(member));
        judgements.push_back(judge_member(member, around, found == designations.end() ? Designation{} : found->second));
    }
    judge_duplicates(members, around, judgements);
    for (std::size_t at = 0; at < members.size(); ++at) {
        judgements[at].host = starter_of(members[at], facts);
        judgements[at].action = action_of(judgements[at], members[at], around);
    }
    settle_units(members, judgements);
    note_leaked_hosts(members, judgements);
    judgements.erase(std::remove_if(judgements.begin(), judgements.end(),
                                    [&](const Judgement& judgement) { return !is_wanted(judgement, settings); }),
                     judgements.end());
    return judgements;
}

}  // namespace reaper::policy
