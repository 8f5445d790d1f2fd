// Every verdict of parent, stdio and age, vetoes aside.
#include "policy/verdict/judge.hpp"
#include "policy/verdict/orphan.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using policy::Action;
using policy::Judgement;
using policy::Settings;
using policy::Verdict;
using scanner::EndKind;
using scanner::PeerState;
using scanner::Pid;
using scanner::ProcessFacts;
using scanner::Reading;
using scanner::StdioEnd;
using Codes = std::vector<std::string>;

constexpr Pid kPid = 100;

Reading<StdioEnd> end_with(PeerState peer) {
    return Reading<StdioEnd>::of({EndKind::pipe, peer, 1, {}});
}

Judgement judged_with(FactsBuilder builder, PeerState input, PeerState output) {
    builder[kPid].standard_input = end_with(input);
    builder[kPid].standard_output = end_with(output);
    return judged(builder, kPid);
}

}  // namespace

TEST_CASE("orphan: adopted, and both stdio ends are dead") {
    const Judgement judgement = judged(FactsBuilder().orphan_bridge(kPid), kPid);
    CHECK(is_orphan(judgement));
    CHECK(judgement.family == "bridge");
    CHECK(judgement.role == "headless");
    CHECK(judgement.home == kHome);
    CHECK_FALSE(judgement.launcher);
    CHECK(judgement.grace == std::chrono::seconds(30));
    CHECK(judgement.grace_cap == std::chrono::minutes(10));
    CHECK(judgement.ends_with.empty());
    CHECK(judgement.relies_on.empty());
    for (const char* code : {"parent.adopter", "stdin.dead", "stdout.dead"})
        CHECK(has_code(judgement, code));
    REQUIRE(judgement.evidence.size() == 3);
    CHECK(judgement.evidence[0].detail == "parent is init (pid 1)");
}

TEST_CASE("a lease tells which install it is of, and changes no verdict") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    builder[kPid].leases = {{"/h/installs/k", "g1", scanner::Reading<std::string>::of("g1")}};
    CHECK(is_orphan(judged(builder, kPid)));
    CHECK(has_code(judged(builder, kPid), "lease.held"));
    CHECK_FALSE(has_code(judged(builder, kPid), "lease.outdated"));
    builder[kPid].leases.front().selected.value = "g2";
    CHECK(is_orphan(judged(builder, kPid)));
    CHECK(judged(builder, kPid).evidence.back().detail ==
          "it is from before the last update: g2 is selected now");
    builder[kPid].leases.front().selected.access = scanner::Access::malformed;
    CHECK_FALSE(has_code(judged(builder, kPid), "lease.outdated"));
}

TEST_CASE("adopted: what the two stdio ends make of a helper") {
    const FactsBuilder orphan = FactsBuilder().orphan_bridge(kPid);
    const PeerState dead = PeerState::dead;
    const PeerState alive = PeerState::alive;
    const PeerState unknown = PeerState::unknown;
    CHECK(is_orphan(judged_with(orphan, dead, dead)));
    for (const auto& [input, output] :
         {std::pair(alive, alive), std::pair(alive, dead), std::pair(dead, alive),
          std::pair(alive, unknown), std::pair(unknown, alive)}) {
        const Judgement held = judged_with(orphan, input, output);
        CHECK(held.verdict == Verdict::held);
        CHECK(held.action == Action::report);
    }
    for (const auto& [input, output] :
         {std::pair(dead, unknown), std::pair(unknown, dead), std::pair(unknown, unknown)}) {
        const Judgement unproven = judged_with(orphan, input, output);
        CHECK(unproven.verdict == Verdict::unknown);
        CHECK(unproven.action == Action::report);
        CHECK(has_code(unproven, "no_proof"));
        CHECK(has_code(unproven, input == dead ? "stdout.no_evidence" : "stdin.no_evidence"));
    }
}

TEST_CASE("held names what holds, and is reaped by option") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    builder[kPid].standard_input.value = {EndKind::pipe, PeerState::alive, 1, {61, 62}};
    const Judgement judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::held);
    REQUIRE(has_code(judgement, "stdin.alive"));
    CHECK(judgement.evidence[1].detail ==
          "another process holds the other end of its stdin (pid 61, 62)");
    CHECK(planned(builder).empty());
    CHECK(planned(builder, also({Verdict::held})) == std::vector<Pid>{kPid});
    CHECK(planned(builder, also({Verdict::abandoned, Verdict::duplicate})).empty());
}

