#include "policy/match.hpp"

#include "policy/rules.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/facts_builder.hpp"

namespace {

using reaper::policy::Match;
using reaper::policy::Rules;
using reaper::scanner::ProcessRow;
using Words = std::vector<std::string>;

constexpr const char* kNode = "/usr/bin/node";
constexpr const char* kPython = "/usr/bin/python3.11";

const Rules& rules() {
    static const Rules kRules = reaper::policy::built_in_rules();
    return kRules;
}

// "family/role", with "+launcher" where it runs the script in a child; empty: no family.
std::string matched(const char* exe, Words argv) {
    const ProcessRow row = reaper::test::row(100, 1, exe, std::move(argv));
    const auto match = reaper::policy::match(rules(), row);
    if (!match) return "";
    return match->rule->name + "/" + match->role.name + (match->invocation.launcher ? "+launcher" : "");
}

Words bridge(Words more) {
    Words argv = {"/usr/bin/node"};
    argv.insert(argv.end(), more.begin(), more.end());
    return argv;
}

Words worker(Words more) {
    Words argv = {"python3"};
    argv.insert(argv.end(), more.begin(), more.end());
    return argv;
}

}  // namespace

TEST_CASE("an option's value is taken in both spellings, and the last one counts") {
    using reaper::policy::option_value;
    CHECK(option_value({"--home=/a"}, "--home") == "/a");
    CHECK(option_value({"--home", "/a"}, "--home") == "/a");
    CHECK(option_value({"--home=/a", "--home", "/b"}, "--home") == "/b");
    CHECK(option_value({"--home="}, "--home") == "");
    CHECK_FALSE(option_value({"--home"}, "--home").has_value());
    CHECK_FALSE(option_value({"--homes=/a", "--hom=/a"}, "--home").has_value());
    CHECK_FALSE(option_value({}, "--home").has_value());
}

TEST_CASE("roles are told by flags, the first that fits") {
    CHECK(matched(kNode, bridge({"bridge.mjs", "--agent=hermes", "--no-viewer", "--daemon"})) == "bridge/daemon");
    CHECK(matched(kNode, bridge({"bridge.mjs", "--agent=hermes", "--no-viewer"})) == "bridge/headless");
    CHECK(matched(kNode, bridge({"bridge.mjs", "--agent=hermes"})) == "bridge/viewer");
}

TEST_CASE("required options are compared as whole tokens") {
    CHECK(matched(kNode, bridge({"bridge.mjs"})).empty());
    CHECK(matched(kNode, bridge({"bridge.mjs", "--agent"})).empty());
    CHECK(matched(kNode, bridge({"bridge.mjs", "--agent=hermes2"})).empty());
    CHECK(matched(kNode, bridge({"bridge.mjs", "--agent=hermes=x"})).empty());
    CHECK(matched(kNode, bridge({"bridge.mjs", "x--agent=hermes"})).empty());
    CHECK(matched(kNode, bridge({"--agent=hermes", "bridge.mjs"})).empty());
    CHECK(matched(kPython, worker({"-m", "tui_gateway.slash_worker", "--session-keys", "x"})).empty());
    CHECK(matched(kPython, worker({"-m", "tui_gateway.slash_worker", "--session-key=x"})) == "slash_worker/worker");
}

TEST_CASE("the interpreter is told by its exe, never by argv or comm") {
    const Words argv = bridge({"bridge.mjs", "--agent=hermes", "--no-viewer"});
    CHECK(matched("/opt/node-v24/bin/node", argv) == "bridge/headless");
    CHECK(matched("/usr/bin/nodejs", argv) == "bridge/headless");
    CHECK(matched("/root/.bun/bin/bun", argv) == "bridge/headless");
    CHECK(matched("/usr/bin/node (deleted)", argv) == "bridge/headless");
    CHECK(matched("/usr/bin/node-gyp", argv).empty());
    CHECK(matched("/usr/bin/node/x", argv).empty());
    CHECK(matched("/usr/bin/bash", argv).empty());
    CHECK(matched("", argv).empty());
}

TEST_CASE("no exe, no command line, or an empty one: no match") {
    using reaper::scanner::Access;
    ProcessRow row = reaper::test::row(100, 1, kNode, bridge({"bridge.mjs", "--agent=hermes"}));
    REQUIRE(reaper::policy::match(rules(), row).has_value());
    for (const Access why : {Access::not_read, Access::denied, Access::gone, Access::malformed}) {
        ProcessRow broken = row;
        broken.exe.access = why;
        CHECK_FALSE(reaper::policy::match(rules(), broken).has_value());
        broken = row;
        broken.command_line.access = why;
        CHECK_FALSE(reaper::policy::match(rules(), broken).has_value());
    }
    row.command_line.value.argv.clear();
    CHECK_FALSE(reaper::policy::match(rules(), row).has_value());
}

TEST_CASE("a disabled family matches nothing") {
    Rules changed = rules();
    for (auto& family : changed.families) family.enabled = false;
    const ProcessRow row = reaper::test::row(100, 1, kNode, bridge({"bridge.mjs", "--agent=hermes"}));
    CHECK_FALSE(reaper::policy::match(changed, row).has_value());
}

