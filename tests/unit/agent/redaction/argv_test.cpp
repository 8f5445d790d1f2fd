#include "agent/redaction/argv.hpp"

#include <string>
#include <vector>

#include "agent/redaction/redactor.hpp"
#include "tests/support/catch.hpp"

namespace reaper::agent {

namespace {

using Argv = std::vector<std::string>;

const Argv kBridge = {"/usr/bin/node",
                      "/home/u/.hermes/memos-plugin/dist/bridge.mjs",
                      "--agent=hermes",
                      "--runtime-scope=0a5535de20543105363ebdfc",
                      "--home=/home/u/.hermes/memos-plugin",
                      "--no-viewer",
                      "--daemon"};
const Argv kWorker = {"/home/u/.hermes/hermes-agent/venv/bin/python3",
                      "-u",
                      "-m",
                      "tui_gateway.slash_worker",
                      "--session-key",
                      "agent:main:tui:dm:mcp-profile-test",
                      "--model",
                      "anthropic/claude-sonnet-4",
                      "--provider",
                      "x",
                      "--parent-pid",
                      "77"};
const Argv kTsx = {"node",
                   "--require",
                   "/p/node_modules/tsx/dist/preflight.cjs",
                   "--import",
                   "file:///p/node_modules/tsx/dist/loader.mjs",
                   "dist/bridge.cts",
                   "--agent=hermes"};

}  // namespace

TEST_CASE("What identifies a helper is shown as it is") {
    CHECK(redact(kBridge) == kBridge);
    CHECK(redact(kWorker) == kWorker);
    CHECK(redact(kTsx) == kTsx);
    CHECK(redact({}).empty());
}

TEST_CASE(
    "Of a host's command the words are told that rules know, unless an option may have them as its "
    "value") {
    const KnownWords known = known_words_of(policy::built_in_rules());
    const Argv gateway = {"/usr/bin/python3", "-B", "-m", "hermes_cli.main", "gateway", "run"};
    CHECK(redact(gateway, known) == gateway);
    CHECK(redact(gateway) == gateway);
    CHECK(redact(gateway, {}).back() == "[redacted]");
    CHECK(redact({"python3", "-B", "gateway", "SECRET", "run"}, known) ==
          Argv{"python3", "-B", "gateway", "[redacted]", "run"});
    CHECK(redact({"hermes", "--password", "gateway", "--token=run", "run"}, known) ==
          Argv{"hermes", "--password", "[redacted]", "--token=[redacted]", "run"});
    CHECK(redact({"hermes", "-p", "gateway"}, known) == Argv{"hermes", "-p", "[redacted]"});
    CHECK(shown_line({"a b", "c\n"}) == "a b c\\x0a");
    CHECK(shown_line({"hermes", "gateway"}, 8) == "hermes g...");
}

TEST_CASE("of a script of Hermes only what it runs is shown") {
    const std::string script =
        "import hermes_bootstrap; token = 'SECRET'; runpy.run_module('hermes_cli.main')";
    CHECK(redact({"python3", "-I", "-c", script, "gateway", "run", "--token", "SECRET"}) ==
          Argv{"python3", "-I", "-c", "[runs hermes_cli.main]", "gateway", "run", "--token",
               "[redacted]"});
    CHECK(redact({"python3", "-Ic" + script, "gateway", "run"}) ==
          Argv{"python3", "-c[runs hermes_cli.main]", "gateway", "run"});
    const std::string relaunch =
        "import sys, runpy; sys.argv = ['hermes', 'gateway', 'run', '--token', 'SECRET']; "
        "runpy.run_path('/opt/hermes_cli/main.py')";
    CHECK(redact({"python3", "-c", relaunch, "SECRET"}) ==
          Argv{"python3", "-c", "[runs /opt/hermes_cli/main.py]", "gateway", "run", "--token",
               "[redacted]"});
    CHECK(redact({"python3", "-c", "print('SECRET')", "gateway"}).at(2) == "[redacted]");
}

TEST_CASE("Whatever is not known to be harmless is not shown") {
    const std::vector<Argv> rows = {
        {"node", "bridge.cjs", "--api-key=SECRET"},
        {"node", "bridge.cjs", "--api-key", "SECRET"},
        {"node", "bridge.cjs", "--unheard-of=SECRET"},
        {"node", "bridge.cjs", "--unheard-of", "SECRET"},
        {"node", "bridge.cjs", "SECRET"},
        {"node", "bridge.cjs", "TOKEN=SECRET"},
        {"node", "bridge.cjs", "--home=/x OPENAI_API_KEY=SECRET"},
        {"node", "bridge.cjs", "--model", "x\nSECRET"},
        {"node", "bridge.cjs", "-pSECRET"},
        {"node", "bridge.cjs", "--no-viewerZZZ=SECRET"},
        {"node", "bridge.cjs", "https://user:SECRET@host/x"},
        {"node", "bridge.cjs", "/a/b?token=SECRET"},
        {"node", "--SECRET with blanks"},
        {"node", "--AKIASECRET0123456789"},
        {"node --token SECRET"},
        {"nodeZZZ=SECRET"},
        {"python3", "-m", "module SECRET"},
        {"python3", "-c", "SECRET"},
    };
    for (const Argv& argv : rows) {
        const std::string line = redacted_line(argv);
        INFO(line);
        CHECK(line.find("SECRET") == std::string::npos);
        CHECK(line.find("[redacted]") != std::string::npos);
    }
}

TEST_CASE("What rules do not ask for is shown to them no more than to people") {
    const KnownWords known = known_words_of(policy::built_in_rules());
    const std::vector<Argv> rows = {{"node", "--api-key=SECRET"},
                                    {"node", "--api-key", "SECRET"},
                                    {"node", "--AKIASECRET0123456789"},
                                    {"node", "-pSECRET"},
                                    {"node", "-p", "SECRET"},
                                    {"node", "--port=SECRET=1"},
                                    {"node", "https://u:SECRET@host"},
                                    {"node", "/a/b?token=SECRET"},
                                    {"node --token SECRET"},
                                    {"npm exec mcp-remote https://SECRET"}};
    for (const Argv& argv : rows) {
        for (const Audience audience : {Audience::people, Audience::rules}) {
            Redactor redactor(known, audience);
            std::string line = redactor.program(argv.front());
            for (std::size_t at = 1; at < argv.size(); ++at) line += " " + redactor.next(argv[at]);
            INFO(line);
            CHECK(line.find("SECRET") == std::string::npos);
            CHECK(line.find("[redacted]") != std::string::npos);
        }
    }
}

TEST_CASE("A key is no path, even with slashes in it") {
    CHECK(redacted_line({"node", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}) == "node [redacted]");
    CHECK(redacted_line({"node", "/x/Zq81mXUtnFEMIhhR7MDEN9"}) == "node [redacted]");
    CHECK(redacted_line({"node", "/home/u/.hermes/memos-plugin/dist"}) ==
          "node /home/u/.hermes/memos-plugin/dist");
}

TEST_CASE("Empty arguments behind a title are not shown") {
    Argv titled(120);
    titled.front() = "chrome-devtools-mcp";
    CHECK(redact(titled) == Argv{"chrome-devtools-mcp"});
    CHECK(redact(Argv{"node", "", "-u"}).size() == 3);
    CHECK(redact(Argv(3)) == Argv{""});
}

TEST_CASE("A huge argv is cut off, and says so") {
    const std::vector<std::string> shown = redact(Argv(1000, "-u"));
    REQUIRE(shown.size() == 65);
    CHECK(shown.back() == "... and 936 more");
    CHECK(redacted_line(Argv(1, std::string(1000, 'x'))).size() < 300);
}

}  // namespace reaper::agent
