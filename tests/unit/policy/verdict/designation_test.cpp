#include "policy/verdict/designation.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using policy::Action;
using policy::Judgement;
using policy::Verdict;
using scanner::Access;
using scanner::Claim;
using scanner::ClaimKind;
using scanner::Pid;
using Pids = std::vector<Pid>;

constexpr Pid kDaemon = 200;
constexpr Pid kSecond = 300;
constexpr Pid kOrphan = 400;

Claim bridge_pid(Pid pid) {
    return claim_of(ClaimKind::bridge_pid, kHome, pid);
}

void check_designated(const FactsBuilder& builder, Pid pid) {
    const Judgement judgement = judged(builder, pid);
    CHECK(judgement.verdict == Verdict::designated);
    CHECK(judgement.action == Action::keep);
    CHECK(has_code(judgement, "veto.designated"));
}

// No process of the home is touched, and an orphan of another home is.
void check_ambiguous(FactsBuilder builder) {
    builder.orphan_bridge(kOrphan).orphan_bridge(500);
    set_home(builder[500], "/home/u/.hermes/profiles/other/memos-plugin");
    const Judgement judgement = judged(builder, kOrphan);
    CHECK(judgement.verdict == Verdict::unknown);
    CHECK(judgement.action == Action::report);
    CHECK(vetoes_of(judgement) == std::vector<std::string>{"veto.ambiguous"});
    CHECK(planned(builder) == Pids{500});
}

}  // namespace

TEST_CASE("a daemon in another root, or of another folder at that path, is none of this home") {
    const auto fields = {&scanner::ProcessFacts::same_root, &scanner::ProcessFacts::same_home};
    for (const auto field : fields) {
        FactsBuilder builder = FactsBuilder().listening_daemon(kDaemon).daemon(kSecond);
        REQUIRE(planned(builder) == Pids{kSecond});
        (builder[kDaemon].*field).value = false;
        builder.claim(bridge_pid(kDaemon));
        CHECK(judged(builder, kDaemon).verdict == Verdict::foreign);
        CHECK(judged(builder, kSecond).verdict == Verdict::unknown);
        CHECK(has_code(judged(builder, kSecond), "no_proof"));
        (builder[kDaemon].*field).value = true;
        (builder[kSecond].*field).value = false;
        CHECK(judged(builder, kSecond).verdict == Verdict::foreign);
        CHECK_FALSE(has_code(judged(builder, kSecond), "daemon.superseded"));
        CHECK(planned(builder).empty());
    }
}

TEST_CASE("a daemon whose home is not known makes the home ambiguous") {
    FactsBuilder builder = FactsBuilder().listening_daemon(kDaemon);
    for (const Access why : {Access::not_read, Access::denied, Access::gone, Access::malformed}) {
        builder[kDaemon].same_home.access = why;
        check_ambiguous(builder);
    }
}

TEST_CASE(
    "what listens on the port is the daemon, a second one that listens on nothing is superseded") {
    const FactsBuilder builder = FactsBuilder().listening_daemon(kDaemon).daemon(kSecond);
    check_designated(builder, kDaemon);
    const Judgement second = judged(builder, kSecond);
    CHECK(second.verdict == Verdict::superseded);
    CHECK(second.action == Action::reap);
    CHECK(second.relies_on == Pids{kDaemon});
    CHECK(has_code(second, "daemon.superseded"));
    CHECK(judged(builder, kDaemon).relies_on.empty());
    CHECK(planned(builder) == Pids{kSecond});
}

TEST_CASE("none is superseded by a daemon of which it is not certain what it runs") {
    FactsBuilder builder = FactsBuilder().listening_daemon(kDaemon).daemon(kSecond);
    auto& argv = builder[kDaemon].row.command_line.value.argv;
    argv.insert(argv.begin() + 1, "--unheard-of");
    CHECK(judged(builder, kSecond).verdict == Verdict::unknown);
    CHECK(judged(builder, kDaemon).action != Action::reap);
    check_ambiguous(builder);
}

