#include "agent/sweep/respawns.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/facts_builder.hpp"

namespace reaper::agent {

namespace {

using test::FactsBuilder;
using test::kHost;

Judged judged(const FactsBuilder& builder) {
    Judged made;
    made.look.facts = builder.facts();
    made.look.rules = policy::built_in_rules();
    made.judgements = policy::judge(builder.facts(), made.look.rules, {}, {});
    return made;
}

FactsBuilder bridge(scanner::Pid pid, scanner::Pid parent) {
    FactsBuilder builder;
    builder.orphan_bridge(pid);
    builder[pid].row.ppid = parent;
    return builder;
}

Outcomes ended(scanner::Pid pid) {
    Outcome outcome;
    outcome.result = OutcomeResult::ended_on_term;
    outcome.pid = pid;
    return {{pid, outcome}};
}

std::size_t respawns(const FactsBuilder& before, const FactsBuilder& after) {
    Outcomes outcomes = ended(100);
    auto there = sightings_of(judged(before));
    const auto found = find_respawns(there, judged(after), outcomes);
    CHECK(outcomes.at(100).respawned_as.has_value() == !found.empty());
    CHECK(find_respawns(there, judged(after), outcomes).empty());  // told once
    return found.size();
}

}  // namespace

TEST_CASE("a living helper has a host that can be told") {
    const auto sightings = sightings_of(judged(bridge(100, kHost)));
    REQUIRE(sightings.size() == 1);
    CHECK(sightings.front().host == kHost);
    CHECK(sightings.front().host_start_ticks == test::kNow - 3 * test::kHour);
    CHECK(sightings.front().host_argv ==
          std::vector<std::string>{"python3", "-m", "hermes_cli.main", "gateway", "run"});
    CHECK(sightings.front().uid == test::kUser);
    CHECK(sightings_of(judged(bridge(100, 1))).front().host == 0);
}

TEST_CASE("within one run, too, only a living host starts anything again") {
    CHECK(respawns(bridge(100, kHost), bridge(200, kHost)) == 1);
    CHECK(respawns(bridge(100, 1), bridge(200, 1)) == 0);
    CHECK(respawns(bridge(100, kHost), bridge(200, 1)) == 0);
    CHECK(respawns(bridge(100, kHost), bridge(100, kHost)) == 0);
    FactsBuilder other = bridge(200, kHost);
    test::set_home(other[200], "/srv/other");
    CHECK(respawns(bridge(100, kHost), other) == 0);
    FactsBuilder both = bridge(100, kHost);
    both.orphan_bridge(200);
    both[200].row.ppid = kHost;
    CHECK(respawns(both, bridge(200, kHost)) == 0);
}

TEST_CASE("each newcomer comes in the place of one, however often a sweep looks") {
    FactsBuilder both = bridge(100, kHost);
    both.orphan_bridge(101);
    both[101].row.ppid = kHost;
    auto there = sightings_of(judged(both));
    Outcomes outcomes = ended(100);
    outcomes.merge(ended(101));
    CHECK(find_respawns(there, judged(bridge(200, kHost)), outcomes).size() == 1);
    CHECK(find_respawns(there, judged(bridge(200, kHost)), outcomes).empty());
    FactsBuilder second = bridge(200, kHost);
    second.orphan_bridge(201);
    second[201].row.ppid = kHost;
    CHECK(find_respawns(there, judged(second), outcomes).size() == 1);
    CHECK(outcomes.at(101).respawned_as == 201);
}

TEST_CASE(
    "only what was ended, and has not come again, may come again, as long as its host lives") {
    const policy::Judgement judgement = judged(bridge(100, kHost)).judgements.front();
    CHECK(may_come_again(judgement, ended(100)));
    CHECK_FALSE(may_come_again(judgement, {}));
    CHECK_FALSE(may_come_again(judgement, ended(101)));
    CHECK_FALSE(may_come_again(judged(bridge(100, 1)).judgements.front(), ended(100)));
    Outcomes outcomes = ended(100);
    outcomes.at(100).respawned_as = 200;
    CHECK_FALSE(may_come_again(judgement, outcomes));
    outcomes = ended(100);
    outcomes.at(100).result = OutcomeResult::survived;
    CHECK_FALSE(may_come_again(judgement, outcomes));
    outcomes = ended(100);
    outcomes.merge(ended(kHost));
    CHECK_FALSE(may_come_again(judgement, outcomes));
}

TEST_CASE("what started a daemon that outlives its hosts is not known, but that it came again is") {
    CHECK(respawns(FactsBuilder().daemon(100).listening_daemon(140),
                   FactsBuilder().daemon(200).listening_daemon(140)) == 1);
}

}  // namespace reaper::agent
