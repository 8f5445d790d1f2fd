#include "policy/update/gateways.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/facts_builder.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

std::optional<std::string> storm(std::vector<double> ago) {
    for (double& one : ago) one = kNowEpoch - one;
    return policy::describe_storm({"/h", "/h/gateway-starts.log", std::move(ago)},
                                  FactsBuilder().facts().machine);
}

std::vector<std::string> several(const FactsBuilder& builder) {
    return policy::describe_gateways(policy::find_members(builder.facts(), all_rules()));
}

}  // namespace

TEST_CASE("more than five starts within two minutes are a storm") {
    CHECK_FALSE(storm({}));
    CHECK_FALSE(storm({120, 90, 60, 30, 0}));
    CHECK(storm({120, 90, 60, 30, 20, 0}) ==
          "the gateway of /h has started 6 times within 120 seconds (/h/gateway-starts.log)");
    CHECK_FALSE(storm({121, 90, 60, 30, 20, 0}));
    CHECK(storm({0, 121, 1, 2, 90, 3, 60, 4})->find("has started 7 times") != std::string::npos);
    CHECK(storm({710, 700, 690, 680, 670, 600}));
    CHECK_FALSE(storm({710, 700, 690, 680, 670, 601}));              // long over
    CHECK_FALSE(storm({-1000, -1001, -1002, -1003, -1004, -1005}));  // of another clock
}

TEST_CASE("several gateways of one home are told, and profiles of one gateway are not") {
    const auto gateway = [](FactsBuilder& builder, scanner::Pid pid) {
        builder.orphan(row(pid, 1, "/usr/bin/python3.11",
                           {"python3", "-m", "hermes_cli.main", "gateway", "run"}));
    };
    FactsBuilder builder;
    CHECK(several(builder).empty());
    gateway(builder, 100);
    CHECK(several(builder).empty());
    gateway(builder, 101);
    const auto texts = several(builder);
    REQUIRE(texts.size() == 1);
    CHECK(texts.front().ends_with(" has 2 gateways: pids 100, 101"));
}

TEST_CASE("a gateway without unit, terminal and parent is as it should be") {
    FactsBuilder builder;
    builder.orphan(row(100, 1, "/usr/bin/python3.11",
                       {"python3", "-m", "hermes_cli.main", "gateway", "run", "--quiet"}));
    const policy::Judgement judgement = judged(builder, 100, {});
    CHECK(judgement.verdict == policy::Verdict::designated);
    CHECK(judgement.action == policy::Action::keep);
}

}  // namespace reaper::test