TEST_CASE(
    "an open terminal as stdio keeps, one whose window is closed is a dead end like any other") {
    for (const bool input : {true, false}) {
        FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
        StdioEnd& end =
            (input ? builder[kPid].standard_input : builder[kPid].standard_output).value;
        end.kind = EndKind::terminal;
        CHECK(is_orphan(judged(builder, kPid)));
        for (const PeerState peer : {PeerState::alive, PeerState::unknown}) {
            end.peer = peer;
            const Judgement judgement = judged(builder, kPid);
            CHECK(judgement.verdict == Verdict::attached);
            CHECK(judgement.action == Action::keep);
            CHECK(vetoes_of(judgement) == Codes{"veto.terminal"});
        }
    }
}

TEST_CASE("a recorded host that is dead proves what stdio cannot") {
    FactsBuilder builder = FactsBuilder().orphan_worker(kPid, kGonePid);
    builder[kPid].standard_input = null_end();
    builder[kPid].standard_output = null_end();
    Judgement judgement = judged(builder, kPid);
    CHECK(is_orphan(judgement));
    CHECK(has_code(judgement, "owner.dead"));
    CHECK(judgement.grace == std::chrono::seconds(3));
    // What is not seen under hidepid may well be alive.
    builder.machine().hides_processes = true;
    judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::unknown);
    CHECK_FALSE(has_code(judgement, "owner.dead"));
    // A process holds its stdin: that outweighs the record.
    builder.machine().hides_processes = false;
    builder[kPid].standard_input = live_end();
    CHECK(judged(builder, kPid).verdict == Verdict::held);
}

TEST_CASE("a recorded host that is alive keeps, one that began later is another process") {
    FactsBuilder builder = FactsBuilder().orphan_worker(kPid, kHost);
    Judgement judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::attached);
    CHECK(vetoes_of(judgement) == Codes{"veto.owner"});
    CHECK(judgement.action == Action::keep);
    set_start(builder[kPid], kNow - 4 * kHour);
    judgement = judged(builder, kPid);
    CHECK(is_orphan(judgement));
    set_start(builder[kPid], kNow - 3 * kHour);  // in the same tick
    CHECK(judged(builder, kPid).verdict == Verdict::attached);
}

TEST_CASE("attached: a live host, and something to talk through") {
    for (const bool input : {true, false}) {
        FactsBuilder builder = FactsBuilder().attached_bridge(kPid, kHost);
        (input ? builder[kPid].standard_input : builder[kPid].standard_output) = dead_end();
        const Judgement judgement = judged(builder, kPid);
        CHECK(judgement.verdict == Verdict::attached);
        CHECK(judgement.action == Action::keep);
        CHECK(vetoes_of(judgement) == Codes{"veto.live_host"});
    }
}

TEST_CASE("abandoned: a live host, but both ends are dead, reaped by option") {
    FactsBuilder builder = FactsBuilder().attached_bridge(kPid, kHost);
    builder[kPid].standard_input = dead_end();
    builder[kPid].standard_output = dead_end();
    const Judgement judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::abandoned);
    CHECK(judgement.action == Action::report);
    CHECK(vetoes_of(judgement).empty());
    CHECK(has_code(judgement, "parent.live"));
    CHECK(planned(builder, also({Verdict::abandoned})) == std::vector<Pid>{kPid});
    CHECK(planned(builder, also({Verdict::held, Verdict::duplicate})).empty());
    builder[kPid].tracer.value = 77;
    CHECK(planned(builder, also({Verdict::abandoned})).empty());
}

TEST_CASE(
    "a daemon with a live host is attached whatever its stdio says: it is meant to go on without") {
    FactsBuilder builder = FactsBuilder().daemon(kPid);
    builder[kPid].row.ppid = kHost;
    builder[kPid].standard_input = dead_end();
    builder[kPid].standard_output = dead_end();
    CHECK(judged(builder, kPid).verdict == Verdict::attached);
    builder[kPid].row.ppid = 1;
    CHECK(judged(builder, kPid).verdict == Verdict::unknown);  // adopted by design
    CHECK(planned(builder, also({Verdict::held, Verdict::abandoned, Verdict::duplicate})).empty());
}

