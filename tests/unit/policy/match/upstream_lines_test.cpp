// The command lines that were seen in the wild, each by its number in the collection of facts: 1 to
// 32 are leaks of some family, N1 to N28 are look-alikes. All packs are on, and no line's
// environment marks it.
#include "policy/match/match.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace {

struct Line {
    const char* number;
    const char* exe;
    std::vector<std::string> argv;
    const char* matched;  // "family/role", "+launcher" where it runs the script in a child of its
                          // own; "" for none
};

const std::string kPlugin = "/home/u/.hermes/memos-plugin";
const std::string kHermesPython = "/home/u/.hermes/hermes-agent/venv/bin/python3";
const std::string kTsx = kPlugin + "/node_modules/tsx/dist/";
constexpr const char* kNode = "/usr/bin/node";
constexpr const char* kPython = "/usr/bin/python3.11";

std::string matched(const Line& line) {
    const auto row = reaper::test::row(100, 1, line.exe, line.argv);
    const auto match =
        reaper::policy::match(reaper::test::all_rules(), row, reaper::policy::Environment::of({}));
    if (!match) return "";
    return match->rule->name + "/" + match->role.name +
           (match->invocation.launcher ? "+launcher" : "");
}

// As an orphan in every respect, with every verdict opted in: only what the defaults end is ever
// ended.
bool is_planned(const Line& line) {
    using reaper::policy::Verdict;
    reaper::test::FactsBuilder builder;
    builder.orphan(reaper::test::row(100, 1, line.exe, line.argv));
    auto settings = reaper::test::also({Verdict::abandoned, Verdict::duplicate, Verdict::held});
    settings.reap_inside_services = true;
    const auto judgements =
        reaper::policy::judge(builder.facts(), reaper::test::all_rules(), settings, {});
    return !reaper::policy::make_plan(judgements, 256).steps.empty();
}

void check(const std::vector<Line>& lines) {
    for (const Line& line : lines) {
        INFO("line " << line.number);
        const std::string found = matched(line);
        CHECK(found == line.matched);
        const bool is_ended = found.starts_with("slash_worker/") ||
                              (found.starts_with("bridge/") && !found.starts_with("bridge/daemon"));
        CHECK(is_planned(line) == is_ended);
    }
}

}  // namespace

TEST_CASE("lines 1 to 13: bridges of every release") {
    check({
        {"1", kNode, {"node", "bridge.cjs", "--agent=hermes", "--daemon"}, "bridge/daemon"},
        {"2", kNode, {"node", "bridge.cjs", "--agent=hermes", "--no-viewer"}, "bridge/headless"},
        {"3",
         kNode,
         {"/usr/bin/node", kPlugin + "/dist/bridge.cjs", "--agent=hermes", "--no-viewer"},
         "bridge/headless"},
        {"4",
         kNode,
         {"/usr/bin/node", kPlugin + "/dist/bridge.mjs", "--agent=hermes", "--no-viewer"},
         "bridge/headless"},
        {"5",
         kNode,
         {"/usr/bin/node", kPlugin + "/dist/bridge.mjs", "--agent=hermes",
          "--runtime-scope=0a5535de20543105363ebdfc", "--no-viewer"},
         "bridge/headless"},
        {"6",
         kNode,
         {"/usr/bin/node", kTsx + "cli.mjs", kPlugin + "/bridge.cts", "--agent=hermes"},
         "bridge/viewer+launcher"},
        {"7",
         kNode,
         {"/usr/bin/node", "--require", kTsx + "preflight.cjs", "--import",
          "file://" + kTsx + "loader.mjs", kPlugin + "/bridge.cts", "--agent=hermes"},
         "bridge/viewer"},
        {"8",
         kNode,
         {"node", "/root/.hermes/memos-plugin/node_modules/.bin/tsx",
          "/root/.hermes/memos-plugin/bridge.cts", "--agent=hermes"},
         "bridge/viewer+launcher"},
        {"9",
         kNode,
         {"node", "--import", "tsx", "/opt/memos/bridge.cts", "--agent=hermes", "--no-viewer"},
         "bridge/headless"},
        {"10",
         kNode,
         {"/usr/bin/node", kPlugin + "/dist/bridge.mjs", "--agent=hermes", "--home=" + kPlugin,
          "--daemon"},
         "bridge/daemon"},
        {"11",
         kNode,
         {"node", "dist/bridge.cjs", "--agent=hermes", "--daemon",
          "--home=/home/hermes/.hermes/memos-plugin"},
         "bridge/daemon"},
        // npx tsx bridge.cts: the three processes of it
        {"12 npx",
         kNode,
         {"node", "/usr/bin/npx", "tsx", "bridge.cts", "--agent=hermes", "--daemon"},
         "bridge/daemon+launcher"},
        {"12 npx-cli",
         kNode,
         {"node", "/usr/lib/node_modules/npm/bin/npx-cli.js", "--yes", "tsx", "bridge.cts",
          "--agent=hermes", "--daemon"},
         "bridge/daemon+launcher"},
        {"12 leaf",
         kNode,
         {"/usr/bin/node", "--require", kTsx + "preflight.cjs", "--import",
          "file://" + kTsx + "loader.mjs", "bridge.cts", "--agent=hermes", "--daemon"},
         "bridge/daemon"},
        // Windows only: there a backslash ends a folder, here it is a letter of the file's name.
        // Its POSIX form is line 3.
        {"13",
         kNode,
         {"node", "C:\\Users\\u\\.hermes\\memos-plugin\\dist\\bridge.cjs", "--agent=hermes",
          "--daemon"},
         ""},
    });
}

