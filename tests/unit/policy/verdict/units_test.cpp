#include "policy/verdict/units.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using policy::Action;
using policy::Judgement;
using policy::Settings;
using policy::Verdict;
using scanner::Pid;
using Pids = std::vector<Pid>;

constexpr Pid kOld = 100;
constexpr Pid kNew = 200;

// Two headless bridges of one host, `kOld` an hour older.
FactsBuilder two_bridges() {
    FactsBuilder builder = FactsBuilder().attached_bridge(kOld, kHost).attached_bridge(kNew, kHost);
    set_start(builder[kOld], kNow - 2 * kHour);
    return builder;
}

Pids reaped(const FactsBuilder& builder) {
    return planned(builder, also({Verdict::duplicate}));
}

}  // namespace

TEST_CASE(
    "duplicates: the newest of one host and home stays, the others are reported, and reaped by "
    "option") {
    const FactsBuilder builder = two_bridges().attached_bridge(300, kHost);
    const Judgement old = judged(builder, kOld);
    CHECK(old.verdict == Verdict::duplicate);
    CHECK(old.action == Action::report);
    CHECK(old.relies_on == Pids{300});
    CHECK(vetoes_of(old).empty());
    CHECK(has_code(old, "duplicate.older"));
    CHECK(has_code(old, "parent.live"));
    CHECK(judged(builder, kNew).verdict ==
          Verdict::duplicate);  // as old as the newest, which has the higher pid
    const Judgement newest = judged(builder, 300);
    CHECK(newest.verdict == Verdict::attached);
    CHECK(newest.action == Action::keep);
    CHECK(newest.relies_on.empty());
    CHECK(planned(builder).empty());
    CHECK(reaped(builder) == Pids{kOld, kNew});
    CHECK(planned(builder, also({Verdict::abandoned, Verdict::held})).empty());
}

TEST_CASE("no duplicates: a host that says it needs several") {
    FactsBuilder builder = two_bridges();
    for (const Pid pid : {kOld, kNew})
        builder[pid].environment.value["MEMOS_HERMES_BRIDGE_MODE"] = "legacy";
    CHECK(reaped(builder).empty());
    for (const Pid pid : {kOld, kNew})
        builder[pid].environment.value["MEMOS_HERMES_BRIDGE_MODE"] = "shared";
    CHECK(reaped(builder) == Pids{kOld});
}

TEST_CASE("no duplicates: the newest is none to which its host has closed an end") {
    for (const auto end :
         {&scanner::ProcessFacts::standard_input, &scanner::ProcessFacts::standard_output}) {
        FactsBuilder builder = two_bridges();
        builder[kNew].*end = dead_end();
        CHECK(reaped(builder).empty());
        CHECK(judged(builder, kOld).verdict == Verdict::attached);
    }
}

TEST_CASE("duplicates: the later start is the newer one, whatever the pids say") {
    FactsBuilder builder = two_bridges();
    CHECK(reaped(builder) == Pids{kOld});
    set_start(builder[kOld], kNow - kHour + 1);
    CHECK(reaped(builder) == Pids{kNew});
}

TEST_CASE("no duplicates: another host, home, user, role, family or runtime scope") {
    FactsBuilder builder = two_bridges();
    REQUIRE(reaped(builder) == Pids{kOld});
    builder.relative(row(60, 1, "/usr/bin/python3", {"python3", "-m", "hermes_cli.main", "chat"}));
    builder[kNew].row.ppid = 60;
    CHECK(reaped(builder).empty());
    builder = two_bridges();
    set_home(builder[kNew], "/srv/other");
    CHECK(reaped(builder).empty());
    builder = two_bridges();
    set_uid(builder[kNew], kUser + 1);
    CHECK(reaped(builder).empty());
    builder = two_bridges();
    builder[kNew].row.command_line.value.argv.pop_back();  // a viewer
    CHECK(reaped(builder).empty());
    builder = two_bridges();
    add_argument(builder[kNew], "--runtime-scope=b");
    CHECK(reaped(builder).empty());
    add_argument(builder[kOld], "--runtime-scope=a");
    CHECK(reaped(builder).empty());
    add_argument(builder[kOld], "--runtime-scope=b");
    CHECK(reaped(builder) == Pids{kOld});
}

TEST_CASE("duplicates: workers of one session key") {
    FactsBuilder builder = FactsBuilder().orphan_worker(kOld, kHost).orphan_worker(kNew, kHost);
    for (const Pid pid : {kOld, kNew}) {
        builder[pid].row.ppid = kHost;
        builder[pid].standard_input = live_end();
        builder[pid].standard_output = live_end();
    }
    CHECK(reaped(builder) == Pids{kOld});
    CHECK(planned(builder).empty());
    builder[kNew].row.command_line.value.argv[4] = "20260522_151218_2f8066";
    CHECK(reaped(builder).empty());
}

