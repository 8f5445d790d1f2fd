// The pack `agents`: command lines of real agents, of what they start and of what only looks like
// them, as they were seen with Claude Code 2.1.328, Codex 0.169, Gemini CLI 0.61, opencode 1.18.33,
// OpenClaw 2026.9.6, claude-agent-acp 0.100, claude-code-acp 0.16 and servers from npm.
#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using policy::Action;
using policy::Judgement;
using policy::Verdict;
using scanner::Pid;
using scanner::Reading;
using Words = std::vector<std::string>;

constexpr Pid kPid = 100;
constexpr const char* kNode = "/usr/bin/node";
constexpr const char* kPython = "/usr/bin/python3.11";
constexpr const char* kBash = "/usr/bin/bash";
const std::string kModules = "/home/u/.npm-global/lib/node_modules";
const std::string kLinks = "/home/u/work/node_modules/.bin";
const std::string kNpx = "/home/u/.npm/_npx/a3f4a3f4a3f4a3f4/node_modules";
const std::string kClaude = kModules + "/@anthropic-ai/claude-code/bin/claude.exe";
const std::string kVersion = "/home/u/.local/share/claude/versions/2.1.328";
const std::string kSdk = kModules + "/@anthropic-ai/claude-agent-sdk-linux-x64/claude";
const std::string kCodex =
    kModules + "/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex";
const std::string kManagedCodex =
    "/home/u/.codex/packages/app-server-daemon/releases/0.169.0/bin/codex";
const std::string kOpencode = kModules + "/opencode-ai/bin/opencode.exe";
const std::string kBun = kModules + "/bun/bin/bun.exe";
const std::string kDevtools = kModules + "/chrome-devtools-mcp/build/src";
const std::string kSnapshot =
    "source /home/u/.claude/shell-snapshots/snapshot-bash-1795-a1b2c3.sh 2>/dev/null || true && "
    "eval 'make' < /dev/null && pwd -P >| /tmp/claude-ab-cwd";

struct Line {
    std::string exe;
    Words argv;
    const char* expected;  // "family/role"; empty: no family
};

Judgement judgement_of(const FactsBuilder& builder) {
    return judged_by(all_rules(), builder, kPid);
}

FactsBuilder orphan(const Line& line) {
    FactsBuilder builder;
    builder.orphan(row(kPid, 1, line.exe, line.argv));
    return builder;
}

FactsBuilder below_a_host(const Line& line) {
    FactsBuilder builder = orphan(line);
    builder[kPid].row.ppid = kHost;
    builder[kPid].standard_input = builder[kPid].standard_output = live_end();
    return builder;
}

std::string kind_of(const FactsBuilder& builder) {
    const Judgement one = judgement_of(builder);
    return one.family.empty() ? "" : one.family + "/" + one.role;
}

void check_all(const std::vector<Line>& lines) {
    for (const Line& line : lines) {
        INFO(line.exe << " " << (line.argv.size() > 1 ? line.argv[1] : line.argv[0]));
        CHECK(kind_of(orphan(line)) == line.expected);
    }
}