TEST_CASE("lines 14 to 18: slash workers") {
    check({
        {"14",
         kPython,
         {"python3", "-m", "tui_gateway.slash_worker", "--session-key", "20260522_151218_2f8066",
          "--model", "Qwen3.5-2B-Q4_K_M.gguf"},
         "slash_worker/worker"},
        {"15",
         kPython,
         {kHermesPython, "-m", "tui_gateway.slash_worker", "--session-key",
          "20260520_173732_6d914e", "--model", "gpt-5.5"},
         "slash_worker/worker"},
        // Windows' own python.exe is no exe of a system that this program runs on; its argv under
        // ours matches
        {"16",
         kPython,
         {"python.exe", "-m", "tui_gateway.slash_worker", "--session-key", "20260623_211537_4ab051",
          "--model", "gpt-5.5"},
         "slash_worker/worker"},
        {"16 exe",
         "C:\\hermes\\python.exe",
         {"python.exe", "-m", "tui_gateway.slash_worker", "--session-key", "x"},
         ""},
        {"17",
         kPython,
         {"python3", "-m", "tui_gateway.slash_worker", "--session-key", "...", "--model",
          "anthropic/claude-sonnet-4"},
         "slash_worker/worker"},
        {"18",
         kPython,
         {"/usr/bin/python3", "-u", "-m", "tui_gateway.slash_worker", "--session-key",
          "agent:main:tui:dm:mcp-profile-test"},
         "slash_worker/worker"},
    });
}