TEST_CASE("duplicates: two spellings of one home") {
    FactsBuilder builder = two_bridges();
    set_home(builder[kOld], "/home/u/link");
    CHECK(reaped(builder).empty());
    builder.real_home("/home/u/link", kHome);
    CHECK(reaped(builder) == Pids{kOld});
}

TEST_CASE("no duplicates: daemons, which outlive their host") {
    FactsBuilder builder = FactsBuilder().daemon(kOld).daemon(kNew);
    for (const Pid pid : {kOld, kNew}) builder[pid].row.ppid = kHost;
    CHECK(judged(builder, kOld).verdict == Verdict::attached);
    CHECK(reaped(builder).empty());
}

TEST_CASE("duplicates of an init, or of the guard of run, may be adopted: only reported") {
    FactsBuilder builder = two_bridges();
    REQUIRE(reaped(builder) == Pids{kOld});
    SECTION("process 1") {
        builder.first_process() = row(1, 0, "/usr/bin/python3.11",
                                      {"python3", "-m", "hermes_cli.main", "gateway", "run"});
        for (const Pid pid : {kOld, kNew}) builder[pid].row.ppid = 1;
    }
    SECTION("an init below process 1, as of tini -s") {
        auto init = row(5000, 1, "/usr/bin/tini", {"tini", "-s", "--", "x"});
        init.start_ticks = kNow - 3 * kHour;
        builder.relative(init);
        for (const Pid pid : {kOld, kNew}) builder[pid].row.ppid = 5000;
    }
    SECTION("the guard") {
        auto guard = row(5000, 1, "/usr/bin/orphan-reaper", {"orphan-reaper", "run"});
        guard.comm = "orphan-reaper";
        guard.start_ticks = kNow - 3 * kHour;
        builder.relative(guard);
        for (const Pid pid : {kOld, kNew}) builder[pid].row.ppid = 5000;
    }
    const auto old = judged(builder, kOld);
    CHECK(old.verdict == Verdict::duplicate);
    CHECK(old.action == Action::report);
    CHECK(old.evidence.back().code == "veto.adopted");
    CHECK(reaped(builder).empty());
}

TEST_CASE("no duplicates: adopted, abandoned, or kept for one more reason") {
    FactsBuilder builder = two_bridges();
    builder[kNew].standard_input = dead_end();
    builder[kNew].standard_output = dead_end();
    CHECK(reaped(builder).empty());  // the abandoned one is no newer one to stay
    for (const Pid pid : {kOld, kNew}) {
        builder = two_bridges();
        builder[pid].tracer.value = 77;
        CHECK(reaped(builder).empty());
        builder = two_bridges();
        builder[pid].listeners.value = {{"tcp", "127.0.0.1", 9229}};
        CHECK(reaped(builder).empty());
    }
    builder = two_bridges();
    builder.claim(claim_of(scanner::ClaimKind::update_marker, kHermesHome, 70));
    CHECK(reaped(builder).empty());
}

TEST_CASE("no duplicates: the newest is young and abandoned, so that it cannot be what stays") {
    FactsBuilder builder = two_bridges();
    builder[kNew].standard_input = dead_end();
    builder[kNew].standard_output = dead_end();
    set_start(builder[kNew], kNow - 100);
    REQUIRE(judged(builder, kNew).verdict == Verdict::young);
    CHECK(judged(builder, kOld).verdict == Verdict::attached);
    CHECK(reaped(builder).empty());
}

TEST_CASE("no duplicates: the newest is abandoned, and kept for another reason than a host") {
    FactsBuilder builder = two_bridges();
    builder[kNew].standard_input = dead_end();
    builder[kNew].standard_output = dead_end();
    builder[kNew].held_locks.access = scanner::Access::denied;
    REQUIRE(judged(builder, kNew).verdict == Verdict::unknown);
    REQUIRE(vetoes_of(judged(builder, kNew)).size() == 1);
    CHECK(judged(builder, kOld).verdict == Verdict::attached);
    CHECK(reaped(builder).empty());
}

TEST_CASE("no duplicates: families whose roles are called alike") {
    FactsBuilder builder =
        FactsBuilder().attached_bridge(kOld, kHost).orphan_worker(kNew, kGonePid);
    builder[kNew].row.ppid = kHost;
    builder[kNew].standard_input = live_end();
    auto rules = policy::built_in_rules();
    for (policy::FamilyRule& rule : rules.families) {
        rule.same_options.clear();
        rule.roles = {{"helper", {}, false}};
        rule.home = {{policy::HomeSource::From::fixed, "/srv"}};
    }
    for (const Judgement& judgement : policy::judge(builder.facts(), rules, {}, {})) {
        CHECK(judgement.verdict == Verdict::attached);
    }
}

