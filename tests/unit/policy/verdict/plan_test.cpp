#include "policy/verdict/plan.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using policy::Action;
using policy::Judgement;
using policy::make_plan;
using scanner::Pid;

Judgement with(Pid pid, Action action, bool launcher = false) {
    Judgement judgement;
    judgement.identity.pid = pid;
    judgement.action = action;
    judgement.launcher = launcher;
    return judgement;
}

}  // namespace

TEST_CASE("a plan holds what is to be reaped, and nothing else") {
    const auto plan =
        make_plan({with(5, Action::reap), with(6, Action::report), with(7, Action::keep)}, 10);
    REQUIRE(plan.steps.size() == 1);
    CHECK(plan.steps.front() == with(5, Action::reap));
    CHECK(plan.refusal.empty());
    CHECK(make_plan({}, 0).steps.empty());
    CHECK(make_plan({}, 0).refusal.empty());
}

TEST_CASE("launchers come last, otherwise pids decide") {
    const auto plan = make_plan({with(9, Action::reap), with(1, Action::reap, true),
                                 with(4, Action::reap), with(3, Action::reap, true)},
                                10);
    std::vector<Pid> pids;
    for (const Judgement& step : plan.steps) pids.push_back(step.identity.pid);
    CHECK(pids == std::vector<Pid>{4, 9, 1, 3});
}

TEST_CASE("too many steps refuse the whole plan") {
    const std::vector<Judgement> three = {with(5, Action::reap), with(6, Action::reap),
                                          with(7, Action::reap)};
    CHECK(make_plan(three, 3).refusal.empty());
    const auto plan = make_plan(three, 2);
    CHECK(plan.refusal == "3 processes would be ended, and --max-kills is 2: none was touched");
    CHECK(plan.steps.empty());
    CHECK(plan.refused == three);  // for the report
    CHECK(make_plan(three, 4, {{0, 1}}).refusal.empty());
    CHECK(make_plan(three, 4, {{0, 2}}).refused.size() == 3);
    CHECK_FALSE(make_plan({with(5, Action::reap)}, 0).refusal.empty());
}

TEST_CASE("too many steps of one user refuse nothing of another") {
    std::vector<Judgement> steps = {with(5, Action::reap), with(6, Action::reap),
                                    with(7, Action::reap)};
    steps[1].uid = 1001;
    const auto plan = make_plan(steps, 1);
    CHECK(plan.steps == std::vector{steps[1]});
    CHECK(plan.refused == std::vector{steps[0], steps[2]});
    CHECK(plan.refusal ==
          "2 processes of user id 0 would be ended, and --max-kills is 1: none was touched");
}

}  // namespace reaper::test