TEST_CASE("lines 19 to 32: the other families, reported or kept") {
    const std::string chrome = "/opt/google/chrome/chrome";
    check({
        {"19", kNode, {"node", "--expose-gc", "/x/ui-tui/dist/entry.js"}, "tui/viewer"},
        {"20 host", kPython, {kHermesPython, "/home/u/.local/bin/hermes"}, "session/session"},
        {"20 tui", kNode, {"node", "--expose-gc", "/x/ui-tui/dist/entry.js"}, "tui/viewer"},
        {"20 worker",
         kPython,
         {"python3", "-m", "tui_gateway.slash_worker", "--session-key", "x"},
         "slash_worker/worker"},
        {"21",
         kPython,
         {"/Users/u/python", "-m", "hermes_cli.main", "dashboard", "--no-open", "--host",
          "127.0.0.1", "--port", "9194"},
         "serve/daemon"},
        {"22",
         kPython,
         {"python", "-m", "hermes_cli.main", "--profile", "creative1", "serve", "--host",
          "127.0.0.1", "--port", "0"},
         "serve/desktop"},
        {"23",
         kPython,
         {kHermesPython, "-m", "hermes_cli.main", "serve", "--host", "127.0.0.1", "--port", "0"},
         "serve/desktop"},
        {"24",
         kPython,
         {kHermesPython, "/x/tools/mcp_stdio_watchdog.py", "--ppid", "26493", "--", "npx", "-y",
          "mcp"},
         "mcp/watchdog"},
        {"25",
         kPython,
         {"/usr/local/lib/hermes-agent/venv/bin/python3",
          "/usr/local/lib/hermes-agent/tools/mcp_stdio_watchdog.py", "--ppid", "4154",
          "--create-time", "1680212798.92", "--", "/usr/bin/node",
          "/root/.hermes/mcp/aikido-bearer/dist/index.js"},
         "mcp/watchdog"},
        {"25 child", kNode, {"/usr/bin/node", "/root/.hermes/mcp/aikido-bearer/dist/index.js"}, ""},
        {"26",
         kPython,
         {"python3", "mcp_death_supervisor.py", "--parent-pgid", "23064"},
         "mcp/guard"},
        {"27", "", {"mimir"}, ""},
        {"28",
         kPython,
         {"python", "-m", "hermes_cli.main", "gateway", "run", "--replace"},
         "gateway/gateway"},
        {"28 profile",
         kPython,
         {"python", "-m", "hermes_cli.main", "--profile", "devops", "gateway", "run", "--replace"},
         "gateway/gateway"},
        {"29",
         kPython,
         {kHermesPython, "/home/u/.hermes/hermes-agent/venv/bin/hermes", "-p", "default",
          "--accept-hooks", "--toolsets", "browser,web", "chat", "-q",
          "work kanban task t_bf068e60"},
         "kanban/worker"},
        {"30",
         kPython,
         {"python3", "/usr/bin/hermes", "serve", "--isolated", "--host", "127.0.0.1", "--port", "0",
          "--ssh-session-token-file", "/x", "--ssh-owner-nonce", "y"},
         "serve/isolated"},
        // Windows only, and its POSIX form
        {"31", "C:\\chrome.exe", {"chrome.exe", "--headless=new", "--remote-debugging-port=0"}, ""},
        {"31 posix",
         chrome.c_str(),
         {chrome, "--headless=new", "--user-data-dir=/tmp/agent-browser-chrome-1"},
         "agent_browser/browser"},
        {"32", "", {"[agent-browser-l]"}, ""},
    });
}

TEST_CASE("lines N1 to N8: others that only mention a bridge") {
    check({
        {"N1", "/usr/bin/vim", {"vim", kPlugin + "/dist/bridge.cjs"}, ""},
        {"N2 code", "/usr/share/code/code", {"code", "--wait", "bridge.cts"}, ""},
        {"N2 nano", "/usr/bin/nano", {"nano", "bridge.mts"}, ""},
        {"N3 grep", "/usr/bin/grep", {"grep", "bridge.cjs"}, ""},
        {"N3 pgrep", "/usr/bin/pgrep", {"pgrep", "-f", "bridge\\.(cts|cjs)"}, ""},
        {"N3 rg", "/usr/bin/rg", {"rg", "bridge.cjs", "--agent=hermes"}, ""},
        {"N3 watch", "/usr/bin/watch", {"watch", "ps", "aux"}, ""},
        {"N4 tail", "/usr/bin/tail", {"tail", "-f", kPlugin + "/logs/daemon-start.log"}, ""},
        {"N4 less", "/usr/bin/less", {"less", kPlugin + "/dist/bridge.cjs"}, ""},
        {"N5",
         "/usr/bin/bash",
         {"bash", "-c",
          "sleep 3 && \"/usr/bin/node\" \"/x/.bin/tsx\" \"/x/bridge.cts\" --agent=hermes --daemon"},
         ""},
        {"N6",
         "/usr/bin/dash",
         {"sh", "-c", "# bridge.cjs --agent=hermes\nbash hermes_memos_drain.sh"},
         ""},
        {"N7",
         "/usr/bin/ssh",
         {"ssh", "host",
          "cd $HOME/.hermes/memos-plugin && exec node dist/bridge.cjs --agent=hermes --no-viewer"},
         ""},
        // the container's own node has the argv of a bridge: judge() keeps it by its pid namespace
        {"N8",
         "/usr/bin/docker",
         {"docker", "exec", "-u", "root", "c", "bash", "-c",
          "nohup node dist/bridge.cjs --agent=hermes --daemon"},
         ""},
    });
}

