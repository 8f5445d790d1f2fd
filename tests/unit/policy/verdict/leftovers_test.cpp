// What speaks of a leak besides dead ends: a deleted folder, a lost terminal, leaked hosts and
// holders; and what only explains it.
#include "policy/rules/origin_marks.hpp"
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
using scanner::Reading;
using scanner::StdioEnd;

constexpr Pid kPid = 100;
constexpr Pid kLeader = 90;

Reading<StdioEnd> closed_terminal() {
    return Reading<StdioEnd>::of({EndKind::terminal, PeerState::dead, 5, {}});
}

FactsBuilder silent_orphan() {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    builder[kPid].standard_input = null_end();
    builder[kPid].standard_output = null_end();
    return builder;
}

FactsBuilder without_terminal() {
    FactsBuilder builder = silent_orphan();
    builder[kPid].standard_input = closed_terminal();
    builder[kPid].row.session = kLeader;
    return builder;
}

// Its own leaks are only reported.
policy::Rules reporting(const std::string& family) {
    policy::Rules rules = policy::built_in_rules();
    for (policy::FamilyRule& rule : rules.families) {
        if (rule.name == family) rule.actions[Verdict::orphan] = Action::report;
    }
    return rules;
}

}  // namespace

TEST_CASE("a deleted working folder is evidence, and never suffices") {
    FactsBuilder builder = silent_orphan();
    CHECK_FALSE(has_code(judged(builder, kPid), "cwd.deleted"));
    builder[kPid].cwd_deleted = true;
    CHECK(has_code(judged(builder, kPid), "cwd.deleted"));
    CHECK(judged(builder, kPid).verdict == Verdict::unknown);
    CHECK(planned(builder, also({Verdict::abandoned, Verdict::held, Verdict::duplicate})).empty());
    builder[kPid].row.ppid = kHost;
    CHECK_FALSE(has_code(judged(builder, kPid), "cwd.deleted"));  // its host may know better
}

TEST_CASE("a terminal is gone when it is closed and the leader of the session has ended") {
    FactsBuilder builder = without_terminal();
    CHECK(has_code(judged(builder, kPid), "terminal.gone"));
    CHECK(judged(builder, kPid).verdict == Verdict::unknown);
    CHECK(planned(builder).empty());

    auto leader = row(kLeader, 1, "/usr/bin/bash", {"bash"});
    leader.start_ticks = kNow - 2 * kHour;
    CHECK_FALSE(has_code(judged(without_terminal().relative(leader), kPid), "terminal.gone"));
    leader.start_ticks = kNow - kHour / 2;  // another process with that pid
    CHECK(has_code(judged(without_terminal().relative(leader), kPid), "terminal.gone"));
    CHECK_FALSE(has_code(judged(without_terminal().unread(kLeader), kPid), "terminal.gone"));

    builder[kPid].row.session = 0;  // in another pid namespace
    CHECK_FALSE(has_code(judged(builder, kPid), "terminal.gone"));
    builder[kPid].row.session = kPid;
    CHECK(has_code(judged(builder, kPid), "terminal.gone"));
    builder[kPid].standard_input.value.peer = PeerState::alive;
    CHECK_FALSE(has_code(judged(builder, kPid), "terminal.gone"));
    builder = without_terminal();
    builder.machine().hides_processes = true;
    CHECK_FALSE(has_code(judged(builder, kPid), "terminal.gone"));
}

TEST_CASE("what listens, and has no client, says so and stays") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
    const auto listens = [&](Reading<std::vector<std::uint64_t>> clients) {
        builder[kPid].listeners =
            Reading<std::vector<scanner::Listener>>::of({{"tcp", "127.0.0.1", 9, {}, clients}});
        return judged(builder, kPid);
    };
    using Clients = Reading<std::vector<std::uint64_t>>;
    const Judgement lonely = listens(Clients::of({}));
    CHECK(has_code(lonely, "listens.no_peer"));
    CHECK(lonely.action == Action::report);
    CHECK(vetoes_of(lonely) == std::vector<std::string>{"veto.listens"});
    CHECK_FALSE(has_code(listens(Clients::of({7})), "listens.no_peer"));
    CHECK_FALSE(has_code(listens(Clients::failed(scanner::Access::denied)), "listens.no_peer"));
}