TEST_CASE("a family's proofs: all codes of one of them are needed") {
    const auto said = [](std::vector<policy::Proof> proofs, bool dead_ends, bool dead_owner) {
        const auto rules = with_bridge_rule([&](policy::FamilyRule& rule) {
            rule.proofs = std::move(proofs);
            rule.owners = {{policy::OwnerSource::From::option, "--owner", ""}};
        });
        FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
        if (dead_owner) add_argument(builder[kPid], "--owner=999");
        if (!dead_ends) builder[kPid].standard_output = null_end();
        const Judgement judgement = judged_by(rules, builder, kPid);
        CHECK((judgement.verdict == Verdict::orphan || judgement.verdict == Verdict::unknown));
        return is_orphan(judgement);
    };
    const policy::Proof ends = {"stdin.dead", "stdout.dead"};
    const policy::Proof owner = {"owner.dead"};
    CHECK(said({ends, owner}, true, false));
    CHECK(said({ends, owner}, false, true));
    CHECK_FALSE(said({ends, owner}, false, false));
    CHECK_FALSE(said({owner}, true, false));
    CHECK_FALSE(said({ends}, false, true));
    CHECK(said({{"owner.dead", "stdin.dead", "stdout.dead"}}, true, true));
    CHECK_FALSE(said({{"owner.dead", "stdin.dead", "stdout.dead"}}, true, false));
    CHECK_FALSE(said({{"owner.dead", "stdin.dead", "stdout.dead"}}, false, true));
    CHECK_FALSE(said({}, true, true));
}

TEST_CASE("a family says what is done about each kind of leak") {
    const auto action = [](Verdict verdict, Action wanted, const FactsBuilder& builder,
                           const Settings& settings = {}) {
        const auto rules =
            with_bridge_rule([&](policy::FamilyRule& rule) { rule.actions[verdict] = wanted; });
        const Judgement judgement = judged_by(rules, builder, kPid, settings);
        CHECK(judgement.verdict == verdict);
        return judgement.action;
    };
    const FactsBuilder orphan = FactsBuilder().orphan_bridge(kPid);
    const FactsBuilder superseded = FactsBuilder().daemon(kPid).listening_daemon(200);
    FactsBuilder abandoned = FactsBuilder().orphan_bridge(kPid);
    abandoned[kPid].row.ppid = kHost;
    for (const Action wanted : {Action::reap, Action::report, Action::keep}) {
        CHECK(action(Verdict::orphan, wanted, orphan) == wanted);
        CHECK(action(Verdict::superseded, wanted, superseded) == wanted);
        CHECK(action(Verdict::abandoned, wanted, abandoned) == wanted);
    }
    CHECK(action(Verdict::abandoned, Action::keep, abandoned, also({Verdict::abandoned})) ==
          Action::reap);
}

TEST_CASE("what a family only reports is not reaped by option either") {
    FactsBuilder builder =
        FactsBuilder().orphan_bridge(kPid).attached_bridge(200, kHost).attached_bridge(210, kHost);
    builder[kPid].row.ppid = kHost;
    builder[kPid].row.command_line.value.argv.pop_back();
    const Settings settings =
        also({Verdict::orphan, Verdict::abandoned, Verdict::held, Verdict::duplicate});
    const auto plan_with = [&](Action action) {
        const auto rules = with_bridge_rule(
            [&](policy::FamilyRule& rule) { rule.actions[Verdict::orphan] = action; });
        return policy::make_plan(policy::judge(builder.facts(), rules, settings, {}), 256)
            .steps.size();
    };
    CHECK(plan_with(Action::reap) == 2);
    CHECK(plan_with(Action::report) == 0);
    CHECK(plan_with(Action::keep) == 0);
}

TEST_CASE("a leak that its family says nothing about is reported") {
    const auto rules = with_bridge_rule([](policy::FamilyRule& rule) { rule.actions.clear(); });
    CHECK(judged_by(rules, FactsBuilder().orphan_bridge(kPid), kPid).action == Action::report);
}