TEST_CASE("a second daemon that still has a client is not superseded") {
    FactsBuilder builder = FactsBuilder().listening_daemon(kDaemon).daemon(kSecond);
    SECTION("stdin") {
        builder[kSecond].standard_input = live_end();
    }
    SECTION("stdout") {
        builder[kSecond].standard_output = live_end();
    }
    CHECK(judged(builder, kSecond).verdict == Verdict::held);
    CHECK(planned(builder).empty());
    builder[kSecond].standard_output = live_end();
    builder[kSecond].standard_output.value.kind = scanner::EndKind::terminal;
    CHECK(has_code(judged(builder, kSecond), "veto.terminal"));
}

TEST_CASE(
    "a viewer that owns the port is the daemon, one whose stdio proves nothing is not superseded") {
    FactsBuilder builder = FactsBuilder().listening_daemon(kDaemon).daemon(kSecond);
    REQUIRE(planned(builder) == Pids{kSecond});
    for (const Pid pid : {kDaemon, kSecond}) builder[pid].row.command_line.value.argv.pop_back();
    check_designated(builder, kDaemon);
    const Judgement second = judged(builder, kSecond);
    CHECK(second.role == "viewer");
    CHECK(second.verdict == Verdict::unknown);
    CHECK(has_code(second, "no_proof"));
    CHECK_FALSE(has_code(second, "daemon.superseded"));
    CHECK(second.relies_on.empty());
    CHECK(planned(builder).empty());
    builder[kSecond].standard_input = dead_end();
    builder[kSecond].standard_output = dead_end();
    CHECK(is_orphan(judged(builder, kSecond)));
}

TEST_CASE("a daemon on another port is one as long as the port is free") {
    FactsBuilder builder = FactsBuilder().daemon(kDaemon).daemon(kSecond);
    listen_on(builder[kDaemon], 18801);
    check_designated(builder, kDaemon);
    const auto evidence = judged(builder, kDaemon).evidence;
    const auto told =
        std::find_if(evidence.begin(), evidence.end(),
                     [](const policy::Evidence& piece) { return piece.code == "veto.designated"; });
    REQUIRE(told != evidence.end());
    CHECK(told->detail ==
          "it listens, and no process owns the port of this home: the daemon that must stay");
    CHECK(judged(builder, kSecond).verdict == Verdict::superseded);
    CHECK(judged(builder, kSecond).relies_on == Pids{kDaemon});
    CHECK(planned(builder) == Pids{kSecond});
    builder[kDaemon].row.state = 'T';
    CHECK(planned(builder).empty());
    builder[kDaemon].row.state = 'S';
    builder.claim(bridge_pid(kDaemon));
    CHECK(planned(builder) == Pids{kSecond});
    listen_on(builder[kDaemon], 18800);
    check_designated(builder, kDaemon);
    CHECK(planned(builder) == Pids{kSecond});
}

TEST_CASE("what may listen for a debugger is kept, and supersedes none") {
    const auto check_none_ended = [](const FactsBuilder& builder) {
        check_designated(builder, kDaemon);
        CHECK(judged(builder, kSecond).verdict == Verdict::unknown);
        CHECK_FALSE(has_code(judged(builder, kSecond), "daemon.superseded"));
        CHECK(planned(builder).empty());
    };
    FactsBuilder works = FactsBuilder().daemon(kDaemon).daemon(kSecond);
    listen_on(works[kDaemon], 18801);
    REQUIRE(planned(works) == Pids{kSecond});
    for (const std::uint16_t port : {std::uint16_t{9229}, std::uint16_t{6499}}) {
        FactsBuilder builder = FactsBuilder().daemon(kDaemon).daemon(kSecond);
        listen_on(builder[kDaemon], port);
        check_none_ended(builder);
        listen_on(builder[kDaemon], 18801);  // and on another one
        CHECK(planned(builder) == Pids{kSecond});
    }
    for (const char* option : {"--inspect", "--inspect=0", "--inspect-brk", "--inspect-port=18801",
                               "--debug-port=18801", "--env-file=.env"}) {
        FactsBuilder builder = works;
        auto& argv = builder[kDaemon].row.command_line.value.argv;
        argv.insert(argv.begin() + 1, option);
        check_none_ended(builder);
    }
    for (const char* name : {"NODE_OPTIONS", "BUN_OPTIONS", "BUN_INSPECT"}) {
        FactsBuilder builder = works;
        builder[kDaemon].environment.value[name] = "--inspect";
        check_none_ended(builder);
    }
    FactsBuilder viewer = works;  // it ends with its host, so it serves in the place of no daemon
    viewer[kDaemon].row.command_line.value.argv.pop_back();
    check_none_ended(viewer);
}

