#include "policy/verdict/judge.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "policy/match/location.hpp"
#include "policy/match/member.hpp"
#include "policy/verdict/dependence.hpp"
#include "policy/verdict/descendant_vetoes.hpp"
#include "policy/verdict/designation.hpp"
#include "policy/verdict/leaked_hosts.hpp"
#include "policy/verdict/origin.hpp"
#include "policy/verdict/orphan.hpp"
#include "policy/verdict/ownership.hpp"
#include "policy/verdict/respawn_veto.hpp"
#include "policy/verdict/units.hpp"
#include "policy/verdict/vetoes.hpp"
#include "policy/verdict/wrappers.hpp"
#include "scanner/exited.hpp"

namespace reaper::policy {

namespace {

using scanner::Facts;
using std::chrono::milliseconds;

bool has_veto(const std::vector<Evidence>& evidence) {
    return std::any_of(evidence.begin(), evidence.end(),
                       [](const Evidence& piece) { return piece.weight == Weight::veto; });
}

// Keeps the designated daemon. If it is ambiguous, all processes of its home are kept.
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

Verdict verdict_of(Member& member, const VetoInput& input, const Designation& designation) {
    if (scanner::has_exited(member.facts->row)) {
        member.add(Weight::veto, "veto.zombie", "it is dead; only its parent can clear it away");
        return Verdict::zombie;
    }
    if (member.facts->row.state == 'Z') {
        member.add(
            Weight::veto, "veto.unreadable.main_thread",
            "its main thread has ended and others work on: what it is cannot be seen any more");
        return Verdict::unknown;
    }
    const auto vetoed = apply_vetoes(member, input);
    const auto designated = apply_designation(member, designation);
    const milliseconds min_age = input.settings.min_age.value_or(member.rule().start_up);
    Verdict verdict = assess(member, input.facts, designation, min_age);
    if (designated) verdict = stronger(verdict, *designated);
    if (vetoed) verdict = stronger(verdict, *vetoed);
    return verdict;
}

bool sits_in_service(const Member& member) {
    const auto& unit = member.facts->unit;
    return unit.ok() && unit.value.name.ends_with(".service");
}

// True without an answer of its service manager, which is asked only about leaks; then it is not
// ended.
bool needs_manager_answer(const Member& member) {
    return sits_in_service(member) && !member.facts->unit.value.main_pid;
}

// What the command line adds is ended only where the orphans of the family are.
// What is only listed is ended where a folder was named, in which it lies.
Action leak_action(const Judgement& judgement, const FamilyRule& rule, const Settings& settings) {
    if (rule.apart && settings.under.empty()) return Action::report;
    const auto action = [&rule](Verdict verdict) {
        const auto found = rule.actions.find(verdict);
        return found == rule.actions.end() ? Action::report : found->second;
    };
    const bool wanted =
        settings.also_reap.contains(judgement.verdict) && action(Verdict::orphan) == Action::reap;
    return wanted ? Action::reap : action(judgement.verdict);
}

Action default_action(const Judgement& judgement, const FamilyRule& rule,
                      const Settings& settings) {
    if (is_leak(judgement.verdict)) return leak_action(judgement, rule, settings);
    const bool is_told =
        judgement.verdict == Verdict::zombie || judgement.verdict == Verdict::unknown;
    return is_told ? Action::report : Action::keep;
}

Action permitted_action(Judgement& judgement, const Member& member, const VetoInput& input) {
    const Action action = default_action(judgement, member.rule(), input.settings);
    if (action != Action::reap) return action;
    if (has_veto(judgement.evidence)) return Action::report;
    if (sits_in_service(member) && !input.settings.reap_inside_services) {
        judgement.evidence.push_back(
            {"unit.inside_service", Weight::against,
             fmt::format(
                 "it sits inside {} without being its main process: that service may need it",
                 member.facts->unit.value.name)});
        return Action::report;
    }
    if (needs_manager_answer(member)) {
        judgement.evidence.push_back(
            {"veto.unreadable.main_pid", Weight::veto,
             fmt::format("the manager of {} was not asked which process is its main one",
                         member.facts->unit.value.name)});
        return Action::report;
    }
    return Action::reap;
}

// Adds what starts it again, for every leak, to be ended or not.
Action action_of(Judgement& judgement, const Member& member, const VetoInput& input) {
    const Action action = permitted_action(judgement, member, input);
    if (action == Action::keep) return action;
    auto evidence = respawn_evidence(judgement, *member.facts, input.facts, input.past_ends);
    if (!evidence) return action;
    judgement.kept_alive = action == Action::reap && evidence->weight == Weight::veto;
    judgement.evidence.push_back(std::move(*evidence));
    return judgement.kept_alive ? Action::report : action;
}

// Only a note, no reason to end anything, as a gateway that works can hold such a file. But what it
// writes is lost, and people search for the cause.
void note_deleted_databases(Member& member) {
    for (const std::string& path : member.facts->deleted_databases) {
        member.add(Weight::note, "database.deleted",
                   fmt::format("it writes to {}, which is deleted", path));
    }
}

// Only notes, too: a lease proves which install it is of, and not whether it is needed.
void note_leases(Member& member) {
    for (const scanner::Lease& lease : member.facts->leases) {
        member.add(
            Weight::note, "lease.held",
            fmt::format("it holds a lease of {}, environment {}", lease.install, lease.generation));
        if (!is_outdated(lease)) continue;
        member.add(Weight::note, "lease.outdated",
                   fmt::format("it is from before the last update: {} is selected now",
                               lease.selected.value));
    }
}

Judgement judge_member(Member& member, const VetoInput& input, const Designation& designation) {
    Judgement judgement;
    judgement.identity = member.facts->identity;
    judgement.uid = member.facts->row.uid;
    judgement.family = member.rule().name;
    judgement.role = member.match.role.name;
    judgement.home = member.home;
    judgement.launcher = member.match.invocation.launcher;
    judgement.verdict = verdict_of(member, input, designation);
    note_deleted_databases(member);
    note_leases(member);
    note_origins(member);
    judgement.evidence = member.evidence;
    judgement.grace = input.settings.grace.value_or(member.rule().grace);
    judgement.grace_cap =
        std::max(judgement.grace, input.settings.grace_cap.value_or(member.rule().grace_cap));
    if (judgement.verdict == Verdict::superseded) judgement.relies_on = designation.pids;
    judgement.host = host_of(member, input.facts);
    return judgement;
}

// Its live host, which kept the process, does not keep an older duplicate.
void make_duplicate(Judgement& judgement, scanner::Pid newest) {
    for (Evidence& piece : judgement.evidence) {
        if (piece.code == "veto.live_host") piece = {"parent.live", Weight::against, piece.detail};
    }
    judgement.evidence.push_back(
        {"duplicate.older", Weight::for_kill,
         fmt::format("pid {} serves the same host and home, and is newer", newest)});
    judgement.verdict = Verdict::duplicate;
    judgement.relies_on = {newest};
}

// Process 1, an init below it (tini -s) and the guard of `run` also adopt what others have started.
void keep_if_adopted(Judgement& judgement, const Member& member, const Facts& facts) {
    const scanner::ProcessRow* parent = find_row(facts, member.parentage.pid);
    if (parent == nullptr) return;
    if (parent->pid != 1 && parent->comm != "orphan-reaper" && !is_called_init(*parent)) return;
    judgement.evidence.push_back(
        {"veto.adopted", Weight::veto,
         fmt::format("pid {} may have adopted it: whether that one started it is not known",
                     parent->pid)});
}

// The newest must be past its start-up, too: until then the older one may be the only one that
// works.
void judge_duplicates(const std::vector<Member>& members, const VetoInput& input,
                      std::vector<Judgement>& judgements) {
    std::set<scanner::Pid> grown;
    for (const Member& member : members) {
        const milliseconds min_age = input.settings.min_age.value_or(member.rule().start_up);
        const bool is_young = age_of(member.facts->row, input.facts.machine) < min_age ||
                              age_of(*member.eldest, input.facts.machine) < min_age;
        if (!is_young) grown.insert(member.pid());
    }
    const auto duplicates = find_duplicates(members, judgements);
    for (std::size_t at = 0; at < members.size(); ++at) {
        const auto found = duplicates.find(members[at].pid());
        const bool settled = found != duplicates.end() && grown.contains(found->first) &&
                             grown.contains(found->second);
        if (!settled) continue;
        make_duplicate(judgements[at], found->second);
        keep_if_adopted(judgements[at], members[at], input.facts);
    }
}

// A data home usually lies below the home of its host, by which people know it.
bool lies_in(std::string_view home, std::string_view folder) {
    while (folder.ends_with('/')) folder.remove_suffix(1);
    return home.starts_with(folder) && (home.size() == folder.size() || home[folder.size()] == '/');
}

bool is_under(const Judgement& judgement, const Facts& facts,
              const std::vector<std::string>& names) {
    const auto found = std::ranges::lower_bound(
        facts.candidates, judgement.identity.pid, {},
        [](const scanner::ProcessFacts& process) { return process.row.pid; });
    return runs_below(names, found->row, found->cwd);
}

bool is_wanted(const Judgement& judgement, const Facts& facts, const Settings& settings) {
    if (!settings.under.empty() && !is_under(judgement, facts, settings.under)) return false;
    const bool of_home =
        settings.homes.empty() || std::ranges::any_of(settings.homes, [&](const auto& folder) {
            return lies_in(judgement.home, folder);
        });
    const auto& families = settings.families;
    return of_home &&
           (families.empty() || std::ranges::find(families, judgement.family) != families.end());
}

std::map<HomeKey, Designation> designate_homes_of(const std::vector<Member>& members,
                                                  const std::set<scanner::Pid>& pids,
                                                  const Facts& facts) {
    std::set<HomeKey> homes;
    for (const Member& member : members) {
        if (pids.contains(member.pid())) homes.insert(home_key(member));
    }
    std::vector<Member> others = members;
    std::erase_if(others, [&](const Member& one) { return !homes.contains(home_key(one)); });
    return designate(others, facts);
}

// Decides for all members at once, as they hold and replace each other. The note of leaked hosts
// comes later.
std::vector<Judgement> judge_together(std::vector<Member>& members,
                                      const std::map<HomeKey, Designation>& designations,
                                      const VetoInput& input) {
    std::vector<Judgement> judgements;
    judgements.reserve(members.size());
    for (Member& member : members) {
        const auto found = designations.find(home_key(member));
        const bool is_told =
            found != designations.end() && place_of(*member.facts) != Place::elsewhere;
        judgements.push_back(judge_member(member, input, is_told ? found->second : Designation{}));
    }
    judge_duplicates(members, input, judgements);
    for (std::size_t at = 0; at < members.size(); ++at) {
        judgements[at].host = host_behind_wrappers(members[at], input.facts);
        judgements[at].action = action_of(judgements[at], members[at], input);
    }
    hold_by_descendants(members, input, judgements);
    settle_units(members, judgements);
    return judgements;
}

}  // namespace

std::vector<Judgement> judge(const Facts& facts, const Rules& rules, const Settings& settings,
                             const PastEnds& past_ends) {
    std::vector<Member> members = find_members(facts, rules);
    const auto designations = designate(members, facts);
    auto judgements = judge_together(members, designations, {facts, rules, settings, past_ends});
    leave_with_leaked_hosts(judgements);
    note_leaked_holders(members, judgements);
    std::erase_if(judgements,
                  [&](const Judgement& one) { return !is_wanted(one, facts, settings); });
    return judgements;
}

std::optional<Judgement> judge_one(scanner::Pid pid, const Facts& facts, MatchMemory& memory,
                                   const Settings& settings, const PastEnds& past_ends) {
    std::vector<Member> members = find_members(facts, memory);
    const auto pids = judged_together(members, facts, pid);
    const auto designations = designate_homes_of(members, pids, facts);
    std::erase_if(members, [&](const Member& one) { return !pids.contains(one.pid()); });
    auto judgements =
        judge_together(members, designations, {facts, memory.rules(), settings, past_ends});
    const auto found = std::ranges::find_if(
        judgements, [pid](const Judgement& one) { return one.identity.pid == pid; });
    if (found == judgements.end() || !is_wanted(*found, facts, settings)) return std::nullopt;
    return std::move(*found);
}

}  // namespace reaper::policy
