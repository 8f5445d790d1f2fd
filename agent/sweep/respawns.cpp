#include "agent/sweep/respawns.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <tuple>

#include "agent/redaction/argv.hpp"
#include "policy/match/parentage.hpp"

namespace reaper::agent {

namespace {

using policy::Judgement;
using scanner::Facts;

bool was_ended(const Outcome& outcome) {
    return outcome.result == OutcomeResult::ended_on_term ||
           outcome.result == OutcomeResult::ended_on_kill;
}

Event sighting_of(const Judged& judged, const Judgement& judgement, const KnownWords& known) {
    const scanner::ProcessFacts& facts = *find_facts(judged, judgement.identity.pid);
    Event event;
    event.pid = judgement.identity.pid;
    event.identity = to_string(judgement.identity);
    event.family = judgement.family;
    event.role = judgement.role;
    event.home = judgement.home;
    event.verdict = policy::to_string(judgement.verdict);
    event.uid = facts.row.uid;
    event.argv = redact(facts.row.command_line.value.argv);
    event.start_ticks = facts.row.start_ticks;
    Host host = host_of(judged.look.facts, judgement, known);
    event.host = host.pid;
    event.host_start_ticks = host.start_ticks;
    event.host_argv = std::move(host.argv);
    return event;
}

// "boot:namespace": what a pid and its start mean something in.
std::string_view world_of(const Event& event) {
    const std::string_view identity = event.identity;
    return identity.substr(0, identity.find(':', identity.find(':') + 1));
}

}  // namespace

Host host_of(const Facts& facts, const Judgement& judgement, const KnownWords& known) {
    const scanner::ProcessRow* row =
        judgement.host == 0 ? nullptr : policy::find_row(facts, judgement.host);
    if (row == nullptr) return {};
    return {row->pid, row->start_ticks, redact(row->command_line.value.argv, known)};
}

std::vector<Event> sightings_of(const Judged& judged) {
    const KnownWords known = known_words_of(judged.look.rules);
    std::vector<Event> sightings;
    std::ranges::transform(
        judged.judgements, std::back_inserter(sightings),
        [&](const Judgement& judgement) { return sighting_of(judged, judgement, known); });
    return sightings;
}

bool have_one_host(const Event& left, const Event& right) {
    const auto of = [](const Event& event) {
        return std::tie(event.host, event.host_start_ticks, event.uid, event.family, event.home);
    };
    return of(left) == of(right) && world_of(left) == world_of(right);
}

bool can_be_followed(const Event& ended) {
    return ended.host != 0 || ended.verdict == policy::to_string(policy::Verdict::superseded);
}

bool follows(const Event& ended, const Event& newcomer) {
    const bool is_its_kind = ended.host != 0 || ended.role == newcomer.role;
    return can_be_followed(ended) && is_its_kind && have_one_host(ended, newcomer) &&
           ended.identity != newcomer.identity;
}

bool comes_again(const Event& ended, const Event& newcomer) {
    return follows(ended, newcomer) && ended.argv == newcomer.argv;
}

std::vector<Respawn> find_respawns(std::vector<Event>& before, const Judged& after,
                                   Outcomes& outcomes) {
    const auto later = sightings_of(after);
    std::set<std::string> taken;  // each newcomer replaces one
    for (const Event& event : before) taken.insert(event.identity);
    std::vector<Respawn> respawns;
    for (const Event& ended : before) {
        const auto outcome = outcomes.find(ended.pid);
        if (outcome == outcomes.end() || !was_ended(outcome->second) ||
            outcome->second.respawned_as)
            continue;
        const auto newcomer = std::ranges::find_if(later, [&](const Event& event) {
            return comes_again(ended, event) && !taken.contains(event.identity);
        });
        if (newcomer == later.end()) continue;
        taken.insert(newcomer->identity);
        outcome->second.respawned_as = newcomer->pid;
        respawns.push_back({ended, *newcomer});
    }
    std::ranges::transform(respawns, std::back_inserter(before), &Respawn::newcomer);
    return respawns;
}

bool may_come_again(const Judgement& judgement, const Outcomes& outcomes) {
    const auto found = outcomes.find(judgement.identity.pid);
    return found != outcomes.end() && was_ended(found->second) && !found->second.respawned_as &&
           judgement.host != 0 && !outcomes.contains(judgement.host);
}

}  // namespace reaper::agent
