// Every verdict of parent, stdio and age, vetoes aside.
#include "policy/judge.hpp"
#include "policy/leak.hpp"
#include "tests/policy/judged.hpp"
#include "tests/support/catch.hpp"

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
    for (const char* code : {"parent.adopter", "stdin.dead", "stdout.dead"}) CHECK(has_code(judgement, code));
    REQUIRE(judgement.evidence.size() == 3);
    CHECK(judgement.evidence[0].detail == "parent is init (pid 1)");
}

TEST_CASE("adopted: what the two stdio ends make of a helper") {
    const FactsBuilder orphan = FactsBuilder().orphan_bridge(kPid);
    const PeerState dead = PeerState::dead;
    const PeerState alive = PeerState::alive;
    const PeerState unknown = PeerState::unknown;
    CHECK(is_orphan(judged_with(orphan, dead, dead)));
    for (const auto& [input, output] : {std::pair(alive, alive), std::pair(alive, dead), std::pair(dead, alive),
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

TEST_CASE("held names who holds, and is reaped by option") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    builder[kPid].standard_input.value = {EndKind::pipe, PeerState::alive, 1, {61, 62}};
    const Judgement judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::held);
    REQUIRE(has_code(judgement, "stdin.alive"));
    CHECK(judgement.evidence[1].detail == "somebody holds the other end of its stdin (pid 61, 62)");
    CHECK(planned(builder).empty());
    CHECK(planned(builder, also({Verdict::held})) == std::vector<Pid>{kPid});
    CHECK(planned(builder, also({Verdict::abandoned, Verdict::duplicate})).empty());
}

TEST_CASE("a terminal as stdio keeps, whatever its other end says") {
    for (const bool input : {true, false}) {
        FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
        REQUIRE(is_orphan(judged(builder, kPid)));
        (input ? builder[kPid].standard_input : builder[kPid].standard_output).value.kind = EndKind::terminal;
        const Judgement judgement = judged(builder, kPid);
        CHECK(judgement.verdict == Verdict::attached);
        CHECK(judgement.action == Action::keep);
        CHECK(vetoes_of(judgement) == Codes{"veto.terminal"});
    }
}

TEST_CASE("a recorded host that is dead proves what stdio cannot") {
    FactsBuilder builder = FactsBuilder().orphan_worker(kPid, kGonePid);
    builder[kPid].standard_input = null_end();
    builder[kPid].standard_output = null_end();
    Judgement judgement = judged(builder, kPid);
    CHECK(is_orphan(judgement));
    CHECK(has_code(judgement, "recorded_parent.dead"));
    CHECK(judgement.grace == std::chrono::seconds(3));
    // Who is not seen under hidepid may well be alive.
    builder.machine().hides_processes = true;
    judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::unknown);
    CHECK_FALSE(has_code(judgement, "recorded_parent.dead"));
    // Somebody holds its stdin: that outweighs the record.
    builder.machine().hides_processes = false;
    builder[kPid].standard_input = live_end();
    CHECK(judged(builder, kPid).verdict == Verdict::held);
}

TEST_CASE("a recorded host that is alive keeps; one that began later is another process") {
    FactsBuilder builder = FactsBuilder().orphan_worker(kPid, kHost);
    Judgement judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::attached);
    CHECK(vetoes_of(judgement) == Codes{"veto.recorded_parent"});
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

TEST_CASE("abandoned: a live host, but both ends are dead; reaped by option") {
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

TEST_CASE("a daemon with a live host is attached whatever its stdio says: it is meant to go on without") {
    FactsBuilder builder = FactsBuilder().daemon(kPid);
    builder[kPid].row.ppid = kHost;
    builder[kPid].standard_input = dead_end();
    builder[kPid].standard_output = dead_end();
    CHECK(judged(builder, kPid).verdict == Verdict::attached);
    builder[kPid].row.ppid = 1;
    CHECK(judged(builder, kPid).verdict == Verdict::unknown);  // adopted by design
    CHECK(planned(builder, also({Verdict::held, Verdict::abandoned, Verdict::duplicate})).empty());
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

TEST_CASE("a live host is told before youth; abandoned and superseded wait for the window too") {
    FactsBuilder builder = FactsBuilder().attached_bridge(kPid, kHost).listening_daemon(200).daemon(300);
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
    CHECK(policy::judge(builder.facts(), policy::built_in_rules(), {}).empty());
    CHECK(policy::judge(FactsBuilder().facts(), policy::built_in_rules(), {}).empty());
    CHECK(policy::judge({}, policy::built_in_rules(), {}).empty());
    CHECK(policy::judge(FactsBuilder().orphan_bridge(kPid).facts(), {}, {}).empty());
}

TEST_CASE("several things are true: the stronger verdict is told, all of the evidence is kept") {
    FactsBuilder builder = FactsBuilder().listening_daemon(kPid);
    CHECK(judged(builder, kPid).verdict == Verdict::designated);  // and it listens
    builder[kPid].unit.value.main_pid = kPid;
    CHECK(judged(builder, kPid).verdict == Verdict::designated);
    builder[kPid].same_pid_namespace.value = false;
    const Judgement judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::foreign);
    for (const char* code : {"veto.designated", "veto.listens", "veto.supervised", "veto.pid_namespace"}) {
        CHECK(has_code(judgement, code));
    }
    builder = FactsBuilder().attached_bridge(kPid, kHost);
    builder[kPid].tracer.access = scanner::Access::denied;
    CHECK(judged(builder, kPid).verdict == Verdict::attached);
    builder[kPid].unit.value.main_pid = kPid;
    CHECK(judged(builder, kPid).verdict == Verdict::supervised);
}

}  // namespace reaper::test