const std::vector<Line>& agents() {
    static const std::vector<Line> kLines = {
        {kClaude, {kLinks + "/claude"}, "agent/agent"},
        {kClaude, {"claude", "--continue"}, "agent/agent"},
        {kVersion, {"claude"}, "agent/agent"},
        {kVersion + " (deleted)", {"claude"}, "agent/agent"},
        {"/Applications/ClaudeCode.app/Contents/MacOS/claude", {"claude"}, "agent/agent"},
        {kClaude,
         {kLinks + "/claude", "-p", "--input-format", "stream-json", "--output-format",
          "stream-json", "--verbose"},
         "agent/headless"},
        {kClaude, {kLinks + "/claude", "mcp", "serve"}, "agent/server"},
        {kClaude, {kClaude, "--session-id", "5f0b", "look at it"}, "agent/agent"},
        {kVersion, {"claude", "attach", "5f0b5f0b"}, "agent/agent"},
        {kSdk, {kSdk, "--output-format", "stream-json", "--mcp-config", "{}"}, "agent/headless"},
        {"/home/u/.vscode/extensions/anthropic.claude-code-2.0.35-linux-x64/resources/"
         "native-binary/claude",
         {"claude", "--output-format", "stream-json"},
         "agent/headless"},
        {"/home/u/.vscode/extensions/openai.chatgpt-0.5.1-linux-x64/bin/linux-x86_64/codex",
         {"codex", "app-server"},
         "agent/server"},
        {"/venv/lib/python3.11/site-packages/claude_agent_sdk/_bundled/claude",
         {"claude"},
         "agent/agent"},
        // npm renames the folder of a package that it updates, and deletes it then.
        {kModules + "/@anthropic-ai/.claude-code-Xa1b2C3d/bin/claude.exe (deleted)",
         {"claude"},
         "agent/agent"},
        {"/opt/codex/bin/codex-x86_64-unknown-linux-musl", {"codex"}, "agent/agent"},
        {kNode, {"claude"}, "agent/agent"},
        {kNode, {"claude", "", ""}, "agent/agent"},
        {kNode, {"node", kModules + "/@anthropic-ai/claude-code/cli.js"}, "agent/agent"},
        {kNode,
         {"node", kModules + "/@agentclientprotocol/claude-agent-acp/dist/index.js"},
         "agent/agent"},
        {kNode,
         {"node", kModules + "/@zed-industries/claude-code-acp/dist/index.js"},
         "agent/agent"},
        {kNode, {"npm exec @zed-industries/claude-code-acp"}, "agent/agent"},
        {kNode, {"node", "/usr/local/bin/claude-code-acp"}, "agent/agent"},
        {kNode, {"node", "/usr/local/bin/claude-agent-acp"}, "agent/agent"},
        {kNode, {"node", "/usr/local/bin/copilot", "-p", "x"}, "agent/agent"},
        {kNode, {"node", kLinks + "/codex"}, "agent/agent"},
        {kNode, {"node", "/usr/local/bin/codex", "app-server"}, "agent/server"},
        {kCodex, {kCodex}, "agent/agent"},
        {kCodex, {kCodex, "app-server"}, "agent/server"},
        {kCodex, {kCodex, "app-server", "--listen", "ws://127.0.0.1:7001"}, "agent/server"},
        {kCodex, {"codex", "-s", "read-only", "-a", "untrusted", "app-server"}, "agent/server"},
        {kNode, {"node", kLinks + "/gemini"}, "agent/agent"},
        {kNode, {kNode, "--max-old-space-size=12052", kLinks + "/gemini", "--acp"}, "agent/acp"},
        {kOpencode, {kLinks + "/opencode"}, "agent/agent"},
        {kOpencode, {kLinks + "/opencode", "acp"}, "agent/acp"},
        {kOpencode, {kLinks + "/opencode", "serve", "--port", "7002"}, "agent/server"},
        {"/home/u/.opencode/bin/opencode", {"opencode", "run", "x"}, "agent/agent"},
        {kNode, {"openclaw-gateway"}, "agent/agent"},
        {kNode, {"openclaw"}, "agent/agent"},
        {kNode, {"node", kLinks + "/openclaw", "gateway", "run"}, "agent/agent"},
        {kNode, {"node", "/usr/local/bin/openclaw", "gateway", "run"}, "agent/agent"},
        {"/opt/copilot", {"copilot", "--server", "--stdio", "--no-auto-update"}, "agent/headless"},
        {"/usr/bin/goose", {"goose", "acp"}, "agent/acp"},
        {"/opt/Goose/resources/bin/goosed", {"goosed"}, "agent/agent"},
        {"/home/u/.local/kiro-cli/bun",
         {"bun", "/home/u/.local/kiro-cli/tui.js", "chat"},
         "agent/agent"},
        {kNode,
         {"node", kModules + "/@kiro/agent/dist/server/acp-server.js", "--transport=stdio"},
         "agent/agent"},
    };
    return kLines;
}

