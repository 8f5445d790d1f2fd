// What stands below a leaked process: the cases that only one condition decides.
#include "policy/rules/run_mark.hpp"
#include "policy/verdict/descendant_vetoes.hpp"
#include "policy/verdict/runner.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using policy::Action;
using policy::Judgement;
using policy::Settings;
using policy::Verdict;
using scanner::Access;
using scanner::Pid;
using scanner::ProcessFacts;

constexpr Pid kTop = 100;
constexpr Pid kMiddle = 101;
constexpr Pid kBottom = 102;
constexpr std::uint64_t kStartUp = 18'000;  // ticks of the 180 s that these families have

Judgement top_of(const FactsBuilder& builder, const Settings& settings = {}) {
    return judged_by(all_rules(), builder, kTop, settings);
}

bool is_held(const FactsBuilder& builder, const Settings& settings = {}) {
    const Judgement judgement = top_of(builder, settings);
    const bool held = has_code(judgement, "veto.descendant");
    CHECK(held == (judgement.action != Action::reap));
    return held;
}

// npm, whose host is gone.
FactsBuilder npm() {
    FactsBuilder builder;
    builder.orphan(row(kTop, 1, "/usr/bin/node", {"npm exec mcp-server-x", "", ""}));
    return builder;
}

// The same with a server below it that is no member.
FactsBuilder npm_with_server() {
    return npm().below(row(kBottom, kTop, "/usr/bin/node", {"node", "/usr/lib/server.js"}));
}

FactsBuilder npm_with_server_in(const scanner::ServiceUnit& unit) {
    FactsBuilder builder = npm_with_server();
    builder.last_below().unit.value = unit;
    return builder;
}

// npm, and a bridge below it that it did not start itself, to which another process still talks.
FactsBuilder npm_with_held_bridge() {
    FactsBuilder builder = npm().attached_bridge(kBottom, kTop);
    builder[kBottom].row.session = 41;
    return builder;
}

}  // namespace

TEST_CASE("below: what is as old as its start-up is no longer starting") {
    FactsBuilder builder = npm_with_server();
    set_start(builder.last_below(), kNow - kStartUp);
    CHECK_FALSE(is_held(builder));
    set_start(builder.last_below(), kNow - kStartUp + 1);
    CHECK(is_held(builder));
}

TEST_CASE("below: a process of a service whose main process is not known may be that one") {
    const auto none = std::nullopt;
    CHECK(is_held(npm_with_server_in({"x.service", true, none, true})));
    CHECK_FALSE(is_held(npm_with_server_in({"x.service", true, none, false})));
    CHECK_FALSE(is_held(npm_with_server_in({"x.service", true, kHost, true})));
    CHECK_FALSE(is_held(npm_with_server_in({"x.scope", true, none, true})));
}

TEST_CASE("below: a candidate that no family claims holds like any other process") {
    FactsBuilder builder = npm();
    builder.orphan(row(kBottom, kTop, "/usr/bin/node", {"node", "/usr/lib/server.js"}));
    REQUIRE(judged_by(all_rules(), builder, kBottom).family.empty());
    CHECK_FALSE(is_held(builder));
    listen_on(builder[kBottom], 8080);
    CHECK(is_held(builder));
}

TEST_CASE("below: a dead process holds no runner, of whatever user and age it was") {
    FactsBuilder builder = npm_with_server();
    builder.last_below().row.state = 'Z';
    set_uid(builder.last_below(), kUser + 1);
    set_start(builder.last_below(), kNow - 100);
    CHECK_FALSE(is_held(builder));
}

TEST_CASE("below: what `run` started for a host that lives elsewhere holds what is above") {
    FactsBuilder builder = npm();
    scanner::ProcessRow host = row(60, 1, "/usr/bin/zsh", {"zsh"});
    host.start_ticks = kNow - 2 * kHour;
    builder.relative(host);
    builder.below(row(kMiddle, kTop, "/usr/bin/orphan-reaper", {"orphan-reaper", "run"}));
    builder.attached_bridge(kBottom, kMiddle);
    CHECK_FALSE(is_held(builder));
    builder[kBottom].environment.value[std::string(policy::kRunMark)] =
        policy::run_mark({builder.machine().boot_id, builder.machine().pid_namespace, host.pid,
                          host.start_ticks, std::nullopt});
    REQUIRE(judged_by(all_rules(), builder, kBottom).host == host.pid);
    CHECK(is_held(builder));
}

