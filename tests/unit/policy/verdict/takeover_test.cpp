// Where another process makes one superfluous, and where it does not: daemons and duplicates.
#include "policy/verdict/designation.hpp"
#include "policy/verdict/units.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using policy::Action;
using policy::Judgement;
using policy::Verdict;
using scanner::EndKind;
using scanner::PeerState;
using scanner::Pid;
using Pids = std::vector<Pid>;

constexpr Pid kOld = 100;
constexpr Pid kNew = 200;

}  // namespace

TEST_CASE("only the process on the port must work for others to be superseded") {
    FactsBuilder builder =
        FactsBuilder().listening_daemon(kNew).daemon(kOld).attached_bridge(300, kHost);
    builder[300].row.state = 'T';
    CHECK(judged(builder, kOld).verdict == Verdict::superseded);
    builder[kNew].row.state = 'T';
    CHECK(judged(builder, kOld).verdict == Verdict::unknown);
}

TEST_CASE("a daemon that listens somewhere itself is not superseded, even where all listen") {
    const auto rules = with_bridge_rule([](policy::FamilyRule& rule) { rule.listens = true; });
    FactsBuilder builder = FactsBuilder().listening_daemon(kNew).daemon(kOld);
    REQUIRE(judged_by(rules, builder, kOld).verdict == Verdict::superseded);
    listen_on(builder[kOld], 18801);
    const Judgement judgement = judged_by(rules, builder, kOld);
    CHECK(judgement.verdict == Verdict::unknown);
    CHECK_FALSE(has_code(judgement, "daemon.superseded"));
}

TEST_CASE("what a terminal keeps, and no host, is no duplicate") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kOld).orphan_bridge(kNew);
    set_start(builder[kOld], kNow - 2 * kHour);
    for (const Pid pid : {kOld, kNew}) {
        builder[pid].standard_input.value = {EndKind::terminal, PeerState::alive, 1, {}};
        builder[pid].standard_output.value = {EndKind::terminal, PeerState::alive, 1, {}};
    }
    CHECK(judged(builder, kOld).verdict == Verdict::attached);
    CHECK(judged(builder, kNew).verdict == Verdict::attached);
}

TEST_CASE("a launcher that may only be starting is no duplicate, and keeps its bridge") {
    FactsBuilder builder = FactsBuilder().orphan_pair(kOld, kOld + 1).attached_bridge(300, kHost);
    builder[kOld].row.ppid = kHost;
    for (const Pid pid : {kOld, kOld + 1}) {
        builder[pid].standard_input = builder[pid].standard_output = live_end();
        set_start(builder[pid], kNow - 2 * kHour);
    }
    REQUIRE(planned(builder, also({Verdict::duplicate})) == Pids{kOld + 1, kOld});
    set_start(builder[kOld], kNow - 100);
    CHECK(judged(builder, kOld).verdict == Verdict::attached);
    CHECK(planned(builder, also({Verdict::duplicate})).empty());
}

TEST_CASE("a leak that its family keeps is not said to be started again") {
    FactsBuilder builder = FactsBuilder().attached_bridge(kOld, kHost);
    builder[kOld].standard_input = builder[kOld].standard_output = dead_end();
    builder.keepalive({kUser, "bridge", kHome, kHost, kNow - 3 * kHour,
                       "python3 -m hermes_cli.main gateway run", 3, kNow - 6000});
    CHECK(has_code(judged(builder, kOld), "veto.respawns"));
    const auto rules = with_bridge_rule(
        [](policy::FamilyRule& rule) { rule.actions[Verdict::abandoned] = Action::keep; });
    const Judgement kept = judged_by(rules, builder, kOld);
    CHECK(kept.action == Action::keep);
    CHECK_FALSE(has_code(kept, "veto.respawns"));
}

TEST_CASE("a rule protects by a link only what the link leads to") {
    auto rules = policy::built_in_rules();
    rules.protect = {{"rules.json", {}, {}, "/home/u/link"}};
    FactsBuilder builder = FactsBuilder().orphan_bridge(kOld);
    builder.real_home("/home/u/link", "/srv/other");
    CHECK(is_orphan(judged_by(rules, builder, kOld)));
    builder.real_home("/home/u/link", kHome);
    CHECK(has_code(judged_by(rules, builder, kOld), "veto.protected"));
}

TEST_CASE("the socket of a launcher is a service as long as its environment is not known") {
    FactsBuilder builder = FactsBuilder().orphan_pair(kOld, kNew);
    builder[kOld].listeners.value = {{"unix", "/tmp/tsx-1000/100.pipe", 0, kUser,
                                      scanner::Reading<std::vector<std::uint64_t>>::of({})}};
    CHECK_FALSE(has_code(judged(builder, kOld), "veto.listens"));
    builder[kOld].environment.access = scanner::Access::denied;
    CHECK(has_code(judged(builder, kOld), "veto.listens"));
}

}  // namespace reaper::test