const std::vector<Line>& daemons() {
    static const std::vector<Line> kLines = {
        {kClaude,
         {kClaude, "daemon", "run", "--origin", "transient", "--spawned-by", "{}"},
         "agent_daemon/daemon"},
        {kVersion, {"claude", "daemon", "run"}, "agent_daemon/daemon"},
        {kClaude,
         {"claude bg-pty-host", "--bg-pty-host", "/tmp/cc-daemon-1000/1/pty/a.pty.sock", "80", "24",
          "--", kClaude, "--session-id", "5f0b"},
         "agent_daemon/terminal"},
        {kClaude, {"claude bg-spare"}, "agent_daemon/spare"},
        {kClaude, {"claude bg-spare", "--bg-spare"}, "agent_daemon/spare"},
        {kManagedCodex,
         {kManagedCodex, "app-server", "--listen", "unix://", "--analytics-default-enabled",
          "--managed-daemon"},
         "agent_daemon/daemon"},
        {kManagedCodex,
         {kManagedCodex, "app-server", "daemon", "pid-update-loop"},
         "agent_daemon/updater"},
        {kOpencode, {"opencode.exe", "serve", "--service"}, "agent_daemon/daemon"},
        {kNode,
         {kNode, kDevtools + "/daemon/daemon.js", "--viaCli", "--headless"},
         "agent_daemon/daemon"},
        {kNode,
         {"node", "/home/u/.claude/plugins/codex/app-server-broker.mjs", "serve", "--endpoint",
          "unix:/tmp/cxc-1/s", "--cwd", "/w"},
         "agent_daemon/broker"},
        {kBun,
         {"bun", "/home/u/.claude/plugins/claude-mem/scripts/worker-service.cjs", "--daemon"},
         "agent_daemon/daemon"},
        {kNode,
         {"node", kModules + "/openclaw/dist/process/spawn-broker/worker.js"},
         "agent_daemon/daemon"},
        {kNode,
         {"node", kModules + "/openclaw/dist/infra/sqlite-readonly-location.worker.js",
          "--openclaw-sqlite-readonly-child", "session"},
         "agent_daemon/daemon"},
    };
    return kLines;
}

const std::vector<Line>& servers() {
    static const std::vector<Line> kLines = {
        {kNode, {"npm exec @modelcontextprotocol/server-filesystem /srv", ""}, "mcp_server/server"},
        {kNode, {"npm exec mcp-remote http://127.0.0.1:9/sse"}, "mcp_server/server"},
        {kNode, {"node", "/usr/local/bin/mcp-server-memory"}, "mcp_server/server"},
        {kNode, {"node", "/home/u/.nvm/versions/node/v24/bin/playwright-mcp"}, "mcp_server/server"},
        {kNode, {"node", "/usr/local/bin/supergateway", "--stdio", "x"}, "mcp_server/server"},
        {kNode, {"npm exec chrome-devtools-mcp@latest --headless"}, "mcp_server/server"},
        {kNode, {"npm exec @playwright/mcp@latest"}, "mcp_server/server"},
        {kNode, {"npm exec supergateway --stdio x"}, "mcp_server/server"},
        {kNode, {"npm exec supergateway@4.0.0"}, "mcp_server/server"},
        {kNode, {"node", kNpx + "/.bin/mcp-server-everything"}, "mcp_server/server"},
        {kNode, {"node", kNpx + "/.bin/supergateway", "--stdio", "x"}, "mcp_server/server"},
        {kNode, {"node", kLinks + "/mcp-server-filesystem", "/srv"}, "mcp_server/server"},
        {kNode, {"node", kLinks + "/playwright-mcp"}, "mcp_server/server"},
        {kNode, {"node", kLinks + "/mcp-remote", "http://127.0.0.1:9"}, "mcp_server/server"},
        {kNode, {"node", kLinks + "/supergateway"}, "mcp_server/server"},
        {kNode, {"node", "node_modules/.bin/mcp-server-memory"}, "mcp_server/server"},
        {kNode,
         {"node", kModules + "/@modelcontextprotocol/server-memory/dist/index.js"},
         "mcp_server/server"},
        {kNode, {"node", kModules + "/@playwright/mcp/cli.js"}, "mcp_server/server"},
        {kNode, {"node", kModules + "/mcp-remote/dist/proxy.js"}, "mcp_server/server"},
        {kNode,
         {"node", "/w/node_modules/.pnpm/mcp-x@1/node_modules/mcp-x/index.js"},
         "mcp_server/server"},
        {kNode, {"chrome-devtools-mcp"}, "mcp_server/server"},
        {kNode, {"chrome-devtools-mcp", ""}, "mcp_server/server"},
        {kNode,
         {kNode, kDevtools + "/telemetry/watchdog/main.js", "--parent-pid=60",
          "--app-version=1.11.0", "--os-type=3"},
         "mcp_server/watchdog"},
        {kBun, {kLinks + "/bun", kLinks + "/mcp-server-memory"}, "mcp_server/server"},
        {kBun,
         {"bun", "run", kModules + "/@modelcontextprotocol/server-x/dist/index.js"},
         "mcp_server/server"},
        {kBun, {kLinks + "/bunx", "x-mcp"}, "mcp_server/server"},
        {kModules + "/bun/bin/bunx.exe", {"/h/bunx.exe", "x-mcp"}, "mcp_server/server"},
        {"/home/u/.local/bin/uv",
         {"uv", "tool", "uvx", "--python", "3.13", "chroma-mcp", "--client-type", "persistent"},
         "mcp_server/server"},
        {kPython,
         {"/home/u/.cache/uv/archive-v0/Zx1/bin/python",
          "/home/u/.cache/uv/archive-v0/Zx1/bin/mcp-server-git"},
         "mcp_server/server"},
    };
    return kLines;
}

