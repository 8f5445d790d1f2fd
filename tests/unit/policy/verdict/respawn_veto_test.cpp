#include "policy/verdict/respawn_veto.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using policy::Action;
using policy::Judgement;
using policy::Verdict;
using scanner::Keepalive;
using scanner::Pid;

constexpr Pid kPid = 100;
constexpr std::uint64_t kMinute = 6000;  // in ticks
const std::uint64_t kHostStart = kNow - 3 * kHour;

// A bridge to which the living gateway closed both ends.
FactsBuilder abandoned() {
    FactsBuilder builder;
    builder.orphan_bridge(kPid);
    builder[kPid].row.ppid = kHost;
    return builder;
}

Keepalive gateway() {
    return {kUser, "bridge",      kHome,
            kHost, kHostStart,    "python3 -m hermes_cli.main gateway run",
            3,     kNow - kMinute};
}

Judgement judged_with(const Keepalive& keepalive) {
    return judged(abandoned().keepalive(keepalive), kPid, also({Verdict::abandoned}));
}

template <class Change>
bool is_left_alone(const Change& change) {
    Keepalive keepalive = gateway();
    change(keepalive);
    const Judgement judgement = judged_with(keepalive);
    CHECK(judgement.verdict == Verdict::abandoned);
    CHECK(has_code(judgement, "veto.respawns") == (judgement.action != Action::reap));
    return judgement.action == Action::report;
}

FactsBuilder superseded(const Keepalive& keepalive) {
    return FactsBuilder().daemon(kPid).listening_daemon(140).keepalive(keepalive);
}

Keepalive nobody(std::uint64_t last) {
    return {kUser, "bridge", kHome, 0, 0, "", 3, last};
}

}  // namespace

TEST_CASE("what its host started again after three ends is left alone, and the host is named") {
    const Judgement judgement = judged_with(gateway());
    CHECK(judgement.verdict == Verdict::abandoned);
    CHECK(judgement.action == Action::report);
    CHECK(judgement.host == kHost);
    const policy::Evidence* veto = policy::find_respawn_veto(judgement);
    REQUIRE(veto != nullptr);
    CHECK(veto->weight == policy::Weight::veto);
    CHECK(
        veto->detail ==
        "pid 50 (python3 -m hermes_cli.main gateway run) started it again within 120 s of each of "
        "3 ends: end or mend "
        "that first");
    CHECK(judgement.kept_alive);
}

TEST_CASE(
    "only that host's helpers of that family, home and user are left alone, and only after three "
    "ends") {
    CHECK(is_left_alone([](Keepalive&) {}));
    CHECK(is_left_alone([](Keepalive& keepalive) { keepalive.ends = 9; }));
    CHECK_FALSE(is_left_alone([](Keepalive& keepalive) { keepalive.ends = 2; }));
    CHECK_FALSE(is_left_alone([](Keepalive& keepalive) { keepalive.family = "slash_worker"; }));
    CHECK_FALSE(is_left_alone([](Keepalive& keepalive) { keepalive.home = "/srv/other"; }));
    CHECK_FALSE(is_left_alone([](Keepalive& keepalive) { keepalive.uid = kUser + 1; }));
    CHECK_FALSE(is_left_alone([](Keepalive& keepalive) { keepalive.host = 51; }));
    CHECK_FALSE(is_left_alone([](Keepalive& keepalive) { ++keepalive.host_start_ticks; }));
    CHECK_FALSE(is_left_alone([](Keepalive& keepalive) { keepalive.host = 0; }));
}

TEST_CASE("one whose host is gone is an orphan like any other") {
    FactsBuilder builder =
        FactsBuilder().orphan_bridge(kPid).keepalive(gateway()).keepalive(nobody(kNow));
    CHECK(is_orphan(judged(builder, kPid)));
    CHECK(judged(builder, kPid).host == 0);
}

TEST_CASE("what starts it again is told of what would not be ended anyhow, too") {
    const Judgement judgement = judged(abandoned().keepalive(gateway()), kPid);
    CHECK(judgement.verdict == Verdict::abandoned);
    CHECK(judgement.action == Action::report);
    CHECK_FALSE(judgement.kept_alive);
    CHECK(policy::find_respawn_veto(judgement) != nullptr);
    FactsBuilder builder;
    builder.attached_bridge(kPid, kHost).keepalive(gateway());
    const Judgement attached = judged(builder, kPid);
    CHECK(attached.verdict == Verdict::attached);
    CHECK_FALSE(policy::respawn_evidence(attached, builder[kPid], builder.facts(),
                                         builder.facts().keepalives));
}

TEST_CASE("as long as its host lives it is left alone, however long ago the last end was") {
    CHECK(is_left_alone([](Keepalive& keepalive) { keepalive.last_ticks = kNow - kHour; }));
    CHECK(is_left_alone([](Keepalive& keepalive) { keepalive.last_ticks = 0; }));
}

TEST_CASE("both halves of a unit are left alone") {
    FactsBuilder builder;
    builder.orphan_pair(110, 120).keepalive(gateway());
    builder[110].row.ppid = kHost;
    CHECK(planned(builder, also({Verdict::abandoned})).empty());
    CHECK(has_code(judged(builder, 110, also({Verdict::abandoned})), "veto.respawns"));
    CHECK(has_code(judged(builder, 120, also({Verdict::abandoned})), "veto.respawns"));
}

TEST_CASE("a daemon whose starter is not known is tried once more ten minutes after its last end") {
    CHECK(planned(superseded(nobody(kNow - 10 * kMinute))) == std::vector<Pid>{kPid});
    const Judgement due = judged(superseded(nobody(kNow - 10 * kMinute)), kPid);
    CHECK(has_code(due, "host.respawns"));
    CHECK_FALSE(due.kept_alive);
    CHECK(due.evidence.back().detail ==
          "an unknown process started it again within 120 s of each of 3 ends: it may be tried "
          "once more");
    const FactsBuilder builder = superseded(nobody(kNow - 10 * kMinute + 1));
    CHECK(planned(builder).empty());
    const Judgement judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::superseded);
    CHECK(judgement.action == Action::report);
    REQUIRE(policy::find_respawn_veto(judgement) != nullptr);
    CHECK(policy::find_respawn_veto(judgement)->detail.starts_with(
        "an unknown process started it again within 120 s of each of 3 ends; "));
    CHECK(planned(superseded(gateway())) == std::vector<Pid>{kPid});
}

TEST_CASE("where the starter of a daemon is not known, at least its service is named") {
    FactsBuilder builder = superseded(nobody(kNow));
    builder[kPid].unit.value = {"hermes-gateway.service", false, 77, true};
    policy::Settings settings;
    settings.reap_inside_services = true;
    const Judgement judgement = judged(builder, kPid, settings);
    REQUIRE(policy::find_respawn_veto(judgement) != nullptr);
    CHECK(policy::find_respawn_veto(judgement)->detail.starts_with(
        "an unknown process of hermes-gateway.service started it"));
}

TEST_CASE("the history is worth a look only for what is leaked and could be started again") {
    CHECK(policy::can_respawn(judged(abandoned(), kPid, also({Verdict::abandoned}))));
    CHECK(policy::can_respawn(judged(abandoned(), kPid)));
    CHECK_FALSE(policy::can_respawn(judged(FactsBuilder().attached_bridge(kPid, kHost), kPid)));
    CHECK_FALSE(policy::can_respawn(judged(FactsBuilder().orphan_bridge(kPid), kPid)));
    CHECK(policy::can_respawn(judged(superseded(gateway()), kPid)));
}

}  // namespace reaper::test