TEST_CASE("when the port has an owner, a listener elsewhere only listens") {
    FactsBuilder builder =
        FactsBuilder().listening_daemon(kDaemon).daemon(kSecond).orphan_bridge(kOrphan);
    listen_on(builder[kSecond], 18801);
    check_designated(builder, kDaemon);
    CHECK(vetoes_of(judged(builder, kSecond)) == std::vector<std::string>{"veto.listens"});
    CHECK(judged(builder, kSecond).verdict == Verdict::unknown);
    CHECK(planned(builder) == Pids{kOrphan});
    builder.claim(bridge_pid(kDaemon));
    CHECK(planned(builder) == Pids{kOrphan});
}

TEST_CASE("a viewer whose host died is an orphan like any other") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kDaemon);
    builder[kDaemon].row.command_line.value.argv.pop_back();
    CHECK(is_orphan(judged(builder, kDaemon)));
}

TEST_CASE(
    "a headless bridge on the daemon's port is no daemon, and while it is there no one of the home "
    "is ended") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kDaemon).daemon(kSecond);
    listen_on(builder[kDaemon], 9229);
    CHECK_FALSE(has_code(judged(builder, kDaemon), "veto.designated"));
    CHECK(judged(builder, kSecond).verdict == Verdict::unknown);
    listen_on(builder[kDaemon], 18800);
    for (const Pid pid : {kDaemon, kSecond}) {
        CHECK(judged(builder, pid).verdict == Verdict::unknown);
        CHECK(has_code(judged(builder, pid), "veto.ambiguous"));
    }
    CHECK(planned(builder).empty());
    listen_on(builder[kSecond], 18800);
    CHECK(judged(builder, kSecond).verdict == Verdict::unknown);
    builder = FactsBuilder().attached_bridge(kDaemon, kHost).daemon(kSecond);
    listen_on(builder[kDaemon], 18800);
    CHECK(judged(builder, kDaemon).verdict == Verdict::attached);
    CHECK(judged(builder, kSecond).verdict == Verdict::unknown);
    builder = FactsBuilder().daemon(kDaemon).daemon(kSecond);
    builder[kDaemon].listeners.value = {{"unix", "/run/x", 0}};
    CHECK_FALSE(has_code(judged(builder, kDaemon), "veto.designated"));
}

TEST_CASE("a daemon that is held up supersedes no other") {
    const FactsBuilder works = FactsBuilder().listening_daemon(kDaemon).daemon(kSecond);
    REQUIRE(planned(works) == Pids{kSecond});
    const auto check_kept = [&](const auto& change) {
        FactsBuilder builder = works;
        change(builder[kDaemon]);
        CHECK(planned(builder).empty());
        CHECK(judged(builder, kSecond).verdict == Verdict::unknown);
    };
    for (const char state : {'T', 't', 'D'})
        check_kept([state](auto& daemon) { daemon.row.state = state; });
    check_kept([](auto& daemon) { daemon.frozen = true; });
    check_kept([](auto& daemon) { daemon.tracer.value = 77; });
}

TEST_CASE("listeners that could not be read designate none, and none supersedes") {
    FactsBuilder builder = FactsBuilder().listening_daemon(kDaemon).daemon(kSecond);
    builder[kDaemon].listeners.access = Access::denied;
    CHECK_FALSE(has_code(judged(builder, kDaemon), "veto.designated"));
    CHECK(planned(builder).empty());
    builder = FactsBuilder().listening_daemon(kDaemon).daemon(kSecond);
    builder[kSecond].listeners.access = Access::denied;
    CHECK(judged(builder, kSecond).verdict == Verdict::unknown);
    CHECK_FALSE(has_code(judged(builder, kSecond), "daemon.superseded"));
    CHECK(planned(builder).empty());
}