const std::vector<Line>& helpers() {
    const auto tsserver = [](const char* more) {
        return Words{kNode, kModules + "/typescript/lib/tsserver.js", more, "--useNodeIpc"};
    };
    static const std::vector<Line> kLines = {
        {kNode,
         {"node", kLinks + "/typescript-language-server", "--stdio"},
         "language_server/server"},
        {kNode,
         {"node", "/usr/local/bin/typescript-language-server", "--stdio"},
         "language_server/server"},
        {kNode,
         {"node", kModules + "/typescript-language-server/lib/cli.mjs", "--stdio"},
         "language_server/server"},
        {kNode, tsserver("--serverMode"), "language_server/tsserver"},
        {kNode, tsserver("--useInferredProjectPerProjectRoot"), "language_server/tsserver"},
        {kNode,
         {kNode, kModules + "/typescript/lib/typingsInstaller.js", "--globalTypingsCacheLocation",
          "/c", "--typesMapLocation", "/t"},
         "language_server/typings"},
        {kNode,
         {"node", "/home/u/.vscode/extensions/eslint-3/server/out/eslintServer.js", "--stdio"},
         "language_server/server"},
        {kNode, {"node", kLinks + "/pyright-langserver", "--stdio"}, "language_server/server"},
        {kBash, {"/bin/bash", "-c", "-l", kSnapshot}, "tool_shell/command"},
        {kBash, {"/bin/bash", "-c", kSnapshot}, "tool_shell/command"},
        {"/bin/zsh", {"/bin/zsh", "-lc", kSnapshot}, "tool_shell/command"},
        {"/usr/lib/chromium/chromium",
         {"/usr/lib/chromium/chromium", "--headless", "--remote-debugging-pipe",
          "--user-data-dir=/tmp/playwright_chromiumdev_profile-Ab12"},
         "headless_browser/browser"},
        {"/usr/lib/chromium/chromium",
         {"/usr/lib/chromium/chromium", "--headless=new", "--remote-debugging-pipe",
          "--user-data-dir=/tmp/puppeteer_dev_chrome_profile-Ab12"},
         "headless_browser/browser"},
    };
    return kLines;
}