TEST_CASE("hostile command lines") {
    CHECK(matched(kNode, {""}).empty());
    CHECK(matched(kNode, {"node"}).empty());
    CHECK(matched(kNode, {"node", ""}).empty());
    CHECK(matched(kNode, {"node", "-"}).empty());
    CHECK(matched(kNode, {"node", "-", "bridge.mjs", "--agent=hermes"}).empty());
    CHECK(matched(kNode, {"node", "--trace-gc", "--expose-gc"}).empty());
    CHECK(matched(kNode, {"node", "--require"}).empty());
    CHECK(matched(kNode, {"node", "--import", "tsx"}).empty());
    CHECK(matched(kNode, {"node", "--", "bridge.mjs", "--agent=hermes"}) == "bridge/viewer");
    CHECK(matched(kNode, {"node", "--"}).empty());
    CHECK(matched(kNode, {"node", "--", "--", "bridge.mjs", "--agent=hermes"}).empty());
    CHECK(matched(kNode, {"node", "--require", "bridge.mjs", "--agent=hermes"}).empty());
    CHECK(matched(kNode, {"node", "--require=x", "bridge.mjs", "--agent=hermes"}) == "bridge/viewer");
    CHECK(matched(kNode, {"node", "bridge.mjs\n", "--agent=hermes"}).empty());
    CHECK(matched(kNode, {"node", "x\nbridge.mjs", "--agent=hermes"}).empty());
    CHECK(matched(kNode, {"node", "bridge.mjs", "--agent=hermes\n"}).empty());
    CHECK(matched(kNode, {"node", "bridge.mjs --agent=hermes"}).empty());
    CHECK(matched(kNode, {"node", "/a\xff\xfe/bridge.mjs", "--agent=hermes"}) == "bridge/viewer");
    CHECK(matched(kNode, {"node",
                          "\xff"
                          "bridge.mjs",
                          "--agent=hermes"})
              .empty());
    CHECK(matched(kNode, {"node", "/a/bridge.mjs/", "--agent=hermes"}).empty());
    CHECK(matched(kNode, {"node", "-e", "1", "bridge.mjs", "--agent=hermes"}).empty());
    CHECK(matched(kNode, {"node", "--eval=1", "bridge.mjs", "--agent=hermes"}).empty());
    CHECK(matched(kNode, {"node", "-m", "bridge.mjs", "--agent=hermes"}) ==
          "bridge/viewer");  // node: an unknown switch
    CHECK(matched(kPython, {"python3", "-m"}).empty());
    CHECK(matched(kPython, {"python3", "-m", ""}).empty());
    CHECK(matched(kPython, {"python3", "-X"}).empty());
    CHECK(matched(kPython, {"python3", "-c", "-m", "tui_gateway.slash_worker", "--session-key", "x"}).empty());
    CHECK(matched(kPython, {"python3", "x.py", "-m", "tui_gateway.slash_worker", "--session-key", "x"}).empty());
    // After "--" python runs a file that is named "-m".
    CHECK(matched(kPython, {"python3", "--", "-m", "tui_gateway.slash_worker", "--session-key", "x"}).empty());
    CHECK(matched(kPython, {"python3", "-m", "tui_gateway.slash_worker2", "--session-key", "x"}).empty());
    CHECK(matched(kPython, {"python3", "-W", "ignore", "-X", "dev", "-m", "tui_gateway.slash_worker",
                            "--session-key"}) == "slash_worker/worker");
    CHECK(matched(kNode, Words(20'000, "--expose-gc")).empty());
    CHECK(matched(kNode, {"node", std::string(1'000'000, 'a') + "/bridge.mjs", "--agent=hermes"}) == "bridge/viewer");
}

TEST_CASE("launchers stand at the end of a path, at a folder boundary") {
    CHECK(matched(kNode, {"node", "/x/tsx", "bridge.cts", "--agent=hermes"}) == "bridge/viewer+launcher");
    CHECK(matched(kNode, {"node", "/x/nottsx", "bridge.cts", "--agent=hermes"}).empty());
    CHECK(matched(kNode, {"node", "/x/tsx/dist/cli.mjs", "--no-cache", "bridge.cts", "--agent=hermes"}) ==
          "bridge/viewer+launcher");
    CHECK(matched(kNode, {"node", "/x/nottsx/dist/cli.mjs", "bridge.cts", "--agent=hermes"}).empty());
    CHECK(matched(kNode, {"node", "/x/tsx", "watch", "bridge.cts", "--agent=hermes"}).empty());
    CHECK(matched(kNode, {"node", "/x/tsx"}).empty());
}

TEST_CASE("the host that an argv records") {
    const auto recorded = [](Words more) {
        Words argv = worker({"-m", "tui_gateway.slash_worker", "--session-key", "x"});
        argv.insert(argv.end(), more.begin(), more.end());
        const ProcessRow row = reaper::test::row(100, 1, kPython, argv);
        const auto match = reaper::policy::match(rules(), row);
        REQUIRE(match.has_value());
        return reaper::policy::recorded_parent(*match);
    };
    CHECK(recorded({"--parent-pid", "42"}) == 42);
    CHECK(recorded({"--parent-pid=42"}) == 42);
    for (const char* nonsense : {"", "0", "1", "-5", "42x", " 42", "4294967298", "99999999999999999999"}) {
        CHECK_FALSE(recorded({"--parent-pid", nonsense}).has_value());
    }
    CHECK_FALSE(recorded({"--parent-pid"}).has_value());
    CHECK_FALSE(recorded({}).has_value());
}