TEST_CASE("lines N10 to N15: other bridges, other agents, tests of the bridge") {
    check({
        {"N10",
         kNode,
         {"node", "/x/whatsapp-bridge/bridge.js", "--port", "3000", "--session",
          "/home/u/.hermes/whatsapp/session"},
         ""},
        {"N11",
         kPython,
         {"python3", "/x/dist/server/agent-bridge/hermes_bridge.py", "--endpoint",
          "ipc:///tmp/hermes-agent-bridge.sock", "--agent-root", "/home/u/.hermes/hermes-agent",
          "--hermes-home", "/home/u/.hermes"},
         ""},
        {"N12",
         "/home/u/.local/share/nvm/versions/node/v24.15.0/bin/node",
         {"/home/u/.local/share/nvm/versions/node/v24.15.0/bin/node",
          "/home/u/Desktop/git/hermes-web-ui/dist/server/index.js"},
         ""},
        {"N13 openclaw", kNode, {"node", "dist/bridge.cjs", "--agent=openclaw"}, ""},
        {"N13 default", kNode, {"node", "dist/bridge.cjs"}, ""},
        {"N13 director", kNode, {"node", "/home/u/pi-bridge/director-bridge.js"}, ""},
        {"N13 happy", kNode, {"node", "/x/happyMcpStdioBridge.mjs"}, ""},
        {"N15 test", kNode, {"node", "--test", "dist/bridge.cjs"}, ""},
        {"N15 test agent", kNode, {"node", "--test", "dist/bridge.cjs", "--agent=hermes"}, ""},
        {"N15 vitest",
         kNode,
         {"node", "/usr/bin/npx", "vitest", "run", "tests/unit/bridge/stdio.test.ts"},
         ""},
        {"N15 entry", kNode, {"node", "/x/vitest", "run", "bridge-esm-entry.test.ts"}, ""},
        {"N15 pytest",
         kPython,
         {"python", "-m", "pytest", "tests/python/test_bridge_client.py"},
         ""},
        {"N15 tsc", kNode, {"node", "/x/node_modules/.bin/tsc", "-p", "tsconfig.build.json"}, ""},
    });
}

TEST_CASE("lines N17 to N22: hosts, commands, language servers, admission tests, browsers") {
    check({
        {"N17",
         kPython,
         {"python", "-m", "hermes_cli.main", "dashboard", "--host", "0.0.0.0", "--port", "9119"},
         "serve/daemon"},
        {"N18", kPython, {"python", "-m", "hermes_cli.main", "gateway", "run"}, "gateway/gateway"},
        {"N18 stamp",
         kPython,
         {"python", "-m", "hermes_cli.stderr_timestamp", "--error-log", "/x", "--", "python", "-m",
          "hermes_cli.main", "--profile", "butler", "gateway", "run", "--replace"},
         "gateway/gateway"},
        {"N18 doppler",
         "/usr/bin/doppler",
         {"doppler", "run", "--", "python", "-m", "hermes_cli.main", "gateway", "run"},
         ""},
        {"N19 status",
         kPython,
         {"python3", "/usr/bin/hermes", "gateway", "status"},
         "gateway/command"},
        {"N19 kanban",
         kPython,
         {"python3", "/usr/bin/hermes", "kanban", "--preserve-cache"},
         "session/session"},
        {"N19 chat",
         kPython,
         {"python3", "/usr/bin/hermes", "chat", "--skills", "memory-routing"},
         "session/session"},
        {"N19 vim", "/usr/bin/vim", {"vim", "notes about hermes serve"}, ""},
        {"N19 profile",
         kPython,
         {"python3", "/usr/bin/hermes", "--profile=chat", "status"},
         "session/session"},
        {"N20 java",
         "/usr/bin/java",
         {"/usr/bin/java", "-jar", "/x/org.eclipse.equinox.launcher_1.7.0.jar"},
         ""},
        {"N20 pyright", kNode, {"node", "/x/pyright-langserver", "--stdio"}, ""},
        {"N20 server", kNode, {"/usr/bin/node", "server.js"}, ""},
        {"N21 print", kPython, {"python", "-c", "print('hermes_cli.main')"}, ""},
        {"N21 evil", "/usr/bin/python3-evil", {"python3-evil", "-m", "hermes_cli.main"}, ""},
        {"N21 evil worker",
         "/usr/bin/python3-evil",
         {"python3-evil", "-m", "tui_gateway.slash_worker", "--session-key", "x"},
         ""},
        {"N21 guard", kPython, {"python3", "/x/mcp_death_supervisor.py", "hermes_cli.main"}, ""},
        {"N22 daemon", "/usr/bin/agent-browser", {"agent-browser", "daemon"}, ""},
        {"N22 chrome", "/opt/google/chrome/chrome", {"chrome", "https://example.org"}, ""},
    });
}

