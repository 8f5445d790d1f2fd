// What stands below a leaked process and stays, holds it; what goes with it anyway does not.
#include "policy/verdict/descendant_vetoes.hpp"

#include <chrono>

#include "policy/verdict/runner.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using reaper::policy::Action;
using reaper::policy::Judgement;
using reaper::policy::Verdict;
using reaper::scanner::Pid;
using reaper::scanner::ProcessFacts;
using Pids = std::vector<Pid>;

constexpr Pid kTop = 100;
constexpr Pid kShell = 101;
constexpr Pid kServer = 102;

Judgement of(const FactsBuilder& builder, Pid pid) {
    return judged_by(all_rules(), builder, pid, {});
}

// `npx mcp-server-x` as npm runs it, its host gone: npm, sh and what it runs, of which the last is
// no member by its name.
FactsBuilder npx(const std::string& server = "/usr/lib/server.js") {
    FactsBuilder builder;
    builder.orphan(row(kTop, 1, "/usr/bin/node", {"npm exec mcp-server-x", "", ""}));
    builder.below(row(kShell, kTop, "/usr/bin/dash", {"sh", "-c", "mcp-server-x"}));
    builder.below(row(kServer, kShell, "/usr/bin/node", {"node", server}));
    return builder;
}

// A worker of slash commands that lost its host, and a bridge that it has started.
FactsBuilder worker_with_bridge() {
    FactsBuilder builder =
        FactsBuilder().orphan_worker(kTop, kGonePid).attached_bridge(kServer, kTop);
    REQUIRE(planned(builder) == Pids{kTop});
    return builder;
}

void check_held(const FactsBuilder& builder, Pid pid = kTop) {
    const Judgement judgement = of(builder, pid);
    CHECK(vetoes_of(judgement) == std::vector<std::string>{"veto.descendant"});
    CHECK(judgement.verdict == Verdict::orphan);
    CHECK(judgement.action == Action::report);
}

template <class Change>
void check_holds_npx(const Change& change) {
    FactsBuilder builder = npx();
    REQUIRE(is_orphan(of(builder, kTop)));
    change(builder.last_below());
    check_held(builder);
}

template <class Change>
void check_bridge_holds(const Change& change) {
    FactsBuilder builder = worker_with_bridge();
    change(builder[kServer]);
    check_held(builder);
}

}  // namespace

TEST_CASE("descendants: what a runner runs holds it by whatever would be a veto") {
    check_holds_npx([](ProcessFacts& server) { listen_on(server, 8080); });
    check_holds_npx(
        [](ProcessFacts& server) { server.listeners.value.push_back({"unix", "@x", 0}); });
    check_holds_npx([](ProcessFacts& server) { server.listeners = {}; });
    check_holds_npx([](ProcessFacts& server) { server.tracer.value = 77; });
    check_holds_npx([](ProcessFacts& server) { server.tracer = {}; });
    check_holds_npx([](ProcessFacts& server) { set_uid(server, kUser + 1); });
    check_holds_npx([](ProcessFacts& server) { server.uids.value.effective = 0; });
    check_holds_npx([](ProcessFacts& server) { server.same_pid_namespace.value = false; });
    check_holds_npx([](ProcessFacts& server) { server.same_root.value = false; });
    check_holds_npx(
        [](ProcessFacts& server) { server.unit.value = {"x.service", true, kServer, true}; });
    check_holds_npx([](ProcessFacts& server) { set_start(server, kNow - 100); });
    check_holds_npx([](ProcessFacts& server) {
        server.row.session = kServer;
        server.row.tty = 34816;
    });
}

TEST_CASE("descendants: a rule that protects one protects what runs it") {
    policy::Rules rules = all_rules();
    rules.protect.push_back({"rules.json", "", {"/usr/lib/server.js"}, ""});
    CHECK(vetoes_of(judged_by(rules, npx(), kTop, {})) ==
          std::vector<std::string>{"veto.descendant"});
    CHECK(is_orphan(judged_by(rules, npx("/usr/lib/other.js"), kTop, {})));
}

