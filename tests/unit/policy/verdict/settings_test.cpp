// What the command line changes, look-alikes by their number in the collection of facts, and that
// judge() is a function.
#include "policy/verdict/judge.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using policy::Judgement;
using policy::Settings;
using policy::Verdict;
using scanner::Pid;
using std::chrono::seconds;
using Pids = std::vector<Pid>;

constexpr Pid kPid = 100;

}  // namespace

TEST_CASE("homes: others are not even listed, but still designate and supersede") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid).orphan_bridge(200);
    set_home(builder[200], "/srv/other");
    Settings settings;
    settings.homes = {"/srv/other", "/srv/none"};
    CHECK(planned(builder, settings) == Pids{200});
    CHECK(judged(builder, kPid, settings).family.empty());
    settings.homes = {"/srv/othe"};
    CHECK(policy::judge(builder.facts(), policy::built_in_rules(), settings, {}).empty());
}

TEST_CASE("homes: what lies below belongs to them, as a data home to the home of Hermes") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid).orphan_bridge(200);
    set_home(builder[kPid], "/home/u/.hermes/memos-plugin");
    set_home(builder[200], "/home/u/.hermes2/memos-plugin");
    Settings settings;
    for (const char* home :
         {"/home/u/.hermes", "/home/u/.hermes/", "/home/u/.hermes/memos-plugin"}) {
        settings.homes = {home};
        CHECK(planned(builder, settings) == Pids{kPid});
    }
    settings.homes = {"/"};
    CHECK(planned(builder, settings) == Pids{kPid, 200});
}

TEST_CASE("families: others are not even listed, but still recognised for what they are") {
    const FactsBuilder builder = FactsBuilder().orphan_bridge(kPid).orphan_worker(200, 199);
    Settings settings;
    settings.families = {"slash_worker"};
    CHECK(planned(builder, settings) == Pids{200});
    CHECK(judged(builder, kPid, settings).family.empty());
}

TEST_CASE("grace and cap are the family's, or the user's, the cap is never below the grace") {
    const FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    Settings settings;
    settings.grace = seconds(5);
    CHECK(judged(builder, kPid, settings).grace == seconds(5));
    CHECK(judged(builder, kPid, settings).grace_cap == std::chrono::minutes(10));
    settings.grace_cap = seconds(60);
    CHECK(judged(builder, kPid, settings).grace_cap == seconds(60));
    settings.grace_cap = seconds(1);
    CHECK(judged(builder, kPid, settings).grace_cap == seconds(5));
}

TEST_CASE("the scope of users is all of them, each by files of their own") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid).orphan_bridge(200);
    set_uid(builder[200], kUser + 1);
    CHECK(planned(builder) == Pids{kPid, 200});
    Settings settings;
    settings.uids = {kUser};
    CHECK(planned(builder, settings) == Pids{kPid});
    builder.claim(claim_of(scanner::ClaimKind::update_marker, kHome, 70));  // of kUser
    CHECK(planned(builder) == Pids{200});
}

TEST_CASE("the same input gives the same output, and judgements come by pid") {
    FactsBuilder builder = FactsBuilder()
                               .orphan_pair(300, 310)
                               .listening_daemon(200)
                               .daemon(250)
                               .attached_bridge(400, kHost)
                               .attached_bridge(410, kHost)
                               .orphan_worker(500, kGonePid)
                               .orphan_bridge(kPid);
    const auto rules = policy::built_in_rules();
    const auto first = policy::judge(builder.facts(), rules, {}, {});
    const scanner::Facts copy = builder.facts();
    CHECK(policy::judge(copy, rules, {}, {}) == first);
    CHECK(copy == builder.facts());
    Pids pids;
    for (const Judgement& judgement : first) pids.push_back(judgement.identity.pid);
    CHECK(pids == Pids{kPid, 200, 250, 300, 310, 400, 410, 500});
    CHECK(policy::make_plan(first, 256) ==
          policy::make_plan(policy::judge(copy, rules, {}, {}), 256));
}

TEST_CASE("the order of claims decides nothing") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid).daemon(200).listening_daemon(300);
    scanner::Facts facts = builder.facts();
    facts.claims = {claim_of(scanner::ClaimKind::bridge_pid, kHome, 300),
                    claim_of(scanner::ClaimKind::gateway_pid, kHermesHome, kHost)};
    const auto first = policy::judge(facts, policy::built_in_rules(), {}, {});
    std::reverse(facts.claims.begin(), facts.claims.end());
    CHECK(policy::judge(facts, policy::built_in_rules(), {}, {}) == first);
}

TEST_CASE("words for verdicts and actions") {
    for (int at = 0; at <= static_cast<int>(Verdict::unknown); ++at) {
        const auto verdict = static_cast<Verdict>(at);
        CHECK(policy::verdict_from(to_string(verdict)) == verdict);
    }
    CHECK(to_string(Verdict::superseded) == "superseded");
    CHECK_FALSE(policy::verdict_from("").has_value());
    CHECK_FALSE(policy::verdict_from("Orphan").has_value());
    CHECK(to_string(policy::Action::reap) == "reap");
    CHECK(to_string(policy::Action::report) == "report");
    CHECK(to_string(policy::Action::keep) == "keep");
}

TEST_CASE("N8: a container's bridge, seen from outside") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    builder[kPid].same_pid_namespace.value = false;
    builder[kPid].namespace_pids.value = {kPid, 7};
    CHECK(judged(builder, kPid).verdict == Verdict::foreign);
}

TEST_CASE("N9: another user's bridge") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    set_uid(builder[kPid], kUser + 1);
    Settings settings;
    settings.uids = {kUser};
    CHECK(judged(builder, kPid, settings).verdict == Verdict::foreign);
}

TEST_CASE("N14: a bridge.cjs of another program") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    builder[kPid].script.value = "/srv/app/bridge.cjs";
    builder[kPid].package.access = scanner::Access::gone;
    CHECK(judged(builder, kPid).verdict == Verdict::foreign);
}

TEST_CASE("N16, N23, N28: a test runner, a person's shell or a script holds it") {
    for (const char* exe : {"/usr/bin/node", "/usr/bin/bash", "/usr/bin/timeout"}) {
        FactsBuilder builder =
            FactsBuilder().attached_bridge(kPid, 60).relative(row(60, 1, exe, {exe}));
        CHECK(judged(builder, kPid).verdict == Verdict::attached);
    }
}

}  // namespace reaper::test