TEST_CASE("a zombie is no daemon, whatever was read of it before it died") {
    FactsBuilder builder = FactsBuilder().listening_daemon(kDaemon).daemon(kSecond);
    REQUIRE(planned(builder) == Pids{kSecond});
    builder[kDaemon].row.state = 'Z';
    builder[kDaemon].row.ppid = kHost;
    REQUIRE(judged(builder, kDaemon).verdict == Verdict::zombie);
    CHECK(planned(builder).empty());
}

TEST_CASE("a second daemon that listens on anything is not superseded") {
    FactsBuilder builder = FactsBuilder().listening_daemon(kDaemon).orphan_bridge(kSecond);
    builder[kSecond].standard_input = null_end();
    CHECK(judged(builder, kSecond).verdict ==
          Verdict::unknown);  // headless: the daemon is none of its business
    builder = FactsBuilder().listening_daemon(kDaemon).daemon(kSecond);
    builder[kSecond].listeners.value = {{"unix", "/run/x", 0}};
    CHECK(vetoes_of(judged(builder, kSecond)) == std::vector<std::string>{"veto.listens"});
    CHECK_FALSE(has_code(judged(builder, kSecond), "daemon.superseded"));
}

TEST_CASE("superseded needs the port: a pid file alone keeps its daemon and ends none") {
    const FactsBuilder builder =
        FactsBuilder().daemon(kDaemon).daemon(kSecond).claim(bridge_pid(kDaemon));
    check_designated(builder, kDaemon);
    CHECK(judged(builder, kSecond).verdict == Verdict::unknown);
    CHECK(planned(builder).empty());
}

TEST_CASE("superseded needs a dead host, and the start-up window to be over") {
    FactsBuilder builder = FactsBuilder().listening_daemon(kDaemon).daemon(kSecond);
    REQUIRE(planned(builder) == Pids{kSecond});
    builder[kSecond].row.ppid = kHost;
    CHECK(judged(builder, kSecond).verdict == Verdict::attached);
    CHECK(vetoes_of(judged(builder, kSecond)) == std::vector<std::string>{"veto.live_host"});
    builder[kSecond].row.ppid = 1;
    set_start(builder[kSecond], kNow - 1000);
    CHECK(judged(builder, kSecond).verdict == Verdict::young);
    CHECK(planned(builder).empty());
}

TEST_CASE("no daemon of another home or user supersedes") {
    FactsBuilder builder = FactsBuilder().listening_daemon(kDaemon).daemon(kSecond);
    set_home(builder[kSecond], "/srv/other");
    CHECK(judged(builder, kSecond).verdict == Verdict::unknown);
    builder = FactsBuilder().listening_daemon(kDaemon).daemon(kSecond);
    set_uid(builder[kDaemon], kUser + 1);
    CHECK(judged(builder, kSecond).verdict == Verdict::unknown);
    CHECK(planned(builder).empty());
    set_home(builder[kSecond], kHome + "//");  // only spelled differently
    set_uid(builder[kDaemon], kUser);
    CHECK(judged(builder, kSecond).verdict == Verdict::superseded);
}

TEST_CASE("a pid file protects even a headless bridge with dead ends") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kOrphan);
    REQUIRE(is_orphan(judged(builder, kOrphan)));
    builder.claim(bridge_pid(kOrphan));
    check_designated(builder, kOrphan);
    CHECK(vetoes_of(judged(builder, kOrphan)) == std::vector<std::string>{"veto.designated"});
    builder.claim(bridge_pid(kOrphan));  // said twice is said once
    check_designated(builder, kOrphan);
}

TEST_CASE("a stale or foreign pid file, or one of another home, designates none") {
    void (*const changes[])(Claim&) = {
        [](Claim& file) { file.written_epoch = kNowEpoch - 4000; },  // the pid was handed out again
        [](Claim& file) { file.owner = kUser + 1; },
        [](Claim& file) { file.scope = kUser + 1; },
        [](Claim& file) { file.access = Access::gone; },
        [](Claim& file) { file.pid = kGonePid; },
        [](Claim& file) { file.start_ticks = 7; },
        [](Claim& file) { file.home = "/srv/other"; },
        [](Claim& file) { file.kind = ClaimKind::bridge_stdio_pid; },
    };
    for (const auto& change : changes) {
        Claim file = bridge_pid(kOrphan);
        change(file);
        CHECK(is_orphan(judged(FactsBuilder().orphan_bridge(kOrphan).claim(file), kOrphan)));
    }
}