TEST_CASE("lines N23 to N27: people and tools around the helpers") {
    check({
        {"N23 ps", "/usr/bin/ps", {"ps", "-axo", "pid=,ppid=,tty=,command="}, ""},
        {"N23 grep", "/usr/bin/grep", {"grep", "tui_gateway.slash_worker --session-key"}, ""},
        {"N23 timeout",
         "/usr/bin/timeout",
         {"timeout", "10", "python3", "-m", "tui_gateway.slash_worker", "--session-key", "ID"},
         ""},
        {"N24", kPython, {"python", "-m", "tui_gateway.entry"}, "tui_gateway/worker"},
        {"N25 setup",
         "/usr/bin/hermes-setup",
         {"hermes-setup", "--update", "--branch", "main"},
         "update/update"},
        {"N25 update", kPython, {"python3", "/usr/bin/hermes", "update"}, "update/update"},
        {"N26 gateway", kNode, {"node", "/usr/bin/openclaw", "gateway"}, "agent/agent"},
        {"N26 browser", "/usr/lib/firefox/firefox", {"firefox", "http://127.0.0.1:18800"}, ""},
        {"N27 git",
         "/usr/bin/git",
         {"git", "commit", "-m", "fix bridge.cjs --agent=hermes --no-viewer"},
         ""},
        {"N27 sudo",
         "/usr/bin/sudo",
         {"sudo", "node", "bridge.cjs", "--agent=hermes", "--no-viewer"},
         ""},
        {"N27 strace", "/usr/bin/strace", {"strace", "-p", "100"}, ""},
        {"N27 gdb", "/usr/bin/gdb", {"gdb", "--args", "node", "bridge.cjs"}, ""},
        {"N27 nohup",
         "/usr/bin/nohup",
         {"nohup", "node_modules/.bin/tsx", "bridge.cts", "--agent=hermes"},
         ""},
        {"N27 timeout",
         "/usr/bin/timeout",
         {"timeout", "10", "node_modules/.bin/tsx", "bridge.cts", "--agent=hermes"},
         ""},
    });
}