const std::vector<Line>& on_macs() {
    static const std::string kBrew = "/opt/homebrew/";
    static const std::string kBrewNode = kBrew + "Cellar/node/24.10.0/bin/node";
    static const std::string kOnIntel = "/usr/local/Cellar/node@22/22.22.2_2/bin/node";
    static const std::string kFramework =
        kBrew +
        "Cellar/python@3.14/3.14.1/Frameworks/Python.framework/Versions/3.14/Resources/"
        "Python.app/Contents/MacOS/Python";
    static const std::string kSupport = "/Users/u/Library/Application Support/Claude/claude-code/";
    static const std::string kOnMac = "/Users/u/.npm/_npx/a3f4a3f4a3f4a3f4/node_modules";
    static const std::string kCask = kBrew + "Caskroom/codex/0.169.0/codex-aarch64-apple-darwin";
    static const std::string kCodexApp = "/Applications/Codex.app/Contents/Resources/codex";
    static const std::vector<Line> kLines = {
        {kSupport + "2.1.328/claude.app/Contents/MacOS/claude", {"claude"}, "agent/agent"},
        {kSupport + "2.0.14/claude", {"claude", "-p", "--output-format", "x"}, "agent/headless"},
        {kBrew + "Caskroom/claude-code/2.1.328/claude", {"claude"}, "agent/agent"},
        {kBrew + "Caskroom/claude-code/2.1.328/claude",
         {"claude", "daemon", "run"},
         "agent_daemon/daemon"},
        {kCask, {"codex"}, "agent/agent"},
        {"/usr/local/Caskroom/codex/0.169.0/codex-x86_64-apple-darwin",
         {"codex", "app-server"},
         "agent/server"},
        {kCodexApp, {kCodexApp, "app-server", "--analytics-default-enabled"}, "agent/server"},
        {kBrew + "lib/node_modules/@openai/codex/node_modules/@openai/codex-darwin-arm64/vendor/"
                 "aarch64-apple-darwin/bin/codex",
         {"codex", "app-server"},
         "agent/server"},
        {kBrew + "Cellar/opencode/1.18.33/bin/opencode", {"opencode"}, "agent/agent"},
        {"/Applications/Goose.app/Contents/Resources/bin/goosed", {"goosed"}, "agent/agent"},
        {kBrewNode, {"npm exec xcodebuildmcp@latest mcp"}, "mcp_server/server"},
        {kBrewNode, {"node", kOnMac + "/.bin/mcp-server-memory"}, "mcp_server/server"},
        {kOnIntel, {"node", kBrew + "bin/mcp-server-memory"}, "mcp_server/server"},
        {kBrew + "Cellar/uv/0.9.2/bin/uv",
         {"uv", "tool", "uvx", "mcp-server-git"},
         "mcp_server/server"},
        {kFramework, {kFramework, "-m", "mcp_server_git"}, "mcp_server/server"},
        {"/bin/zsh", {"/bin/zsh", "-c", "-l", kSnapshot}, "tool_shell/command"},
        {"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
         {"Google Chrome", "--headless", "--remote-debugging-pipe",
          "--user-data-dir=/var/folders/3x/k2/T/playwright_chromiumdev_profile-Ab12"},
         "headless_browser/browser"},
        // The user's own
        {"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", {"Google Chrome"}, ""},
        {"/Applications/Google Chrome.app/Contents/Frameworks/Google Chrome Framework.framework/"
         "Versions/140.0/Helpers/Google Chrome Helper.app/Contents/MacOS/Google Chrome Helper",
         {"Google Chrome Helper", "--type=gpu-process", "--headless",
          "--user-data-dir=/var/folders/3x/k2/T/playwright_chromiumdev_profile-Ab12"},
         ""},
        {"/Applications/Codex.app/Contents/MacOS/Codex", {"Codex"}, ""},
        {"/Applications/Claude.app/Contents/MacOS/Claude", {"Claude"}, ""},
        {kBrew + "Caskroom/codex-notes/1.0/codex-notes", {"codex-notes"}, ""},
        {kFramework, {kFramework, "/Users/u/work/server.py"}, ""},
    };
    return kLines;
}