TEST_CASE(
    "descendants: a server that is a member itself holds npm by its own vetoes, and not by its "
    "parent") {
    FactsBuilder builder = npx();
    builder.orphan(
        row(103, kShell, "/usr/bin/node",
            {"node", "/home/u/.npm/_npx/0123456789abcdef/node_modules/.bin/mcp-server-x"}));
    CHECK(of(builder, 103).verdict == Verdict::abandoned);
    CHECK(is_orphan(of(builder, kTop)));
    builder[103].standard_input = live_end();
    CHECK(of(builder, 103).verdict == Verdict::attached);
    CHECK(is_orphan(of(builder, kTop)));
    listen_on(builder[103], 8080);
    check_held(builder);
}

TEST_CASE("descendants: what a member that is no runner has started is its own") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kTop);
    builder.below(row(kServer, kTop, "/usr/bin/node", {"node", "/x/worker.js"}));
    listen_on(builder.last_below(), 8080);
    CHECK(is_orphan(of(builder, kTop)));
    builder = npx();
    builder.orphan(
        row(103, kShell, "/usr/bin/node",
            {"node", "/home/u/.npm/_npx/0123456789abcdef/node_modules/.bin/mcp-server-x"}));
    builder.below(row(104, 103, "/usr/bin/chromium", {"chromium"}));
    builder.last_below().listeners.value.push_back({"unix", "@browser", 0});
    CHECK(is_orphan(of(builder, kTop)));
    builder.last_below().row.ppid = kShell;
    check_held(builder);
}

TEST_CASE("descendants: only what a runner itself has started may be about to listen") {
    FactsBuilder builder = npx();
    builder.below(row(103, kServer, "/usr/bin/git", {"git", "status"}));
    set_start(builder.last_below(), kNow - 100);
    CHECK(is_orphan(of(builder, kTop)));
}

TEST_CASE("descendants: the dead hold nothing") {
    FactsBuilder builder = npx();
    listen_on(builder.last_below(), 8080);
    builder.last_below().row.state = 'Z';
    CHECK(is_orphan(of(builder, kTop)));
    builder.last_below().row.threads = 2;
    check_held(builder);
}

TEST_CASE("descendants: a member holds its leaked host by any veto but that host") {
    check_bridge_holds([](ProcessFacts& bridge) { listen_on(bridge, 9229); });
    check_bridge_holds([](ProcessFacts& bridge) { bridge.tracer.value = 77; });
    check_bridge_holds([](ProcessFacts& bridge) { bridge.listeners = {}; });
    check_bridge_holds([](ProcessFacts& bridge) { set_start(bridge, kNow - 100); });
    check_bridge_holds(
        [](ProcessFacts& bridge) { bridge.environment.value["SYSTEMD_EXEC_PID"] = "102"; });
    check_bridge_holds([](ProcessFacts& bridge) {
        bridge.row.session = kServer;
        bridge.row.tty = 34816;
    });
    // However far below.
    FactsBuilder builder = worker_with_bridge();
    builder.below(row(kShell, kTop, "/usr/bin/dash", {"sh", "-c", "bridge"}));
    builder[kServer].row.ppid = kShell;
    CHECK(is_orphan(of(builder, kTop)));
    listen_on(builder[kServer], 9229);
    check_held(builder);
}

TEST_CASE("descendants: a daemon that left the session of its host goes on without it") {
    FactsBuilder builder = FactsBuilder().orphan_worker(kTop, kGonePid).listening_daemon(kServer);
    builder[kServer].row.ppid = kTop;
    CHECK(planned(builder) == Pids{kTop});
    builder[kServer].row.session = builder[kTop].row.session;
    check_held(builder);
}

TEST_CASE("descendants: what is held holds in turn") {
    FactsBuilder builder = FactsBuilder().orphan_worker(kTop, kGonePid);
    builder.orphan(row(kShell, kTop, "/usr/bin/node", {"npm exec mcp-server-x", "", ""}));
    builder.below(row(kServer, kShell, "/usr/bin/node", {"node", "/usr/lib/server.js"}));
    listen_on(builder.last_below(), 8080);
    CHECK(
        is_orphan(of(builder, kTop)));  // npm has a live host, and so is no step that could be held
    builder[kShell].tracer.value = 77;
    check_held(builder);
}