TEST_CASE("below: what `run` started holds nothing once no process talks to it") {
    FactsBuilder builder = npm();
    scanner::ProcessRow host = row(60, 1, "/usr/bin/zsh", {"zsh"});
    host.start_ticks = kNow - 2 * kHour;
    builder.relative(host);
    builder.below(row(kMiddle, kTop, "/usr/bin/orphan-reaper", {"orphan-reaper", "run"}));
    builder.orphan_bridge(kBottom)[kBottom].row.ppid = kMiddle;
    builder[kBottom].environment.value[std::string(policy::kRunMark)] =
        policy::run_mark({builder.machine().boot_id, builder.machine().pid_namespace, host.pid,
                          host.start_ticks, std::nullopt});
    REQUIRE(judged_by(all_rules(), builder, kBottom).verdict == Verdict::abandoned);
    REQUIRE(judged_by(all_rules(), builder, kBottom).host == host.pid);
    CHECK_FALSE(is_held(builder));
}

TEST_CASE("below: a leak that is only reported holds what is above") {
    const FactsBuilder builder = npm_with_held_bridge();
    REQUIRE(judged(builder, kBottom).verdict == Verdict::held);
    CHECK(is_held(builder));
    CHECK_FALSE(is_held(builder, also({Verdict::held})));
}

TEST_CASE("below: an agent at work holds what runs it, and a browser does not") {
    const scanner::ProcessRow server = row(
        kTop, 1, "/usr/bin/node", {"node", "/home/u/.npm/_npx/1/node_modules/.bin/mcp-server-x"});
    for (const FactsBuilder& above : {npm(), FactsBuilder().orphan(server)}) {
        FactsBuilder builder = above;
        REQUIRE(top_of(builder).family == "mcp_server");
        builder.attached_bridge(kBottom, kTop);
        CHECK_FALSE(is_held(builder));
        scanner::ProcessRow& below = builder[kBottom].row;
        below.exe.value = "/home/u/.local/share/claude/versions/2.1.0";
        below.command_line.value.argv = {"claude", "-p", "fix"};
        REQUIRE(judged_by(all_rules(), builder, kBottom).family == "agent");
        CHECK(is_held(builder));
        below.exe.value = "/usr/bin/node";
        below.command_line.value.argv = {"node", "/usr/bin/claude-agent-acp"};
        CHECK(is_held(builder));
        below.state = 'Z';
        CHECK_FALSE(is_held(builder));
        below.state = 'S';
        below.exe.value = "/usr/bin/chromium";
        below.command_line.value.argv = {"chromium", "--headless", "--user-data-dir=/tmp/x"};
        REQUIRE(judged_by(all_rules(), builder, kBottom).family == "headless_browser");
        CHECK_FALSE(is_held(builder));
    }
}

TEST_CASE("below: what is held by a daemon of its own session holds the next one above") {
    FactsBuilder builder =
        FactsBuilder().orphan_worker(kTop, kGonePid).attached_bridge(kMiddle, kTop);
    builder[kMiddle].standard_input = builder[kMiddle].standard_output = dead_end();
    const Settings settings = also({Verdict::abandoned});
    builder[kMiddle].row.session = kMiddle;
    REQUIRE(judged(builder, kMiddle, settings).action == Action::reap);
    CHECK_FALSE(is_held(builder, settings));
    builder.listening_daemon(kBottom);
    builder[kBottom].row.ppid = kMiddle;
    builder[kBottom].row.session = kMiddle;
    REQUIRE(judged(builder, kMiddle, settings).action == Action::report);
    CHECK(is_held(builder, settings));
}

TEST_CASE("runners are told by either of executable and name") {
    CHECK(policy::is_runner(row(1, 0, "/usr/bin/timeout", {"node", "/x/server.js"})));
    scanner::ProcessRow login = row(1, 0, "/usr/bin/bash", {"-bash"});
    login.exe.access = Access::denied;
    CHECK(policy::is_runner(login));
    login.command_line.value.argv = {"-server"};
    CHECK_FALSE(policy::is_runner(login));
    CHECK_FALSE(policy::is_runner(row(1, 0, "/usr/bin/node", {"node", "x"})));
    CHECK_FALSE(policy::is_runner(row(1, 0, "/usr/bin/bun", {"bun"})));
}

}  // namespace reaper::test