// Each has words or a name of the lines above.
const std::vector<Line>& strangers() {
    const std::string scripted = "/home/u/work/claude/versions/2/run.js";
    static const std::vector<Line> kLines = {
        {"/usr/bin/claude", {"claude"}, ""},  // whatever it is, no folder tells
        {"/home/u/bin/claude.exe", {"claude.exe"}, ""},
        {"/home/u/claude/version/2.1.328", {"claude"}, ""},
        {kNode, {"claude", "--continue"}, ""},  // not written over: an argv of two words
        {kNode, {"claude code"}, ""},
        {kNode, {"claudette"}, ""},
        {kNode, {"node", scripted}, ""},
        {kNode, {"node", "/home/u/work/codex-notes/server.js"}, ""},
        {kNode, {"node", "/home/u/work/gemini.js"}, ""},
        {kNode, {"node", "-e", "1", kLinks + "/gemini"}, ""},
        {kPython, {"python3", "/usr/local/bin/codex"}, ""},
        {"/usr/bin/codex-notes", {"codex"}, ""},
        {"/usr/bin/vim", {"vim", kLinks + "/codex"}, ""},
        {"/usr/bin/tail", {"tail", "-f", "/home/u/.claude/daemon.log"}, ""},
        {"/usr/bin/goose", {"goose", "migrate", "up"}, ""},  // the tool for databases
        {"/usr/bin/copilot", {"copilot", "init"}, ""},       // that of AWS
        {kNode, {"npm exec @zed-industries/vim"}, ""},
        {kNode, {"node", "/home/u/work/daemon/daemon.js"}, ""},
        {kNode, {"node", "/home/u/work/app-server-broker.mjs", "test"}, ""},
        {kNode, {"node", "/home/u/work/worker-service.cjs"}, ""},
        {kNode, {"node", "/home/u/work/openclaw/src/worker.js"}, ""},
        {kNode, {"node", "/home/u/mcp/server.js"}, ""},
        {kNode, {"node", "mcp-server.js"}, ""},
        {kNode, {"node", "/home/u/mcp/node_modules/.bin/next", "dev"}, ""},
        {kNode, {"node", "/w/node_modules/.pnpm/next@15_mcp@1/node_modules/next/bin/next"}, ""},
        {kNode, {"node", "/w/node_modules/next/dist/mcp/server.js"}, ""},
        {kNode, {"node", "/w/my_node_modules/mcp/x.js"}, ""},
        {kNode, {"node", kLinks + "/vite", "mcp"}, ""},
        {kNode, {"node", kLinks + "/supergateways"}, ""},
        {kNode, {"chrome-devtools-mcp --help"}, ""},
        {kNode, {"chrome-devtools-mcp", "x"}, ""},
        {kNode, {"node", "/w/telemetry/watchdog/main.js", "--parent-pid=60"}, ""},
        {kBun, {"bun", "x-mcp"}, ""},
        {kBun, {"bun", "/home/u/work/mcp-demo/etl.ts"}, ""},
        {"/home/u/.local/bin/uv", {"uv", "run", "mcp-atlassian"}, ""},
        {kNode, {"node", "/home/u/work/tsserver.js", "--useNodeIpc"}, ""},
        {kNode, {"node", "/w/node_modules/typescript/lib/tsc.js", "--watch"}, ""},
        {kNode, {"node", "/home/u/my-language-server/index.js", "--stdio"}, ""},
        {kBash, {"bash", "-c", "make"}, ""},
        {kBash, {"bash", "-c", "grep source .claude/shell-snapshots/snapshot-x"}, ""},
        {kBash, {"bash", "-c", "source /home/u/env.sh && make"}, ""},
        {kBash, {"bash", "/home/u/.claude/shell-snapshots/snapshot-bash-1.sh"}, ""},
        {"/usr/bin/cat", {"cat", "-c", kSnapshot}, ""},
        {"/usr/bin/dash", {"sh", "-c", "'mcp-server-filesystem' /srv"}, ""},
        {"/usr/lib/chromium/chromium",
         {"/usr/lib/chromium/chromium --type=renderer --headless --user-data-dir=/tmp/x"},
         ""},
        {"/usr/lib/chromium/chrome_crashpad_handler",
         {"chrome_crashpad_handler", "--monitor-self", "--database=/tmp/x"},
         ""},
        {"/usr/lib/chromium/chromium", {"chromium", "--user-data-dir=/tmp/x"}, ""},
    };
    return kLines;
}

}  // namespace

TEST_CASE("agents are recognised by their programs, and never more than reported") {
    check_all(agents());
    for (const Line& line : agents()) {
        INFO(line.argv.front());
        CHECK(judgement_of(orphan(line)).verdict == Verdict::orphan);
        CHECK(judgement_of(orphan(line)).action == Action::report);
        CHECK(judgement_of(below_a_host(line)).action == Action::keep);
    }
}

TEST_CASE("what agents leave running on purpose is healthy below pid 1") {
    check_all(daemons());
    for (const Line& line : daemons()) {
        INFO(line.argv.front());
        const Judgement one = judgement_of(orphan(line));
        CHECK(one.verdict == Verdict::attached);
        CHECK(one.action == Action::keep);
        CHECK(has_code(one, "veto.never"));
    }
}

TEST_CASE("MCP servers are ended only where both ends of their stdio are dead") {
    check_all(servers());
    for (const Line& line : servers()) {
        INFO(line.argv.front() << " " << line.argv.back());
        CHECK(judgement_of(orphan(line)).action == Action::reap);
        CHECK(judgement_of(below_a_host(line)).action == Action::keep);
        for (const auto& end : {null_end(), live_end()}) {
            FactsBuilder half = orphan(line);
            half[kPid].standard_output = end;
            CHECK(judgement_of(half).action == Action::report);
            half[kPid].standard_input = end;
            CHECK(judgement_of(half).action == Action::report);
        }
    }
}

TEST_CASE("language servers, tool shells and browsers are reported") {
    check_all(helpers());
    for (const Line& line : helpers()) {
        INFO(line.argv.front() << " " << line.argv.back());
        FactsBuilder builder = orphan(line);
        builder[kPid].listeners.value.push_back({"unix", "/tmp/x/SingletonSocket", 0});
        CHECK(judgement_of(builder).verdict == Verdict::orphan);
        CHECK(judgement_of(builder).action == Action::report);
        CHECK(judgement_of(below_a_host(line)).verdict == Verdict::attached);
    }
}

