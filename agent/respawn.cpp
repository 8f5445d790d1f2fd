#include "agent/respawn.hpp"

#include <algorithm>
#include <set>

namespace reaper::agent {

namespace {

using policy::Judgement;
using scanner::Pid;
using scanner::ProcessFacts;

bool was_ended(const Outcome& outcome) {
    return outcome.result == OutcomeResult::ended_on_term || outcome.result == OutcomeResult::ended_on_kill;
}

bool does_the_same(const Judgement& ended, const ProcessFacts& ended_facts, const Judgement& other,
                   const ProcessFacts& other_facts) {
    // Another host's own helper is none, whatever it is called.
    return ended.family == other.family && ended.home == other.home && ended_facts.row.ppid == other_facts.row.ppid &&
           ended_facts.row.command_line == other_facts.row.command_line;
}

bool was_there(const Judged& before, const Judgement& judgement) {
    return std::any_of(before.judgements.begin(), before.judgements.end(), [&](const Judgement& earlier) {
        return compare(earlier.identity, judgement.identity) == scanner::Sameness::same;
    });
}

}  // namespace

void find_respawns(const Judged& before, const Judged& after, std::map<Pid, Outcome>& outcomes) {
    std::set<Pid> taken;  // each newcomer replaces one
    for (const Judgement& ended : before.judgements) {
        const auto outcome = outcomes.find(ended.identity.pid);
        const ProcessFacts* facts = find_facts(before, ended.identity.pid);
        if (outcome == outcomes.end() || facts == nullptr || !was_ended(outcome->second)) continue;
        for (const Judgement& newcomer : after.judgements) {
            const ProcessFacts* theirs = find_facts(after, newcomer.identity.pid);
            const bool fresh =
                theirs != nullptr && !was_there(before, newcomer) && !taken.contains(newcomer.identity.pid);
            if (!fresh || !does_the_same(ended, *facts, newcomer, *theirs)) continue;
            taken.insert(newcomer.identity.pid);
            outcome->second.respawned_as = newcomer.identity.pid;
            break;
        }
    }
}

}  // namespace reaper::agent