TEST_CASE("a helper whose host is leaked itself says so, and stays") {
    FactsBuilder builder = FactsBuilder().orphan_worker(60, kGonePid).attached_bridge(kPid, 60);
    REQUIRE(judged(builder, 60).verdict == Verdict::orphan);
    Judgement judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::attached);
    CHECK(judgement.action == Action::keep);
    CHECK(has_code(judgement, "host.leaked"));
    CHECK_FALSE(has_code(judged(builder, 60), "host.leaked"));
    builder[60].standard_input = live_end();
    REQUIRE(judged(builder, 60).verdict == Verdict::held);
    CHECK_FALSE(has_code(judged(builder, kPid), "host.leaked"));
    builder = FactsBuilder().listening_daemon(200).daemon(300).attached_bridge(kPid, 300);
    REQUIRE(judged(builder, 300).verdict == Verdict::superseded);
    CHECK(has_code(judged(builder, kPid), "host.leaked"));
    builder[kPid].row.ppid = 200;
    CHECK_FALSE(has_code(judged(builder, kPid), "host.leaked"));
    builder[kPid].row.ppid = 300;
    builder[kPid].standard_input = dead_end();
    builder[kPid].standard_output = dead_end();
    REQUIRE(judged(builder, kPid).verdict == Verdict::abandoned);
    CHECK_FALSE(has_code(judged(builder, kPid), "host.leaked"));
}

TEST_CASE("a family that is told by its environment") {
    const auto rules = with_bridge_rule([](policy::FamilyRule& rule) {
        rule.programs.front().marked_variables = {"MARK", "MARK2"};
    });
    for (const char* name : {"MARK", "MARK2"}) {
        FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
        CHECK(judged_by(rules, builder, kPid).family.empty());
        builder[kPid].environment.value[name] = "";
        CHECK(is_orphan(judged_by(rules, builder, kPid)));
        builder[kPid].environment.access = scanner::Access::denied;
        CHECK(policy::make_plan(policy::judge(builder.facts(), rules, {}, {}), 256).steps.empty());
    }
}

TEST_CASE("the real path of a home is what is told, judged, and asked for") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid).real_home(kHome, "/data/plugin");
    CHECK(judged(builder, kPid).home == "/data/plugin");
    Settings settings;
    settings.homes = {"/data/plugin"};
    CHECK(planned(builder, settings) == std::vector<Pid>{kPid});
    builder.claim(claim_of(scanner::ClaimKind::bridge_pid, "/data/plugin", kPid));
    CHECK(judged(builder, kPid).verdict == Verdict::designated);
}

TEST_CASE("young: the start-up window of the family, or the user's") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    set_start(builder[kPid], kNow - 18'000);  // 180 s
    CHECK(is_orphan(judged(builder, kPid)));
    set_start(builder[kPid], kNow - 17'999);
    const Judgement young = judged(builder, kPid);
    CHECK(young.verdict == Verdict::young);
    CHECK(young.action == Action::keep);
    CHECK(vetoes_of(young) == Codes{"veto.young"});
    Settings settings;
    settings.min_age = std::chrono::milliseconds(0);
    CHECK(is_orphan(judged(builder, kPid, settings)));
    settings.min_age = std::chrono::hours(2);
    set_start(builder[kPid], kNow - kHour);
    CHECK(judged(builder, kPid, settings).verdict == Verdict::young);
    set_start(builder[kPid], kNow - 2 * kHour);
    CHECK(is_orphan(judged(builder, kPid, settings)));
}

TEST_CASE("a start in the future, or a clock that does not tick, is no age at all") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    set_start(builder[kPid], kNow + 1);
    CHECK(judged(builder, kPid).verdict == Verdict::young);
    set_start(builder[kPid], kNow - kHour);
    builder.machine().ticks_per_second = 0;
    CHECK(judged(builder, kPid).verdict == Verdict::young);
}

TEST_CASE("a live host is told before youth, abandoned and superseded wait for the window too") {
    FactsBuilder builder =
        FactsBuilder().attached_bridge(kPid, kHost).listening_daemon(200).daemon(300);
    for (const Pid pid : {kPid, 300}) set_start(builder[pid], kNow - 100);
    CHECK(judged(builder, kPid).verdict == Verdict::attached);
    CHECK(judged(builder, 300).verdict == Verdict::young);
    builder[kPid].standard_input = dead_end();
    builder[kPid].standard_output = dead_end();
    CHECK(judged(builder, kPid).verdict == Verdict::young);
    CHECK(planned(builder, also({Verdict::abandoned, Verdict::duplicate, Verdict::held})).empty());
}

