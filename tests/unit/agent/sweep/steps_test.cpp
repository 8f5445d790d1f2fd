#include "agent/sweep/steps.hpp"

#include "tests/support/catch.hpp"

namespace reaper::agent {

namespace {

using policy::Judgement;
using policy::Verdict;

Judgement leak(scanner::Pid pid, Verdict verdict = Verdict::orphan) {
    Judgement judgement;
    judgement.identity = {"boot", 1, pid, 0, 100U + static_cast<unsigned>(pid)};
    judgement.verdict = verdict;
    judgement.action = policy::Action::reap;
    return judgement;
}

scanner::Facts facts_of(const std::vector<Judgement>& judgements) {
    scanner::Facts facts;
    for (const Judgement& one : judgements) {
        scanner::ProcessFacts process;
        process.identity = one.identity;
        process.row.pid = one.identity.pid;
        process.row.exe = scanner::Reading<std::string>{scanner::Access::ok, "/usr/bin/node"};
        process.row.command_line =
            scanner::Reading<scanner::CommandLine>{scanner::Access::ok, {{"node", "a.js"}, false}};
        facts.candidates.push_back(process);
    }
    return facts;
}

PlannedEnds plan_of(const std::vector<Judgement>& judgements) {
    PlannedEnds ends;
    const scanner::Facts facts = facts_of(judgements);
    for (std::size_t at = 0; at < judgements.size(); ++at)
        ends.emplace(scanner::to_string(judgements[at].identity),
                     planned_end(judgements[at], facts.candidates[at].row));
    return ends;
}

std::vector<scanner::Pid> kept(std::vector<Judgement> judgements, const PlannedEnds& planned) {
    const scanner::Facts facts = facts_of(judgements);
    keep_planned(judgements, planned, facts);
    std::vector<scanner::Pid> pids;
    pids.reserve(judgements.size());
    for (const Judgement& one : judgements) pids.push_back(one.identity.pid);
    return pids;
}

}  // namespace

TEST_CASE("Only what was planned is left to end, and only by the same verdict") {
    const std::vector<Judgement> leaks = {leak(1), leak(2), leak(3)};
    CHECK(kept(leaks, plan_of(leaks)) == std::vector<scanner::Pid>{1, 2, 3});
    CHECK(kept(leaks, plan_of({leak(2)})) == std::vector<scanner::Pid>{2});
    CHECK(kept(leaks, {}).empty());
    CHECK(kept({leak(1)}, plan_of({leak(1, Verdict::superseded)})).empty());
    CHECK(kept({leak(1, Verdict::abandoned)}, plan_of({leak(1)})).empty());
}

TEST_CASE("Another process with the pid of a planned one is left alone") {
    Judgement other = leak(1);
    other.identity.pidfs_inode = 7;
    CHECK(kept({other}, plan_of({leak(1)})).empty());
    other = leak(1);
    other.identity.boot_id = "another";
    CHECK(kept({other}, plan_of({leak(1)})).empty());
}

TEST_CASE("What became something else since it was planned is left alone") {
    const Judgement planned = leak(1);
    for (std::string Judgement::* member :
         {&Judgement::family, &Judgement::role, &Judgement::home}) {
        Judgement other = planned;
        other.*member = "other";
        CHECK(kept({other}, plan_of({planned})).empty());
    }
    const auto is_kept = [&](const scanner::Facts& facts) {
        std::vector<Judgement> judgements = {planned};
        keep_planned(judgements, plan_of({planned}), facts);
        return !judgements.empty();
    };
    scanner::Facts facts = facts_of({planned});
    CHECK(is_kept(facts));
    facts.candidates.front().row.exe.value = "/usr/bin/sleep";
    CHECK_FALSE(is_kept(facts));
    facts = facts_of({planned});
    facts.candidates.front().row.command_line.value.argv = {"nodea", ".js"};
    CHECK_FALSE(is_kept(facts));
    facts.candidates.clear();
    CHECK_FALSE(is_kept(facts));
}

TEST_CASE("A unit is left alone when a half of it was not planned") {
    Judgement launcher = leak(1);
    Judgement bridge = leak(2);
    launcher.ends_with = {2};
    bridge.ends_with = {1};
    CHECK(kept({launcher, bridge}, plan_of({launcher, bridge})).size() == 2);
    CHECK(kept({launcher, bridge}, plan_of({bridge})).empty());
    CHECK(kept({bridge}, plan_of({bridge})).size() == 1);  // the other half has ended
}

}  // namespace reaper::agent