TEST_CASE("what Macs run has other paths and names") {
    check_all(on_macs());
    for (const Line& line : on_macs()) {
        INFO(line.exe);
        FactsBuilder builder = orphan(line).on_mac();
        if (line.expected[0] == '\0') continue;
        CHECK((judgement_of(builder).action == Action::reap) ==
              (std::string_view(line.expected) == "mcp_server/server"));
        builder[kPid].first_parent = scanner::FirstParent::launchd;
        CHECK(judgement_of(builder).action == Action::keep);
    }
}

TEST_CASE("what has their words or names belongs to no family of agents") {
    check_all(strangers());
}

TEST_CASE("no rule of the pack counts before it is switched on") {
    for (const auto* lines : {&agents(), &daemons(), &servers(), &helpers()}) {
        for (const Line& line : *lines) CHECK(judged(orphan(line), kPid).family.empty());
    }
}

TEST_CASE("what is only listed is ended in no place but a folder that was named") {
    policy::Rules rules = policy::built_in_rules();
    policy::list_apart(rules);
    policy::add_leftovers(rules, {"/w/a"}, "/w/a");
    policy::Settings settings;
    const auto action_of = [&](const Line& line) {
        FactsBuilder builder = orphan(line);
        builder[kPid].cwd = Reading<std::string>::of("/w/a");
        return judged_by(rules, builder, kPid, settings).action;
    };
    for (const Line& line : servers()) CHECK(action_of(line) == Action::report);
    settings.under = {"/w/a"};
    for (const Line& line : servers()) CHECK(action_of(line) == Action::reap);
    for (const auto* lines : {&agents(), &helpers()}) {
        for (const Line& line : *lines) {
            const bool serves = std::string_view(line.expected).starts_with("language_server/");
            CHECK(action_of(line) == (serves ? Action::reap : Action::report));
        }
    }
    for (const Line& line : daemons()) CHECK(action_of(line) == Action::keep);
}

TEST_CASE("a language server that an editor reaches by other means than stdio is never proven") {
    for (const char* option : {"--socket=5001", "--pipe=/tmp/x", "--node-ipc"}) {
        const Line server = {kNode, {"node", kLinks + "/vscode-json-language-server", option}, ""};
        CHECK(judgement_of(orphan(server)).verdict == Verdict::unknown);
        CHECK(judgement_of(orphan(server)).action == Action::report);
        CHECK(judgement_of(below_a_host(server)).action == Action::keep);
    }
    const auto of_client = [](const char* pid) {
        return orphan(
            {kNode, {"node", kLinks + "/vscode-json-language-server", "--stdio", pid}, ""});
    };
    FactsBuilder builder = of_client("--clientProcessId=60");
    builder.relative(row(60, 1, "/usr/bin/code", {"code"}));
    CHECK(has_code(judgement_of(builder), "veto.owner"));
    CHECK(judgement_of(of_client("--clientProcessId=60")).action == Action::reap);
}

TEST_CASE("an agent keeps what runs it for its user from being a leftover") {
    policy::Rules rules = policy::built_in_rules();
    policy::list_apart(rules);
    policy::add_leftovers(rules, {"/w/a"}, "/w/a");
    policy::Settings settings;
    settings.under = {"/w/a"};
    const auto supervised = [&](const char* exe, const Line& below) {
        FactsBuilder builder;
        builder.orphan(row(60, 1, exe, {exe, "x"})).orphan(row(kPid, 60, below.exe, below.argv));
        for (const Pid pid : {Pid{60}, kPid}) builder[pid].cwd = Reading<std::string>::of("/w/a");
        builder[kPid].standard_input = builder[kPid].standard_output = null_end();
        return judged_by(rules, builder, 60, settings);
    };
    for (const char* exe : {"/usr/bin/timeout", "/usr/bin/tini", kPython}) {
        const Judgement held = supervised(exe, {kClaude, {"claude", "-p", "x"}, ""});
        CHECK(held.action == Action::report);
        CHECK(has_code(held, "veto.descendant"));
        CHECK(supervised(exe, {"/w/a/tool", {"tool"}, ""}).action == Action::reap);
    }
}