TEST_CASE("no duplicates: held by a terminal under the same adopter") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kOld).orphan_bridge(kNew);
    for (const Pid pid : {kOld, kNew}) {
        builder[pid].standard_input.value.kind = scanner::EndKind::terminal;
        builder[pid].standard_input.value.peer = scanner::PeerState::alive;
    }
    REQUIRE(judged(builder, kOld).verdict == Verdict::attached);
    CHECK(reaped(builder).empty());
}

TEST_CASE("nothing happens to duplicates while the newest is young") {
    FactsBuilder builder = two_bridges();
    set_start(builder[kOld], kNow - 18'001);
    set_start(builder[kNew], kNow - 18'000);
    CHECK(reaped(builder) == Pids{kOld});
    set_start(builder[kNew], kNow - 17'999);
    CHECK(judged(builder, kOld).verdict == Verdict::attached);
    CHECK(reaped(builder).empty());
    set_start(builder[kOld], kNow - 17'999);
    CHECK(reaped(builder).empty());
    Settings settings = also({Verdict::duplicate});
    settings.min_age = std::chrono::hours(1);
    CHECK(planned(two_bridges(), settings) == Pids{kOld});
    settings.min_age = std::chrono::hours(1) + std::chrono::seconds(1);
    CHECK(planned(two_bridges(), settings).empty());
}

TEST_CASE("no duplicates: the newest is held up, so that the host may still use another") {
    const auto check_kept = [](const auto& change) {
        FactsBuilder builder = two_bridges().attached_bridge(300, kHost);
        change(builder[300]);
        CHECK(reaped(builder).empty());
        CHECK(judged(builder, kOld).verdict == Verdict::attached);
        CHECK(judged(builder, kNew).verdict == Verdict::attached);
    };
    for (const char state : {'T', 't', 'D', '?'})
        check_kept([state](auto& newest) { newest.row.state = state; });
    check_kept([](auto& newest) { newest.frozen = true; });
    check_kept([](auto& newest) { newest.tracer.value = 77; });
    FactsBuilder builder = two_bridges();
    builder[kOld].row.state = 'T';  // the one that is in the way may well be
    CHECK(reaped(builder) == Pids{kOld});
}

TEST_CASE("no duplicates: the newest is one whose launcher is stopped") {
    FactsBuilder builder = FactsBuilder().attached_bridge(kOld, kHost).orphan_pair(300, 301);
    set_start(builder[kOld], kNow - 2 * kHour);
    builder[300].row.ppid = kHost;
    for (const Pid pid : {300, 301})
        builder[pid].standard_input = builder[pid].standard_output = live_end();
    REQUIRE(reaped(builder) == Pids{kOld});
    builder[300].row.state = 'T';
    CHECK(reaped(builder).empty());
}

TEST_CASE("duplicates: of two pairs, the one whose launcher started later is the newer one") {
    FactsBuilder builder = FactsBuilder().orphan_pair(kOld, 101).orphan_pair(kNew, 201);
    for (const Pid pid : {kOld, 101, kNew, 201})
        builder[pid].standard_input = builder[pid].standard_output = live_end();
    for (const Pid launcher : {kOld, kNew}) builder[launcher].row.ppid = kHost;
    set_start(builder[kOld], kNow - 2 * kHour);
    set_start(builder[kNew], kNow - 2 * kHour + 10);
    set_start(builder[201], kNow - 2 * kHour + 20);
    set_start(builder[101], kNow - 2 * kHour + 30);  // held up on a busy machine
    CHECK(reaped(builder) == Pids{101, kOld});
}

TEST_CASE("a third duplicate that is young protects the older two") {
    FactsBuilder builder = two_bridges().attached_bridge(300, kHost);
    REQUIRE(reaped(builder) == Pids{kOld, kNew});
    set_start(builder[300], kNow - 100);
    CHECK(reaped(builder).empty());
}

TEST_CASE("a pair is one unit: both are orphans, the bridge is ended before its launcher") {
    const FactsBuilder builder = FactsBuilder().orphan_pair(kOld, kNew);
    const Judgement launcher = judged(builder, kOld);
    const Judgement bridge = judged(builder, kNew);
    CHECK(is_orphan(launcher));
    CHECK(is_orphan(bridge));  // its parent is alive, but that is only its other half
    CHECK(launcher.launcher);
    CHECK_FALSE(bridge.launcher);
    CHECK(launcher.ends_with == Pids{kNew});
    CHECK(bridge.ends_with == Pids{kOld});
    CHECK(planned(builder) == Pids{kNew, kOld});
}

TEST_CASE("a pair is ended whole or not at all") {
    for (const Pid kept : {kOld, kNew}) {
        FactsBuilder builder = FactsBuilder().orphan_pair(kOld, kNew).orphan_bridge(300);
        REQUIRE(planned(builder) == Pids{kNew, 300, kOld});
        builder[kept].tracer.value = 77;
        const Pid other = kept == kOld ? kNew : kOld;
        const Judgement partner = judged(builder, other);
        CHECK(vetoes_of(partner) == std::vector<std::string>{"veto.partner"});
        CHECK(partner.verdict == Verdict::attached);
        CHECK(partner.action == Action::keep);
        CHECK(planned(builder) == Pids{300});
    }
}

TEST_CASE("a pair whose bridge owns the port stays, whatever became of its host") {
    FactsBuilder builder = FactsBuilder().orphan_pair(kOld, kNew);
    for (const Pid pid : {kOld, kNew}) builder[pid].row.command_line.value.argv.back() = "--daemon";
    listen_on(builder[kNew], 18800);
    CHECK(judged(builder, kNew).verdict == Verdict::designated);
    CHECK(judged(builder, kOld).verdict == Verdict::designated);
    CHECK(planned(builder).empty());
}

TEST_CASE("a pair inside of a service is reported whole") {
    for (const Pid inside : {kOld, kNew}) {
        FactsBuilder builder = FactsBuilder().orphan_pair(kOld, kNew);
        builder[inside].unit.value = {"hermes-gateway.service", true, kHost, true};
        CHECK(planned(builder).empty());
        CHECK(judged(builder, kOld).action == Action::report);
        CHECK(judged(builder, kNew).action == Action::report);
    }
}

TEST_CASE("a launcher with two children is one unit of three") {
    FactsBuilder builder = FactsBuilder().orphan_pair(kOld, kNew).orphan_bridge(300);
    builder[300].row.ppid = kOld;
    CHECK(planned(builder) == Pids{kNew, 300, kOld});
    CHECK(judged(builder, kOld).ends_with == Pids{kNew, 300});
    builder[300].tracer.value = 77;
    CHECK(planned(builder).empty());
}

TEST_CASE("a launcher alone is no unit, and a bridge below another bridge is none") {
    FactsBuilder builder = FactsBuilder().orphan_pair(kOld, kNew);
    builder[kNew].row.ppid = 1;
    CHECK(judged(builder, kOld).ends_with.empty());
    CHECK(planned(builder) == Pids{kNew, kOld});
    builder = FactsBuilder().orphan_bridge(kOld).orphan_bridge(kNew);
    builder[kNew].row.ppid = kOld;
    CHECK(judged(builder, kNew).verdict == Verdict::abandoned);
    CHECK(judged(builder, kNew).ends_with.empty());
}

TEST_CASE("two pairs are two units") {
    FactsBuilder builder = FactsBuilder().orphan_pair(kOld, kNew).orphan_pair(300, 310);
    CHECK(judged(builder, kOld).ends_with == Pids{kNew});
    CHECK(judged(builder, 310).ends_with == Pids{300});
    builder[310].tracer.value = 77;
    CHECK(planned(builder) == Pids{kNew, kOld});
}

TEST_CASE("a launcher of another family is only a parent") {
    FactsBuilder builder = FactsBuilder().orphan_pair(kOld, kNew).orphan_worker(300, kGonePid);
    builder[300].row.ppid = kOld;
    CHECK(judged(builder, 300).verdict == Verdict::abandoned);
    CHECK(judged(builder, 300).ends_with.empty());
    CHECK(planned(builder) == Pids{kNew, kOld});
}

TEST_CASE("a pair counts once among duplicates, and is reaped whole") {
    FactsBuilder builder = FactsBuilder().orphan_pair(kOld, kNew).attached_bridge(300, kHost);
    builder[kOld].row.ppid = kHost;
    for (const Pid pid : {kOld, kNew}) {
        builder[pid].standard_input = live_end();
        builder[pid].standard_output = live_end();
        set_start(builder[pid], kNow - 2 * kHour);
    }
    CHECK(judged(builder, kOld).verdict == Verdict::duplicate);
    CHECK(judged(builder, kNew).verdict == Verdict::duplicate);
    CHECK(reaped(builder) == Pids{kNew, kOld});
    set_start(builder[300], kNow - 3 * kHour);  // now the pair is the newer one
    CHECK(reaped(builder) == Pids{300});
    CHECK(judged(builder, kOld).verdict == Verdict::attached);
    set_start(builder[300], kNow - kHour);
    builder[kOld].tracer.value = 77;
    CHECK(reaped(builder).empty());
}

}  // namespace reaper::test
