#include "policy/match/match.hpp"

#include <algorithm>
#include <optional>

#include "policy/rules/rules.hpp"
#include "policy/verdict/ownership.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/facts_builder.hpp"

namespace {

using reaper::policy::Match;
using reaper::policy::Program;
using reaper::policy::Rules;
using reaper::scanner::ProcessRow;
using Words = std::vector<std::string>;

constexpr const char* kNode = "/usr/bin/node";
constexpr const char* kPython = "/usr/bin/python3.11";

const Rules& rules() {
    static const Rules kRules = reaper::policy::built_in_rules();
    return kRules;
}

// "family/role", with "+launcher" where it runs the script in a child, and "?" where that is not
// certain; empty: no family.
std::string matched(const char* exe, Words argv) {
    const ProcessRow row = reaper::test::row(100, 1, exe, std::move(argv));
    const auto match = reaper::policy::match(rules(), row, reaper::policy::Environment::of({}));
    if (!match) return "";
    return match->rule->name + "/" + match->role.name +
           (match->invocation.launcher ? "+launcher" : "") +
           (match->invocation.doubt.empty() ? "" : "?");
}

// The program's own arguments, in words, "?" before them where it is not certain that it runs; "-":
// it does not match.
std::string arguments_of(const Program& program, const char* exe, Words argv) {
    const auto found =
        reaper::policy::match_program(program, reaper::test::row(100, 1, exe, std::move(argv)));
    if (!found) return "-";
    std::string all = found->doubt.empty() ? "" : "?";
    for (const std::string& argument : found->arguments) all += (all.empty() ? "" : " ") + argument;
    return all;
}

// A program that runs server.mjs, with one change.
template <class Change>
Program node_program(const Change& change) {
    Program program;
    program.interpreters = {"node"};
    program.scripts = {"server.mjs"};
    change(program);
    return program;
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
    CHECK(matched(kNode, bridge({"bridge.mjs", "--agent=hermes", "--no-viewer", "--daemon"})) ==
          "bridge/daemon");
    CHECK(matched(kNode, bridge({"bridge.mjs", "--agent=hermes", "--no-viewer"})) ==
          "bridge/headless");
    CHECK(matched(kNode, bridge({"bridge.mjs", "--agent=hermes"})) == "bridge/viewer");
}

TEST_CASE("required options are compared as whole tokens") {
    CHECK(matched(kNode, bridge({"bridge.mjs"})).empty());
    CHECK(matched(kNode, bridge({"bridge.mjs", "--agent"})).empty());
    CHECK(matched(kNode, bridge({"bridge.mjs", "--agent=hermes2"})).empty());
    CHECK(matched(kNode, bridge({"bridge.mjs", "--agent=hermes=x"})).empty());
    CHECK(matched(kNode, bridge({"bridge.mjs", "x--agent=hermes"})).empty());
    CHECK(matched(kNode, bridge({"--agent=hermes", "bridge.mjs"})).empty());
    CHECK(matched(kPython, worker({"-m", "tui_gateway.slash_worker", "--session-keys", "x"}))
              .empty());
    CHECK(matched(kPython, worker({"-m", "tui_gateway.slash_worker", "--session-key=x"})) ==
          "slash_worker/worker");
}

TEST_CASE("a required value matches in both spellings, and the last one counts") {
    CHECK(matched(kNode, bridge({"bridge.mjs", "--agent", "hermes"})) == "bridge/viewer");
    CHECK(matched(kNode, bridge({"bridge.mjs", "--agent=other", "--agent=hermes"})) ==
          "bridge/viewer");
    CHECK(matched(kNode, bridge({"bridge.mjs", "--agent=hermes", "--agent=other"})).empty());
    CHECK(matched(kNode, bridge({"bridge.mjs", "--agent=hermes", "--agent", "other"})).empty());
    CHECK(matched(kNode, bridge({"bridge.mjs", "--agent", "other", "hermes"})).empty());
}

TEST_CASE("forbidden options") {
    const Program program =
        node_program([](Program& some) { some.forbidden = {"--keep", "--mode=shared"}; });
    const auto matches = [&](Words more) {
        Words argv = {"node", "server.mjs"};
        argv.insert(argv.end(), more.begin(), more.end());
        return arguments_of(program, kNode, argv) != "-";
    };
    CHECK(matches({}));
    CHECK(matches({"--keeper"}));
    CHECK(matches({"--mode=own"}));
    CHECK_FALSE(matches({"--keep"}));
    CHECK_FALSE(matches({"--keep=1"}));
    CHECK_FALSE(matches({"--mode=shared"}));
    CHECK_FALSE(matches({"--mode", "shared"}));
    CHECK(matches({"--mode=shared", "--mode=own"}));
    CHECK(matches({"--", "--keep"}));
}

TEST_CASE("arguments end at a double dash: what follows is for another program") {
    const Program program = node_program([](Program& some) { some.required = {"--stdio"}; });
    CHECK(arguments_of(program, kNode, {"node", "server.mjs", "--stdio", "--", "x"}) == "--stdio");
    CHECK(arguments_of(program, kNode, {"node", "server.mjs", "--", "--stdio"}) == "-");
    CHECK(matched(kNode, bridge({"bridge.mjs", "--", "--agent=hermes"})).empty());
    CHECK(matched(kNode, bridge({"bridge.mjs", "--agent=hermes", "--", "--daemon"})) ==
          "bridge/viewer");
    CHECK(matched(kPython, worker({"-m", "tui_gateway.slash_worker", "--", "--session-key", "x"}))
              .empty());
}

TEST_CASE("an option of the interpreter that is not known leaves it in doubt what runs") {
    CHECK(matched(kNode, bridge({"--unheard-of", "bridge.mjs", "--agent=hermes"})) ==
          "bridge/viewer?");
    CHECK(matched(kNode, bridge({"--unheard-of", "7", "--x", "bridge.mjs", "--agent=hermes"})) ==
          "bridge/viewer?");
    CHECK(matched(kNode, bridge({"--unheard-of", "/x/tsx", "bridge.cts", "--agent=hermes"})) ==
          "bridge/viewer+launcher?");
    CHECK(matched(kNode, bridge({"--unheard-of", "other.mjs", "--agent=hermes"})).empty());
    CHECK(matched(kNode, bridge({"--unheard-of", "bridge.mjs"})).empty());
    CHECK(matched(kNode, bridge({"--unheard-of", "-e", "1", "bridge.mjs", "--agent=hermes"}))
              .empty());
    CHECK(matched(kNode, bridge({"-e", "1", "--unheard-of", "bridge.mjs", "--agent=hermes"}))
              .empty());
    CHECK(matched(kNode, bridge({"--unheard-of"})).empty());
    CHECK(matched(kNode, bridge({"--unheard-of=1", "bridge.mjs", "--agent=hermes"})) ==
          "bridge/viewer");
    CHECK(matched(kNode, bridge({"--expose-gc", "bridge.mjs", "--agent=hermes"})) ==
          "bridge/viewer");
    CHECK(matched(kNode, bridge({"--no-warnings", "bridge.mjs", "--agent=hermes"})) ==
          "bridge/viewer");
    CHECK(matched(kNode, bridge({"--no", "bridge.mjs", "--agent=hermes"})) == "bridge/viewer?");
    CHECK(matched(kNode, bridge({"--jitlessx", "bridge.mjs", "--agent=hermes"})) ==
          "bridge/viewer?");
    CHECK(matched(kNode, bridge({"/x/tsx", "--unheard-of", "bridge.cts", "--agent=hermes"})) ==
          "bridge/viewer+launcher?");
    CHECK(matched(kPython, worker({"-u", "-m", "tui_gateway.slash_worker", "--session-key"})) ==
          "slash_worker/worker");
    CHECK(matched(kPython, worker({"-Z", "-m", "tui_gateway.slash_worker", "--session-key"})) ==
          "slash_worker/worker?");
    CHECK(
        matched(kPython, worker({"-Z", "-m", "other", "tui_gateway.slash_worker", "--session-key"}))
            .empty());
    CHECK(matched(kPython,
                  worker({"-Z", "-c", "1", "-m", "tui_gateway.slash_worker", "--session-key"}))
              .empty());
}

TEST_CASE("a match that is certain comes before one that is not") {
    Rules both = rules();
    both.families = {reaper::policy::default_family("first"),
                     reaper::policy::default_family("second")};
    both.families[0].programs = {
        node_program([](Program& some) { some.options.with_value = {"--other"}; })};
    both.families[1].programs = {node_program([](Program&) {})};
    const ProcessRow row = reaper::test::row(100, 1, kNode, {"node", "--cpu-prof", "server.mjs"});
    CHECK(reaper::policy::match(both, row)->rule->name == "second");
    both.families[1].enabled = false;
    CHECK(reaper::policy::match(both, row)->rule->name == "first");
    CHECK(reaper::policy::match(both, row)->invocation.doubt == "--cpu-prof");
}

TEST_CASE("command lines of node, bun, python and their launchers, as people write them") {
    constexpr const char* kBun = "/x/bun";
    const struct {
        const char* exe;
        Words before;  // the script
        const char* expected;
    } lines[] = {
        {kNode, {"--cpu-prof"}, "bridge/viewer"},
        {kNode,
         {"--trace-gc", "--trace_deopt", "--permission", "--allow-fs-read=*"},
         "bridge/viewer"},
        {kNode, {"--max-old-space-size=4096", "--stack-size=900"}, "bridge/viewer"},
        {kNode, {"--import", "tsx", "--conditions", "x", "--env-file", ".env"}, "bridge/viewer"},
        {kNode, {"--env-file-if-exists", ".env", "--localstorage-file", "x"}, "bridge/viewer"},
        {kNode,
         {"--allow-fs-read", "/x", "--title", "memos", "--cpu-prof-dir", "/x"},
         "bridge/viewer"},
        {kNode, {"--inspect=0", "--inspect-port", "0", "--"}, "bridge/viewer"},
        {kNode, {"--watch"}, "bridge/viewer+launcher"},
        {kNode, {"--watch-path", "./x", "--enable-source-maps"}, "bridge/viewer+launcher"},
        {kNode, {"--watch-path=./x"}, "bridge/viewer+launcher"},
        {kNode, {"--env-file", "bridge.mjs", "x.mjs"}, ""},
        {kNode, {"-e", "1"}, ""},
        {kNode, {"--eval=1"}, ""},
        {kNode, {"--test"}, ""},
        {kNode, {"--run", "dev"}, ""},
        {kNode, {"--print"}, ""},
        {kNode, {"run"}, ""},
        {kNode, {"inspect"}, ""},
        {kNode, {"--experimental-default-config-file"}, "bridge/viewer?"},
        {kNode, {"--port", "7"}, "bridge/viewer?"},
        {kNode, {"/x/tsx", "--tsconfig", "x.json", "--no-cache"}, "bridge/viewer+launcher"},
        {kNode,
         {"/x/tsx", "watch", "--include", "x", "--clear-screen=false"},
         "bridge/viewer+launcher"},
        {kNode, {"/x/npx", "--yes", "--package", "tsx", "tsx"}, "bridge/viewer+launcher"},
        {kNode, {"/x/npx", "--registry", "http://x", "--", "tsx"}, "bridge/viewer+launcher"},
        {kNode, {"/x/npx", "--node-options", "x", "tsx"}, "bridge/viewer+launcher?"},
        {kNode, {"/x/npx", "-c"}, ""},
        {kBun, {}, "bridge/viewer"},
        {kBun, {"run"}, "bridge/viewer"},
        {kBun, {"run", "--smol", "--hot", "-b"}, "bridge/viewer"},
        {kBun, {"--smol", "run", "--watch"}, "bridge/viewer"},
        {kBun, {"--preload", "./x.ts", "--port", "3000", "--inspect"}, "bridge/viewer"},
        {kBun, {"--define", "A:1", "--no-install", "--cwd", "/x", "--no-orphans"}, "bridge/viewer"},
        {kBun, {"-i"}, "bridge/viewer"},
        {kBun, {"run", "run"}, ""},
        {kBun, {"x"}, ""},
        {kBun, {"test"}, ""},
        {kBun, {"-p"}, ""},
        {kBun, {"--config", "x.toml"}, "bridge/viewer?"},
        {kBun, {"--config=x.toml"}, "bridge/viewer"},
        {kBun, {"--trace-gc"}, "bridge/viewer?"},
        {"/x/.node-wrapped", {"--cpu-prof"}, "bridge/viewer"},
        {"/usr/bin/nodejs", {"-C", "x"}, "bridge/viewer"},
        {"/x/node22", {"-r", "x"}, "bridge/viewer"},
        {"/x/bun-profile", {"run"}, "bridge/viewer"},
    };
    for (const auto& line : lines) {
        Words argv = bridge(line.before);
        argv.insert(argv.end(), {"/x/bridge.mjs", "--agent=hermes"});
        INFO(line.exe << " " << (line.before.empty() ? "" : line.before.front()));
        CHECK(matched(line.exe, argv) == line.expected);
    }
    for (const char* exe :
         {"/x/.python3-wrapped", "/usr/bin/python3.11-dbg", "/usr/bin/pypy3", "/x/python3.13t"}) {
        for (const char* option :
             {"-3", "-tt", "-Qnew", "-P", "-OO", "-Xfrozen_modules=off", "-Wd"}) {
            INFO(exe << " " << option);
            CHECK(matched(exe, worker({option, "-m", "tui_gateway.slash_worker", "--session-key",
                                       "x"})) == "slash_worker/worker");
        }
        CHECK(matched(exe, worker({"--jit", "off", "/x/bin/hermes", "chat"})) == "session/session");
        CHECK(matched(exe, worker({"-V", "-m", "tui_gateway.slash_worker", "--session-key", "x"}))
                  .empty());
        CHECK(
            matched(exe, worker({"--help-all", "-m", "tui_gateway.slash_worker", "--session-key"}))
                .empty());
    }
}

TEST_CASE("python's options share a word, and the first that takes a value takes the rest of it") {
    const auto runs_worker = [](Words words) {
        words.insert(words.begin(), "python3");
        words.insert(words.end(), {"--session-key", "x"});
        return matched(kPython, std::move(words)) == "slash_worker/worker";
    };
    const std::string module = "tui_gateway.slash_worker";
    for (const char* word :
         {"-uB", "-sE", "-Xutf8", "-Wignore", "-uXutf8", "-Xpycache_prefix=/x", "-OO", "-bbvv"}) {
        INFO(word);
        CHECK(runs_worker({word, "-m", module}));
    }
    CHECK(runs_worker({"-uX", "dev", "-m", module}));
    CHECK(runs_worker({"-um", module}));
    CHECK(runs_worker({"-m" + module}));
    CHECK(runs_worker({"-uBm" + module}));
    CHECK(runs_worker({"--check-hash-based-pycs", "never", "-m", module}));
    for (const char* word : {"-uZ", "-Zu", "-u-", "-u-B"}) {
        INFO(word);
        CHECK(matched(kPython, {"python3", word, "-m", module, "--session-key", "x"}) ==
              "slash_worker/worker?");
    }
    for (const char* word : {"-uc", "-c1", "-cx=1", "-ucx=1", "-uX", "-mother", "-mx=1"}) {
        INFO(word);
        CHECK_FALSE(runs_worker({word, "-m", module}));
    }
    CHECK_FALSE(runs_worker({"-m" + module + "2"}));
    CHECK_FALSE(runs_worker({"-m", "x", "-m", module}));
    CHECK_FALSE(runs_worker({"-um"}));
    CHECK(matched(kPython, {"python3", "-uB", "/x/bin/hermes", "gateway"}) == "gateway/gateway");
    CHECK(matched(kPython, {"python3", "-Xutf8", "-sE", "/x/bin/hermes", "gateway"}) ==
          "gateway/gateway");
    CHECK(matched(kPython, {"python3", "-mx", "/x/bin/hermes", "gateway"}).empty());
    CHECK(matched(kPython, {"python3", "-" + std::string(1'000'000, 'u'), "/x/bin/hermes"}) ==
          "session/session");
}

TEST_CASE("node's flags that stand alone") {
    for (const char* flag :
         {"--trace-sigint", "--jitless", "--optimize-for-size", "--insecure-http-parser",
          "--track-heap-objects", "--experimental-fetch", "--experimental-wasm-modules"}) {
        INFO(flag);
        CHECK(matched(kNode, bridge({flag, "bridge.mjs", "--agent=hermes"})) == "bridge/viewer");
    }
    CHECK(matched(kNode, bridge({"-pe", "bridge.mjs", "--agent=hermes"})).empty());
    CHECK(matched(kNode, bridge({"-rx", "bridge.mjs", "--agent=hermes"})) == "bridge/viewer");
}

TEST_CASE("a star in the name of a script is any letters, none included") {
    const auto fits = [](const std::string& pattern, const std::string& name) {
        const Program program = node_program([&](Program& some) { some.scripts = {pattern}; });
        return arguments_of(program, kNode, {"node", "/srv/" + name}) != "-";
    };
    CHECK(fits("mcp-*-server.mjs", "mcp-a-server.mjs"));
    CHECK(fits("mcp-*-server.mjs", "mcp--server.mjs"));
    CHECK(fits("mcp-*-server.mjs", "mcp-server-server.mjs"));
    CHECK_FALSE(fits("mcp-*-server.mjs", "mcp-server.mjs"));
    CHECK_FALSE(fits("mcp-*-server.mjs", "xmcp-a-server.mjs"));
    CHECK_FALSE(fits("mcp-*-server.mjs", "mcp-a-server.mjsx"));
    CHECK(fits("*.mjs", ".mjs"));
    CHECK(fits("server*", "server"));
    CHECK(fits("a*b*c", "axbxbxc"));
    CHECK(fits("a**c", "ac"));
    CHECK_FALSE(fits("a*b*c", "acb"));
    CHECK_FALSE(fits("a*b*c", "abcb"));
    CHECK(fits("*", "x"));
    const std::string long_name(60'000, 'a');
    CHECK_FALSE(fits("a*a*a*a*b", long_name));
    CHECK(fits("a*a*a*a*b", long_name + "b"));
}

TEST_CASE("an executable of its own is told by its exe and arguments") {
    Program program;
    program.executables = {"agentd"};
    program.required = {"--stdio"};
    CHECK(arguments_of(program, "/opt/bin/agentd", {"whatever", "--stdio", "x"}) == "--stdio x");
    CHECK(arguments_of(program, "/opt/bin/agentd", {"agentd"}) == "-");
    CHECK(arguments_of(program, "/opt/bin/agentdx", {"agentd", "--stdio"}) == "-");
    CHECK(arguments_of(program, "/usr/bin/node", {"agentd", "--stdio"}) == "-");
    CHECK(arguments_of(program, "/opt/bin/agentd", {}) == "-");
}

TEST_CASE("an executable that may be any is told by its mark alone, and not looked for") {
    Rules changed = rules();
    Program any;
    any.executables = {"named", "*"};
    any.marked_variables = {"MARK=mine"};
    changed.families.front().programs = {any};
    changed.families.resize(1);
    const ProcessRow row = reaper::test::row(100, 1, "/opt/whatever", {"x"});
    const auto matches = [&](std::map<std::string, std::string> environment) {
        return match(changed, row, reaper::policy::Environment::of(std::move(environment)))
            .has_value();
    };
    CHECK(matches({{"MARK", "mine"}}));
    CHECK_FALSE(matches({{"MARK", "yours"}}));
    CHECK_FALSE(matches({}));
    CHECK_FALSE(match(changed, row));
    CHECK(match(changed, reaper::test::row(100, 1, "/opt/named", {"x"})));
    CHECK(executables_of(changed) == Words{"named"});
    CHECK(takes_any_executable(changed));
    changed.families.front().enabled = false;
    CHECK_FALSE(takes_any_executable(changed));
}

TEST_CASE("a command is the first argument that is no option or its value") {
    Program program;
    program.executables = {"hermes"};
    program.commands = {"chat", "serve"};
    program.command_options_with_value = {"-p", "--profile"};
    const auto matches = [&](Words argv) {
        return arguments_of(program, "/usr/bin/hermes", std::move(argv)) != "-";
    };
    CHECK(matches({"hermes", "chat"}));
    CHECK(matches({"hermes", "-p", "work", "chat"}));
    CHECK(matches({"hermes", "--profile=work", "-v", "serve", "x"}));
    CHECK_FALSE(matches({"hermes"}));
    CHECK_FALSE(matches({"hermes", "-p", "chat"}));
    CHECK_FALSE(matches({"hermes", "-p"}));
    CHECK_FALSE(matches({"hermes", "send", "chat"}));
    CHECK_FALSE(matches({"hermes", "-v", "chats"}));
    CHECK_FALSE(matches({"hermes", "--", "chat"}));
    program.required = {"--stdio"};
    CHECK_FALSE(matches({"hermes", "chat"}));
    CHECK(matches({"hermes", "chat", "--stdio"}));
    program.required = {"--dir=/tmp/*-x"};
    CHECK(matches({"hermes", "chat", "--dir", "/tmp/1/2-x"}));
    CHECK_FALSE(matches({"hermes", "chat", "--dir=/tmp/1/2-xy"}));
    CHECK_FALSE(matches({"hermes", "chat", "--dir"}));
}

TEST_CASE("a command of several words") {
    Program program;
    program.executables = {"uv"};
    program.commands = {"tool run *mcp*"};
    program.command_options_with_value = {"--from"};
    const auto matches = [&](Words argv) {
        return arguments_of(program, "/usr/bin/uv", std::move(argv)) != "-";
    };
    CHECK(matches({"uv", "tool", "run", "mcp-x"}));
    CHECK(matches({"uv", "-q", "tool", "--from", "x", "run", "-y", "my-mcp", "more"}));
    CHECK_FALSE(matches({"uv", "tool", "run"}));
    CHECK_FALSE(matches({"uv", "tool", "mcp-x"}));
    CHECK_FALSE(matches({"uv", "tool", "run", "x", "mcp-x"}));
    CHECK_FALSE(matches({"uv", "tool", "run", "--from", "mcp-x"}));
    CHECK_FALSE(matches({"uv", "tool run mcp-x"}));
}

TEST_CASE("a script with a slash is the end of a path, one without is a file's name") {
    Program program;
    program.interpreters = {"node"};
    program.scripts = {"ui/dist/entry.js", "_npx/*mcp*"};
    const auto matches = [&](const char* script) {
        return arguments_of(program, kNode, {"node", script}) != "-";
    };
    CHECK(matches("/x/ui/dist/entry.js"));
    CHECK(matches("ui/dist/entry.js"));
    CHECK(matches("/h/_npx/1/bin/x-mcp"));
    CHECK_FALSE(matches("/x/my-ui/dist/entry.js"));
    CHECK_FALSE(matches("/x/ui/dist/entry.js/y"));
    CHECK_FALSE(matches("dist/entry.js"));
    CHECK_FALSE(matches("entry.js"));
    CHECK_FALSE(matches("/h/x_npx/1/bin/x-mcp"));
}

TEST_CASE("a package is what follows the last folder of packages in a path") {
    Program program;
    program.interpreters = {"node"};
    program.packages = {"*mcp*", "@acme/*"};
    const auto matches = [&](const char* script) {
        return arguments_of(program, kNode, {"node", script, "x"}) == "x";
    };
    for (const char* script :
         {"/w/node_modules/x-mcp/cli.js", "node_modules/x-mcp/a/b.js", "/w/node_modules/.bin/mcp-x",
          "/w/node_modules/@acme/x/cli.js", "/w/node_modules/@y/mcp/cli.js",
          "/w/node_modules/y/node_modules/mcp/cli.js", "file:///w/node_modules/mcp/cli.js"}) {
        INFO(script);
        CHECK(matches(script));
    }
    for (const char* script :
         {"/w/mcp/cli.js", "mcp", "/w/node_modules/next/mcp/cli.js", "/w/node_modules/.bin/next",
          "/w/node_modules/mcp/node_modules/next/cli.js", "/w/mcp/node_modules/next/cli.js",
          "/w/my_node_modules/mcp/cli.js", "/w/node_modules/acme/x/cli.js", "/w/node_modules/",
          "/w/node_modules/@acmes/x", "/w/node_modules/x/@acme/y.js"}) {
        INFO(script);
        CHECK_FALSE(matches(script));
    }
}

TEST_CASE("a title without commands is all that a process wrote over its argv") {
    Program program;
    program.executables = {"node"};
    program.titles = {"acme-gateway"};
    CHECK(arguments_of(program, kNode, {"acme-gateway"}).empty());
    CHECK(arguments_of(program, kNode, {"acme-gateway", "", ""}).empty());
    CHECK(arguments_of(program, kNode, {"acme-gateway", "x"}) == "-");
    CHECK(arguments_of(program, kNode, {"acme-gateway x"}) == "-");
    CHECK(arguments_of(program, kNode, {"acme-gateways"}) == "-");
    CHECK(arguments_of(program, kPython, {"acme-gateway"}) == "-");
    program.commands = {"run"};
    CHECK(arguments_of(program, kNode, {"acme-gateway run x"}) == "run x");
    CHECK(arguments_of(program, kNode, {"acme-gateway"}) == "-");
}

TEST_CASE("python's and node's own options are known, but not beside a rule's own") {
    const auto program = [](const char* text) {
        const auto changed = reaper::policy::overlay_rules(
            rules(),
            std::string(
                R"({"families": {"x": {"roles": [{"name": "r"}], "home": [{"path": "/"}], "programs": [)") +
                text + "]}}}",
            "x.json");
        REQUIRE(changed.has_value());
        return changed->families.back().programs.front();
    };
    const Program python = program(R"({"interpreters": ["python"], "modules": ["m"]})");
    CHECK(arguments_of(python, kPython, {"python", "-u", "-W", "x", "-m", "m"}) != "-");
    const Program own =
        program(R"({"interpreters": ["python"], "modules": ["m"], "options_with_value": ["-W"]})");
    CHECK(arguments_of(own, kPython, {"python", "-u", "-m", "m"}) == "?");
    const Program bun = program(R"({"interpreters": ["bun"], "scripts": ["m"]})");
    CHECK(arguments_of(bun, "/usr/bin/bun", {"bun", "--smol", "m"}) != "-");
    const Program perl = program(R"({"interpreters": ["perl"], "scripts": ["m"]})");
    CHECK(arguments_of(perl, "/usr/bin/perl", {"perl", "m"}) != "-");
    CHECK(arguments_of(perl, "/usr/bin/perl", {"perl", "-u", "m"}) == "?");
}

TEST_CASE("any of a family's programs is enough, and any is looked for") {
    Rules changed = rules();
    auto& programs =
        std::ranges::find(changed.families, "bridge", &reaper::policy::FamilyRule::name)->programs;
    programs.push_back(programs.front());
    programs.back().scripts = {"other.mjs"};
    Program third;
    third.executables = {"bridged"};
    third.required = {"--stdio"};
    programs.push_back(third);
    const auto matches = [&](const char* exe, Words argv) {
        const ProcessRow row = reaper::test::row(100, 1, exe, std::move(argv));
        return reaper::policy::match(changed, row, reaper::policy::Environment::of({})).has_value();
    };
    CHECK(matches(kNode, bridge({"bridge.mjs", "--agent=hermes"})));
    CHECK(matches(kNode, bridge({"other.mjs", "--agent=hermes"})));
    CHECK(matches("/usr/bin/bridged", {"bridged", "--stdio"}));
    CHECK_FALSE(matches(kNode, bridge({"third.mjs", "--agent=hermes"})));
    const Words looked_for = reaper::policy::executables_of(changed);
    CHECK(std::find(looked_for.begin(), looked_for.end(), "bridged") != looked_for.end());
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
    const ProcessRow row =
        reaper::test::row(100, 1, kNode, bridge({"bridge.mjs", "--agent=hermes"}));
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
    CHECK(matched(kNode, {"node", "--require=x", "bridge.mjs", "--agent=hermes"}) ==
          "bridge/viewer");
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
          "bridge/viewer?");  // it may take a value
    CHECK(matched(kPython, {"python3", "-m"}).empty());
    CHECK(matched(kPython, {"python3", "-m", ""}).empty());
    CHECK(matched(kPython, {"python3", "-X"}).empty());
    CHECK(
        matched(kPython, {"python3", "-c", "-m", "tui_gateway.slash_worker", "--session-key", "x"})
            .empty());
    CHECK(matched(kPython,
                  {"python3", "x.py", "-m", "tui_gateway.slash_worker", "--session-key", "x"})
              .empty());
    // After "--" python runs a file that is named "-m".
    CHECK(
        matched(kPython, {"python3", "--", "-m", "tui_gateway.slash_worker", "--session-key", "x"})
            .empty());
    CHECK(matched(kPython, {"python3", "-m", "tui_gateway.slash_worker2", "--session-key", "x"})
              .empty());
    CHECK(matched(kPython, {"python3", "-W", "ignore", "-X", "dev", "-m",
                            "tui_gateway.slash_worker", "--session-key"}) == "slash_worker/worker");
    CHECK(matched(kNode, Words(20'000, "--expose-gc")).empty());
    CHECK(matched(kNode, {"node", std::string(1'000'000, 'a') + "/bridge.mjs", "--agent=hermes"}) ==
          "bridge/viewer");
}

TEST_CASE("launchers stand at the end of a path, at a folder boundary") {
    CHECK(matched(kNode, {"node", "/x/tsx", "bridge.cts", "--agent=hermes"}) ==
          "bridge/viewer+launcher");
    CHECK(matched(kNode, {"node", "/x/nottsx", "bridge.cts", "--agent=hermes"}).empty());
    CHECK(matched(kNode, {"node", "/x/tsx/dist/cli.mjs", "--no-cache", "bridge.cts",
                          "--agent=hermes"}) == "bridge/viewer+launcher");
    CHECK(
        matched(kNode, {"node", "/x/nottsx/dist/cli.mjs", "bridge.cts", "--agent=hermes"}).empty());
    CHECK(matched(kNode, {"node", "/x/tsx", "watch", "bridge.cts", "--agent=hermes"}) ==
          "bridge/viewer+launcher");
    CHECK(matched(kNode, {"node", "/x/tsx", "other", "bridge.cts", "--agent=hermes"}).empty());
    CHECK(matched(kNode, {"node", "/x/tsx"}).empty());
}

TEST_CASE("the host that an argv records") {
    const auto recorded = [](Words more) {
        Words argv = worker({"-m", "tui_gateway.slash_worker", "--session-key", "x"});
        argv.insert(argv.end(), more.begin(), more.end());
        const ProcessRow row = reaper::test::row(100, 1, kPython, argv);
        const auto match = reaper::policy::match(rules(), row);
        REQUIRE(match.has_value());
        const auto owners = reaper::policy::named_owners(*match, {});
        return owners.empty() ? std::nullopt : std::optional(owners.front());
    };
    CHECK(recorded({"--parent-pid", "42"}) == 42);
    CHECK(recorded({"--parent-pid=42"}) == 42);
    for (const char* nonsense :
         {"", "0", "1", "-5", "42x", " 42", "4294967298", "99999999999999999999"}) {
        CHECK_FALSE(recorded({"--parent-pid", nonsense}).has_value());
    }
    CHECK_FALSE(recorded({"--parent-pid"}).has_value());
    CHECK_FALSE(recorded({}).has_value());
}