TEST_CASE("the marks of hosts explain a process, and prove nothing") {
    FactsBuilder builder = silent_orphan();
    auto& environment = builder[kPid].environment.value;
    for (const policy::OriginMark& mark : policy::kOriginMarks)
        environment[std::string(mark.variable)] = "x1";
    const Judgement judgement = judged(builder, kPid);
    CHECK(judgement.verdict == Verdict::unknown);
    std::vector<std::string> told;
    for (const auto& piece : judgement.evidence) {
        if (piece.code != "started.by") continue;
        CHECK(piece.weight == policy::Weight::note);
        told.push_back(piece.detail);
    }
    REQUIRE(told.size() == 7);  // one a host
    CHECK(told.front() ==
          "Claude Code started it, or what it descends from (CLAUDE_CODE_SESSION_ID x1)");
    environment.clear();
    environment["CLAUDECODE"] = "";
    CHECK_FALSE(has_code(judged(builder, kPid), "started.by"));
}

TEST_CASE("below a leaked host that is only reported everything is held") {
    // worker 60, of which the bridge 100 is a child, and that of bridge 110
    FactsBuilder builder = FactsBuilder()
                               .orphan_worker(60, kGonePid)
                               .attached_bridge(kPid, 60)
                               .attached_bridge(110, kPid);
    CHECK(judged(builder, kPid).verdict == Verdict::attached);  // the worker ends, and it with it
    const auto rules = reporting("slash_worker");
    for (const Pid pid : {kPid, Pid{110}}) {
        const Judgement below = judged_by(rules, builder, pid, also({Verdict::held}));
        CHECK(below.verdict == Verdict::held);
        CHECK(below.action == Action::report);
        CHECK(has_code(below, "host.leaked"));
        CHECK_FALSE(has_code(below, "veto.live_host"));
    }
}

TEST_CASE("what only leaked processes could write to says so") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kPid).orphan_bridge(200);
    builder[kPid].standard_input = live_end();
    builder[kPid].standard_input.value.holders = {200};
    CHECK(judged(builder, kPid).verdict == Verdict::held);
    CHECK(has_code(judged(builder, kPid), "stdin.held_by_leaked"));
    CHECK(judged(builder, kPid).action == Action::report);
    builder[kPid].standard_input.value.holders = {200, kHost};
    CHECK_FALSE(has_code(judged(builder, kPid), "stdin.held_by_leaked"));
    builder[kPid].standard_input.value.holders = {};
    CHECK_FALSE(has_code(judged(builder, kPid), "stdin.held_by_leaked"));
}

TEST_CASE("a shell that only runs a helper, and has lost its own parent, is no host") {
    const auto below_shell = [](Pid parent) {
        FactsBuilder builder = FactsBuilder().orphan_bridge(kPid);
        auto shell = row(60, parent, "/usr/bin/dash", {"sh", "-c", "node bridge.mjs"});
        shell.start_ticks = kNow - 2 * kHour;
        builder.wrapper(shell);
        builder[kPid].row.ppid = 60;
        return builder;
    };
    const Judgement orphan = judged(below_shell(1), kPid);
    CHECK(is_orphan(orphan));
    CHECK(orphan.evidence.front().detail == "pid 60 only runs it, and its parent is init (pid 1)");
    CHECK(judged(below_shell(kHost), kPid).verdict == Verdict::abandoned);

    FactsBuilder used = below_shell(1);
    used[kPid].standard_output = live_end();
    CHECK(judged(used, kPid).verdict == Verdict::attached);

    FactsBuilder of_run = FactsBuilder().orphan_bridge(kPid);
    of_run.wrapper(row(60, 1, "/usr/bin/orphan-reaper", {"orphan-reaper", "run"}));
    of_run[kPid].row.ppid = 60;
    set_start(of_run[kPid], kNow - kHour / 2);
    CHECK(judged(of_run, kPid).verdict == Verdict::abandoned);
}

}  // namespace reaper::test