TEST_CASE("descendants: what could not be looked at is unknown") {
    FactsBuilder builder = npx().unseen_below(kTop);
    CHECK(of(builder, kTop).verdict == Verdict::unknown);
    CHECK(vetoes_of(of(builder, kTop)) == std::vector<std::string>{"veto.unreadable.descendants"});
    CHECK(is_orphan(of(npx().unseen_below(kServer), kTop)));
}

TEST_CASE("descendants: a member that leads the session of a terminal is not ended") {
    FactsBuilder builder = FactsBuilder().orphan_bridge(kTop);
    builder[kTop].row.tty = 34816;
    CHECK(is_orphan(of(builder, kTop)));
    builder[kTop].row.session = kTop;
    CHECK(vetoes_of(of(builder, kTop)) == std::vector<std::string>{"veto.leads_terminal"});
    CHECK(planned(builder).empty());
}

TEST_CASE("descendants: a member that has started the session of a terminal would hang it up") {
    FactsBuilder builder = FactsBuilder().orphan_worker(kTop, kGonePid);
    builder.below(row(kShell, kTop, "/usr/bin/bash", {"bash"}));
    builder.last_below().row.session = kShell;
    REQUIRE(is_orphan(of(builder, kTop)));
    builder.last_below().row.tty = 34816;
    check_held(builder);
    builder.last_below().row.state = 'Z';
    CHECK(is_orphan(of(builder, kTop)));
}

TEST_CASE("descendants: a launcher and its bridge are one unit, whichever of them stays") {
    FactsBuilder builder = FactsBuilder().orphan_pair(kTop, kShell);
    CHECK(planned(builder) == Pids{kShell, kTop});
    listen_on(builder[kShell], 9229);
    CHECK(vetoes_of(of(builder, kTop)) == std::vector<std::string>{"veto.partner"});
    CHECK(planned(builder).empty());
}

// A user can start thousands of processes, each below the last one: root's sweep for all users has
// to get past them.
TEST_CASE("descendants: a long line of processes costs no more than its square") {
    constexpr Pid kLength = 3000;
    FactsBuilder builder;
    builder.orphan_bridge(kTop);
    SECTION("beside what is to end") {}
    SECTION("below what is to end") {
        builder.attached_bridge(kTop + 1, kTop);
    }
    for (Pid pid = kTop + 2; pid < kTop + kLength; ++pid) builder.attached_bridge(pid, pid - 1);
    const auto began = std::chrono::steady_clock::now();
    CHECK(planned(builder) == Pids{kTop});
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(20));
}

TEST_CASE("runners are told by executable, name and script") {
    const auto is_runner = [](const char* exe, std::vector<std::string> argv) {
        return policy::is_runner(row(1, 0, exe, std::move(argv)));
    };
    CHECK(is_runner("/usr/bin/node", {"npm exec mcp-x", ""}));
    CHECK(
        is_runner("/usr/bin/node", {"node", "/usr/lib/node_modules/npm/bin/npx-cli.js", "mcp-x"}));
    CHECK(
        is_runner("/usr/bin/node", {"node", "--no-warnings", "/x/node_modules/.bin/tsx", "y.ts"}));
    CHECK(is_runner("/usr/bin/node", {"node", "/x/tsx/dist/cli.mjs", "y.ts"}));
    CHECK(is_runner("/usr/bin/dash", {"sh", "-c", "x"}));
    CHECK(is_runner("/usr/bin/bash", {"-bash"}));
    CHECK(is_runner("/usr/bin/timeout", {"timeout", "5", "x"}));
    CHECK(is_runner("/home/u/.local/bin/uv", {"uv", "run", "x"}));
    CHECK(is_runner("/usr/bin/bun", {"bun", "x", "y"}));
    CHECK_FALSE(is_runner("/usr/bin/bun", {"bun", "server.ts"}));
    CHECK_FALSE(is_runner("/usr/bin/node", {"node", "/x/dist/bridge.mjs", "npx"}));
    CHECK_FALSE(is_runner("/usr/bin/python3.11", {"python3", "-m", "tui_gateway.slash_worker"}));
    CHECK_FALSE(is_runner("/usr/bin/node", {}));
}

}  // namespace reaper::test
