#include "agent/sweep/steps.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "agent/observe/second_look.hpp"
#include "agent/sweep/respawns.hpp"
#include "policy/match/parentage.hpp"

namespace reaper::agent {

using policy::Judgement;
using scanner::Pid;

namespace {

bool exits_by(const scanner::PidHandle& handle, std::chrono::steady_clock::time_point moment) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(moment - std::chrono::steady_clock::now());
    return handle.exits_within(std::max(left, std::chrono::milliseconds(0)));
}

std::optional<std::string> objection_to(const Judgement& step, const Judged& now) {
    const Judgement* judgement = find_judgement(now, step.identity.pid);
    const bool unseen = judgement == nullptr && now.look.facts.count.denied > 0;
    return unseen ? std::optional<std::string>("it could not be read again")
                  : difference(step, judgement);
}

}  // namespace

void keep_planned(std::vector<Judgement>& judgements, const PlannedEnds& planned,
                  const scanner::Facts& facts) {
    const auto is_planned = [&](const Judgement& judgement) {
        const auto found = planned.find(scanner::to_string(judgement.identity));
        const scanner::ProcessRow* row = policy::find_row(facts, judgement.identity.pid);
        return found != planned.end() && row != nullptr &&
               found->second == planned_end(judgement, *row);
    };
    std::set<Pid> others;
    for (const Judgement& judgement : judgements) {
        if (!is_planned(judgement)) others.insert(judgement.identity.pid);
    }
    std::erase_if(judgements, [&](const Judgement& judgement) {
        const auto is_other = [&](Pid pid) { return others.contains(pid); };
        return is_other(judgement.identity.pid) ||
               std::ranges::any_of(judgement.ends_with, is_other);
    });
}

void leave_changed(std::vector<Target>& targets, const PlannedEnds& planned, const Judged& now,
                   Outcomes& outcomes) {
    std::vector<Judgement> kept;
    kept.reserve(targets.size());
    for (const Target& target : targets) kept.push_back(target.step);
    keep_planned(kept, planned, now.look.facts);
    std::erase_if(targets, [&](const Target& target) {
        const Pid pid = target.step.identity.pid;
        const auto is_it = [pid](const Judgement& one) { return one.identity.pid == pid; };
        if (std::ranges::any_of(kept, is_it)) return false;
        outcomes[pid] = not_done(pid, OutcomeResult::changed, "it is no longer what was agreed to");
        return true;
    });
}

Outcome not_done(Pid pid, OutcomeResult result, std::string why) {
    Outcome outcome;
    outcome.pid = pid;
    outcome.result = result;
    outcome.detail = std::move(why);
    return outcome;
}

bool can_be_held(const policy::Plan& plan, const Look& look) {
    std::set<Pid> relied_on;
    for (const Judgement& step : plan.steps) {
        if (!look.handles.contains(step.identity.pid)) return false;
        relied_on.insert(step.relies_on.begin(), step.relies_on.end());
    }
    return look.handles.size() + relied_on.size() <= look.room;
}

std::set<Pid> first_batch(const policy::Plan& plan, std::size_t room) {
    std::set<Pid> batch;
    std::set<Pid> held;  // with what they rely on
    for (const Judgement& step : plan.steps) {
        std::set<Pid> unit(step.ends_with.begin(), step.ends_with.end());
        unit.insert(step.identity.pid);
        std::set<Pid> more = held;
        more.insert(unit.begin(), unit.end());
        more.insert(step.relies_on.begin(), step.relies_on.end());
        if (more.size() > room) continue;
        held = std::move(more);
        batch.merge(unit);
    }
    return batch;
}

std::vector<Target> settled_targets(const policy::Plan& plan, Look& first, const Judged& second,
                                    Outcomes& outcomes) {
    std::vector<Target> targets;
    const KnownWords known = known_words_of(second.look.rules);
    const auto last_moment = std::chrono::steady_clock::now() + ReaperTimes{}.exiting;
    for (const Judgement& step : plan.steps) {
        const Pid pid = step.identity.pid;
        auto handle = first.handles.find(pid);
        if (handle->second.exited()) {
            outcomes[pid] = not_done(pid, OutcomeResult::already_gone, "it ended by itself");
        } else if (auto objection = objection_to(step, second)) {
            // Another sweep, say, may be ending it this moment.
            outcomes[pid] = exits_by(handle->second, last_moment)
                                ? not_done(pid, OutcomeResult::already_gone, "it ended by itself")
                                : not_done(pid, OutcomeResult::changed, std::move(*objection));
        } else {
            // As the second look has it: the other half of a unit may have ended meanwhile.
            const Judgement& judgement = *find_judgement(second, pid);
            targets.push_back({judgement, std::move(handle->second), *find_facts(second, pid),
                               host_of(second.look.facts, judgement, known)});
        }
    }
    return targets;
}

Judged keep_from(const Judged& earlier, Judged later, const std::set<Pid>& pids) {
    const auto keep = [&pids](const auto& from, auto& to, auto pid_of) {
        const auto is_kept = [&](const auto& one) { return pids.contains(pid_of(one)); };
        std::erase_if(to, is_kept);
        std::ranges::copy_if(from, std::back_inserter(to), is_kept);
        std::ranges::sort(to, {}, pid_of);
    };
    keep(earlier.look.facts.candidates, later.look.facts.candidates,
         [](const auto& facts) { return facts.row.pid; });
    if (later.remarks.empty()) later.remarks = earlier.remarks;
    keep(earlier.judgements, later.judgements,
         [](const auto& judgement) { return judgement.identity.pid; });
    return later;
}

std::set<Pid> missing_steps(const policy::Plan& plan, const std::vector<Judgement>& judgements) {
    std::set<Pid> pids;
    for (const Judgement& step : plan.steps) pids.insert(step.identity.pid);
    for (const Judgement& judgement : judgements) pids.erase(judgement.identity.pid);
    return pids;
}

}  // namespace reaper::agent