TEST_CASE("inside of a service: reported, and reaped by option") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    builder[kPid].unit.value = {"hermes-gateway.service", true, kHost, true};
    const Judgement judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::orphan);
    CHECK(judgement.action == Action::report);
    CHECK(has_code(judgement, "unit.inside_service"));
    CHECK(vetoes_of(judgement).empty());
    Settings settings;
    settings.reap_inside_services = true;
    CHECK(is_orphan(judged(builder, kPid, settings)));
    builder[kPid].unit.value.name = "hermes-worker-1.scope";
    CHECK(is_orphan(judged(builder, kPid)));
}

TEST_CASE("zombie: told by its host, reported, never ended") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    ProcessFacts& process = builder[kPid];
    process.row.state = 'Z';
    process.row.ppid = kHost;
    process.row.exe = Reading<std::string>::failed(scanner::Access::gone);
    process.row.command_line.value.argv.clear();
    const Judgement judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::zombie);
    CHECK(judgement.action == Action::report);
    CHECK(vetoes_of(judgement) == Codes{"veto.zombie"});
    CHECK(planned(builder, also({Verdict::zombie, Verdict::held})).empty());
}

TEST_CASE("whose main thread has ended while others work is not dead") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    ProcessFacts& process = builder[kPid];
    process.row.state = 'Z';
    process.row.threads = 2;
    process.row.ppid = kHost;
    process.row.exe = Reading<std::string>::failed(scanner::Access::gone);
    process.row.command_line.value.argv.clear();
    const Judgement judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::unknown);
    CHECK(judgement.action == Action::report);
    CHECK(vetoes_of(judgement) == Codes{"veto.unreadable.main_thread"});
    CHECK(judgement.evidence.front().detail.find("dead") == std::string::npos);
    CHECK(planned(builder, also({Verdict::unknown, Verdict::held})).empty());
}

TEST_CASE("a zombie of another program, or of another parent, is none of ours") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    builder[kPid].row.state = 'Z';
    CHECK(judged(builder, kPid).family.empty());  // of init
    builder[kPid].row.ppid = kGonePid;
    CHECK(judged(builder, kPid).family.empty());
    builder[kPid].row.ppid = kHost;
    CHECK(judged(builder, kPid).family == "bridge");
    builder[kPid].row.comm = "mimir";
    CHECK(judged(builder, kPid).family.empty());
}

TEST_CASE("what no rule matches is not judged") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    builder[kPid].row.exe.value = "/usr/bin/vim";
    CHECK(policy::judge(builder.facts(), policy::built_in_rules(), {}, {}).empty());
    CHECK(policy::judge(FactsBuilder().facts(), policy::built_in_rules(), {}, {}).empty());
    CHECK(policy::judge({}, policy::built_in_rules(), {}, {}).empty());
    CHECK(policy::judge(FactsBuilder().orphan_bridge(kPid).facts(), {}, {}, {}).empty());
}

TEST_CASE("several things are true: the stronger verdict is told, all of the evidence is kept") {
    FactsBuilder builder = FactsBuilder().listening_daemon(kPid);
    CHECK(judged(builder, kPid).verdict == Verdict::designated);  // and it listens
    builder[kPid].unit.value.main_pid = kPid;
    CHECK(judged(builder, kPid).verdict == Verdict::designated);
    builder[kPid].same_pid_namespace.value = false;
    const Judgement judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::foreign);
    for (const char* code :
         {"veto.designated", "veto.listens", "veto.supervised", "veto.pid_namespace"}) {
        CHECK(has_code(judgement, code));
    }
    builder = FactsBuilder().attached_bridge(kPid, kHost);
    builder[kPid].tracer.access = scanner::Access::denied;
    CHECK(judged(builder, kPid).verdict == Verdict::attached);
    builder[kPid].unit.value.main_pid = kPid;
    CHECK(judged(builder, kPid).verdict == Verdict::supervised);
}

}  // namespace reaper::test