TEST_CASE("a watchdog is kept while the server lives that it names, and else only reported") {
    const Line& watchdog = *std::ranges::find_if(servers(), [](const Line& line) {
        return std::string_view(line.expected) == "mcp_server/watchdog";
    });
    FactsBuilder builder = orphan(watchdog);
    builder[kPid].standard_output = null_end();
    CHECK(judgement_of(builder).verdict == Verdict::unknown);
    CHECK(has_code(judgement_of(builder), "owner.dead"));
    auto server = row(60, 1, kNode, {"chrome-devtools-mcp"});
    server.start_ticks = kNow - 2 * kHour;
    CHECK(judgement_of(builder.relative(server)).verdict == Verdict::attached);
}

TEST_CASE("a server whose browser listens is reported, and ended when that is gone") {
    FactsBuilder builder = orphan({kNode, {"chrome-devtools-mcp"}, ""});
    CHECK(judgement_of(builder).action == Action::reap);
    const auto& chromium = *std::ranges::find_if(helpers(), [](const Line& line) {
        return std::string_view(line.expected) == "headless_browser/browser";
    });
    builder.orphan(row(200, kPid, chromium.exe, chromium.argv));
    builder[200].listeners.value.push_back({"unix", "/tmp/x/SingletonSocket", 0});
    CHECK(judgement_of(builder).verdict == Verdict::orphan);
    CHECK(judgement_of(builder).action == Action::report);
    CHECK(has_code(judgement_of(builder), "veto.descendant"));
}

TEST_CASE("every agent is a host of MCP servers, also as process 1 of a container") {
    const Line server = {kNode, {"node", kLinks + "/mcp-server-memory"}, ""};
    for (const Line& host : agents()) {
        const std::string_view role = host.expected;
        const bool starts_none = host.argv.back() == "5f0b5f0b" || host.argv.back() == "serve";
        if (starts_none || role != "agent/agent" || host.argv.front().starts_with("npm")) continue;
        const bool adapter = host.argv.back().find("-acp/") != std::string::npos;
        if (adapter || host.exe.find("kiro-cli") != std::string::npos) continue;
        INFO(host.exe << " " << host.argv.back());
        FactsBuilder builder = orphan(server);
        builder.first_process() = row(1, 0, host.exe, host.argv);
        CHECK(judgement_of(builder).verdict == Verdict::abandoned);
        builder[kPid].standard_input = live_end();
        CHECK(judgement_of(builder).verdict == Verdict::attached);
    }
}

TEST_CASE("what hangs below a leaked agent is left with it") {
    const Line gemini = {kNode, {"node", kLinks + "/gemini"}, ""};
    FactsBuilder builder = orphan(gemini);
    builder.orphan(row(200, kPid, kNode, {"node", kLinks + "/mcp-server-memory"}));
    builder[200].standard_input = builder[200].standard_output = live_end();
    const Judgement server = judged_by(all_rules(), builder, 200);
    CHECK(server.verdict == Verdict::held);
    CHECK(server.action == Action::report);
    CHECK(has_code(server, "host.leaked"));
}

TEST_CASE("what codex started is left with the launcher of codex") {
    FactsBuilder builder = orphan({kNode, {"node", kLinks + "/codex", "app-server"}, ""});
    builder.orphan(row(200, kPid, kCodex, {kCodex, "app-server"}));
    builder.orphan(row(300, 200, kNode, {"node", kLinks + "/mcp-server-memory"}));
    builder[300].standard_input = builder[300].standard_output = live_end();
    const Judgement codex = judged_by(all_rules(), builder, 200);
    CHECK(codex.verdict == Verdict::abandoned);
    CHECK_FALSE(has_code(codex, "host.leaked"));
    const Judgement server = judged_by(all_rules(), builder, 300);
    CHECK(server.verdict == Verdict::held);
    CHECK(server.action == Action::report);
    CHECK(has_code(server, "host.leaked"));
}

// npm links it as node_modules/.bin/NAME, or for all as bin/NAME.
TEST_CASE("what npm links in a project is known where it links for all, too") {
    for (const policy::FamilyRule& family : all_rules().families) {
        for (const policy::Program& program : family.programs) {
            for (const std::string& script : program.scripts) {
                if (!script.starts_with(".bin/")) continue;
                INFO(family.name << " " << script);
                CHECK(std::ranges::find(program.scripts, script.substr(1)) !=
                      program.scripts.end());
            }
        }
    }
}

}  // namespace reaper::test