TEST_CASE("port and pid file agree: no doubt") {
    const FactsBuilder builder =
        FactsBuilder().listening_daemon(kDaemon).claim(bridge_pid(kDaemon)).orphan_bridge(kOrphan);
    check_designated(builder, kDaemon);
    CHECK(planned(builder) == Pids{kOrphan});
}

TEST_CASE("ambiguous: the port and the pid file name two living processes") {
    check_ambiguous(
        FactsBuilder().listening_daemon(kDaemon).daemon(kSecond).claim(bridge_pid(kSecond)));
}

TEST_CASE("ambiguous: two processes of one home own the port") {
    for (const Pid named : {kDaemon, kSecond, kGonePid}) {
        FactsBuilder builder =
            FactsBuilder().listening_daemon(kDaemon).daemon(kSecond).claim(bridge_pid(named));
        listen_on(builder[kSecond], 18800);
        check_ambiguous(builder);
    }
}

TEST_CASE("ambiguous: no process owns the port, and several listen elsewhere") {
    FactsBuilder builder = FactsBuilder().daemon(kDaemon).daemon(kSecond);
    listen_on(builder[kDaemon], 18801);
    listen_on(builder[kSecond], 18802);
    check_ambiguous(builder);
}

TEST_CASE("ambiguous: what listens elsewhere is not what the pid file names") {
    FactsBuilder builder =
        FactsBuilder().daemon(kDaemon).daemon(kSecond).claim(bridge_pid(kSecond));
    CHECK_FALSE(has_code(judged(builder, kSecond), "veto.ambiguous"));
    listen_on(builder[kDaemon], 18801);
    check_ambiguous(builder);
    builder = FactsBuilder().listening_daemon(kDaemon).daemon(kSecond).claim(bridge_pid(kSecond));
    listen_on(builder[kSecond], 18801);
    check_ambiguous(builder);
    builder = FactsBuilder().daemon(kDaemon).claim(bridge_pid(kDaemon)).orphan_bridge(kOrphan);
    listen_on(builder[kDaemon], 18801);
    check_designated(builder, kDaemon);
    CHECK(planned(builder) == Pids{kOrphan});
}

TEST_CASE("ambiguous: two pid files name two processes") {
    check_ambiguous(FactsBuilder()
                        .daemon(kDaemon)
                        .daemon(kSecond)
                        .claim(bridge_pid(kDaemon))
                        .claim(bridge_pid(kSecond)));
}

TEST_CASE("ambiguous: a pid file that could not be read or understood") {
    Claim file = bridge_pid(0);
    for (const Access access : {Access::denied, Access::malformed, Access::not_read}) {
        file.access = access;
        check_ambiguous(FactsBuilder().claim(file));
        check_ambiguous(FactsBuilder().listening_daemon(kDaemon).claim(file));
    }
    file.scope = kUser + 1;
    CHECK(is_orphan(judged(FactsBuilder().orphan_bridge(kOrphan).claim(file), kOrphan)));
    file.scope = kUser;
    file.home = "/srv/other";
    CHECK(is_orphan(judged(FactsBuilder().orphan_bridge(kOrphan).claim(file), kOrphan)));
}

TEST_CASE("two spellings of a home are one home, once the system says so") {
    const std::string link = "/home/u/link";
    FactsBuilder builder = FactsBuilder().listening_daemon(kDaemon).daemon(kSecond);
    set_home(builder[kSecond], link);
    CHECK(judged(builder, kSecond).home == link);
    CHECK(planned(builder).empty());
    builder.real_home(link, kHome);
    CHECK(judged(builder, kSecond).home == kHome);
    CHECK(judged(builder, kSecond).verdict == Verdict::superseded);
    CHECK(planned(builder) == Pids{kSecond});
}

TEST_CASE("families without daemons know no designation") {
    const FactsBuilder builder = FactsBuilder()
                                     .orphan_worker(kOrphan, kGonePid)
                                     .claim(claim_of(ClaimKind::bridge_pid, kHermesHome, kOrphan));
    CHECK(is_orphan(judged(builder, kOrphan)));
}

}  // namespace reaper::test