TEST_CASE("what Hermes runs on Macs: Homebrew's programs, its own tools and the desktop's") {
    const char* node = "/opt/homebrew/Cellar/node/24.10.0/bin/node";
    const char* node_on_intel = "/usr/local/Cellar/node@22/22.22.2_2/bin/node";
    const char* framework =
        "/opt/homebrew/Cellar/python@3.11/3.11.15/Frameworks/Python.framework/Versions/3.11/"
        "Resources/Python.app/Contents/MacOS/Python";
    const char* tool = "/Users/u/.hermes/tools/python-3.14.7-macos-aarch64/bin/python3.14";
    const char* of_uv =
        "/Users/u/.local/share/uv/python/cpython-3.11.15-macos-aarch64-none/bin/"
        "python3.11";
    const std::string plugin = "/Users/u/.hermes/memos-plugin";
    const std::string python = "/Users/u/.hermes/hermes-agent/venv/bin/python3";
    check({
        {"bridge",
         node,
         {"/opt/homebrew/bin/node", plugin + "/dist/bridge.mjs", "--agent=hermes", "--no-viewer"},
         "bridge/headless"},
        {"bridge on Intel",
         node_on_intel,
         {"node", plugin + "/dist/bridge.cjs", "--agent=hermes", "--daemon"},
         "bridge/daemon"},
        {"bridge of bun",
         "/opt/homebrew/Cellar/bun/1.3.1/bin/bun",
         {"bun", plugin + "/bridge.cts", "--agent=hermes"},
         "bridge/viewer"},
        {"worker of a framework",
         framework,
         {framework, "-m", "tui_gateway.slash_worker", "--session-key", "x"},
         "slash_worker/worker"},
        {"worker of uv",
         of_uv,
         {python, "-m", "tui_gateway.slash_worker", "--session-key", "x"},
         "slash_worker/worker"},
        {"gateway of a framework",
         framework,
         {framework, "-c", "import sys", "gateway", "run"},
         ""},
        {"gateway",
         tool,
         {tool, "-m", "hermes_cli.main", "gateway", "run", "--external-supervisor"},
         "gateway/gateway"},
        {"stamper below launchd",
         tool,
         {tool, "-m", "hermes_cli.stderr_timestamp", "--error-log", "/Users/u/.hermes/x.log"},
         "gateway/gateway"},
        {"desktop",
         of_uv,
         {python, "-m", "hermes_cli.main", "serve", "--host", "127.0.0.1", "--port", "0"},
         "serve/desktop"},
        {"desktop of a folder with a blank",
         framework,
         {framework, "/Users/u/Library/Application Support/Hermes/hermes-agent/hermes_cli/main.py",
          "serve", "--port", "0"},
         "serve/desktop"},
        {"interface",
         node,
         {"node", "/Users/u/.hermes/hermes-agent/ui-tui/dist/entry.js"},
         "tui/viewer"},
        {"watchdog",
         framework,
         {framework, "/Users/u/.hermes/hermes-agent/tools/mcp_stdio_watchdog.py", "--ppid", "7"},
         "mcp/watchdog"},
        {"the application itself",
         "/Applications/Hermes.app/Contents/MacOS/Hermes",
         {"/Applications/Hermes.app/Contents/MacOS/Hermes"},
         ""},
        {"its helper",
         "/Applications/Hermes.app/Contents/Frameworks/Hermes Helper.app/Contents/MacOS/Hermes "
         "Helper",
         {"Hermes Helper", "--type=utility"},
         ""},
        {"a job that wraps a gateway",
         "/usr/bin/osascript",
         {"osascript", "-e", "do shell script \"exec hermes gateway run\""},
         ""},
    });
}

// Their argv is that of a bridge or a worker; what else is known of them keeps them:
// settings_test.cpp.
TEST_CASE("lines N8, N9, N14, N16, N23 and N28 match, and are judge()'s to keep") {
    check({
        {"N8", kNode, {"node", "dist/bridge.cjs", "--agent=hermes", "--daemon"}, "bridge/daemon"},
        {"N9",
         kNode,
         {"node", "/x/bridge.cjs", "--agent=hermes", "--no-viewer"},
         "bridge/headless"},
        {"N14", kNode, {"node", "/srv/app/bridge.cjs", "--agent=hermes"}, "bridge/viewer"},
        {"N16",
         kNode,
         {"node", "/x/bridge.cts", "--agent=hermes", "--no-viewer"},
         "bridge/headless"},
        {"N23",
         kPython,
         {"python3", "-m", "tui_gateway.slash_worker", "--session-key", "ID"},
         "slash_worker/worker"},
        {"N28",
         kNode,
         {"node", "dist/bridge.cjs", "--agent=hermes", "--no-viewer"},
         "bridge/headless"},
    });
}
