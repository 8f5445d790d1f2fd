// What the built-in families say of processes that are orphans in every respect but the one that a
// test changes.
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
using scanner::EndKind;
using scanner::PeerState;
using scanner::Pid;
using scanner::ProcessRow;
using scanner::Reading;
using scanner::StdioEnd;
using Words = std::vector<std::string>;

constexpr Pid kPid = 100;
constexpr Pid kOwner = 60;
constexpr const char* kPython = "/usr/bin/python3.11";
constexpr const char* kNode = "/usr/bin/node";
constexpr const char* kChrome = "/opt/google/chrome/chrome";
const std::string kSockets = "/tmp/agent-browser-h_1";
const std::string kNpx = "/home/u/.npm/_npx/a3f4/node_modules/.bin/mcp-server-filesystem";
const Words kServe = {"python", "-m",        "hermes_cli.main", "serve",
                      "--host", "127.0.0.1", "--port",          "0"};
const Words kWatchdog = {"python",
                         "/x/tools/mcp_stdio_watchdog.py",
                         "--ppid",
                         "60",
                         "--create-time",
                         "1799992800.92",
                         "--",
                         "npx"};

FactsBuilder orphan(const char* exe, Words argv) {
    FactsBuilder builder;
    builder.orphan(row(kPid, 1, exe, std::move(argv)));
    return builder;
}

FactsBuilder with_variable(FactsBuilder builder, const std::string& name,
                           const std::string& value) {
    builder[kPid].environment.value[name] = value;
    return builder;
}

FactsBuilder without_stdio(FactsBuilder builder) {
    builder[kPid].standard_input = null_end();
    builder[kPid].standard_output = null_end();
    return builder;
}

FactsBuilder under_host(FactsBuilder builder) {
    builder[kPid].row.ppid = kHost;
    builder[kPid].standard_input = live_end();
    return builder;
}

// It began an hour before the candidate did.
FactsBuilder with_owner(FactsBuilder builder) {
    ProcessRow owner = row(kOwner, 1, "/usr/bin/zsh", {"zsh"});
    owner.start_ticks = kNow - 2 * kHour;
    return builder.relative(owner);
}

Judgement judgement_of(const FactsBuilder& builder) {
    return judged_by(all_rules(), builder, kPid);
}

// "family/role verdict action"
std::string said(const FactsBuilder& builder) {
    const Judgement one = judgement_of(builder);
    if (one.family.empty()) return "";
    return one.family + "/" + one.role + " " + std::string(to_string(one.verdict)) + " " +
           std::string(to_string(one.action));
}

std::string said(const char* exe, Words argv) {
    return said(orphan(exe, std::move(argv)));
}

bool is_never_ended(const FactsBuilder& builder) {
    auto settings = also({Verdict::abandoned, Verdict::duplicate, Verdict::held});
    settings.reap_inside_services = true;
    policy::Rules rules = all_rules();
    for (policy::FamilyRule& rule : rules.families) {
        for (auto& [verdict, action] : rule.actions) action = Action::reap;
    }
    return has_code(judgement_of(builder), "veto.never") &&
           policy::make_plan(policy::judge(builder.facts(), rules, settings, {}), 256)
               .steps.empty();
}

FactsBuilder browser(const std::string& home = kSockets) {
    return with_variable(orphan(kChrome, {"chrome", "--headless=new",
                                          "--user-data-dir=/tmp/agent-browser-chrome-1"}),
                         "AGENT_BROWSER_SOCKET_DIR", home);
}

Claim owner_file(Access owner) {
    Claim claim = claim_of(ClaimKind::browser_owner, kSockets, 0);
    claim.spawner = kOwner;
    claim.spawner_row.access = owner;
    if (owner == Access::ok) claim.spawner_row.value = row(kOwner, 1, kPython, {"hermes"});
    return claim;
}

}  // namespace

TEST_CASE("line 23: of two servers with the same argv the one whose parent is gone is leaked") {
    CHECK(said(kPython, kServe) == "serve/desktop orphan report");
    CHECK(said(under_host(orphan(kPython, kServe))) == "serve/desktop attached keep");
}

TEST_CASE("only --port 0 can be a leak, in each of its spellings") {
    const auto server = [](Words more) {
        Words argv = {"python", "/home/u/venv/bin/hermes", "dashboard"};
        argv.insert(argv.end(), more.begin(), more.end());
        return orphan(kPython, argv);
    };
    CHECK(said(server({"--port=0"})) == "serve/desktop orphan report");
    CHECK(said(server({"--port", "0"})) == "serve/desktop orphan report");
    for (const Words& fixed :
         {Words{}, Words{"--port", "9119"}, Words{"--port=9119"}, Words{"--port", "00"}}) {
        CHECK(said(server(fixed)) == "serve/daemon designated keep");
        CHECK(is_never_ended(server(fixed)));
        CHECK(judgement_of(server(fixed)).evidence.front().detail ==
              "a serve daemon is never ended");
    }
}

TEST_CASE("a server listens: that forbids its end, and leaves it an orphan") {
    FactsBuilder builder = orphan(kPython, kServe);
    listen_on(builder[kPid], 40'000);
    CHECK(said(builder) == "serve/desktop orphan report");
    CHECK(vetoes_of(judgement_of(builder)) == Words{"veto.listens"});
}

TEST_CASE("HERMES_PARENT_PID tells whose a server is: gone, alive, none") {
    const FactsBuilder silent = without_stdio(orphan(kPython, kServe));
    const FactsBuilder named = with_variable(silent, "HERMES_PARENT_PID", "60");
    CHECK(said(silent) == "serve/desktop unknown report");
    CHECK(said(named) == "serve/desktop orphan report");
    CHECK(has_code(judgement_of(named), "owner.dead"));
    CHECK(said(with_owner(named)) == "serve/desktop attached keep");
    CHECK(vetoes_of(judgement_of(with_owner(named))) == Words{"veto.owner"});
    CHECK(said(with_variable(silent, "HERMES_PARENT_PID", "x")) == "serve/desktop unknown report");
    for (const char* purpose : {"serve", "dashboard"}) {
        const std::string marker = std::string("v1:ab:") + purpose + ":60:-";
        CHECK(said(with_variable(silent, "HERMES_SPAWN", marker)) == "serve/desktop orphan report");
    }
    CHECK(said(with_variable(silent, "HERMES_SPAWN", "v1:ab:gateway:60:-")) ==
          "serve/desktop unknown report");
}

TEST_CASE("a server over SSH is protected by its lock") {
    Words argv = kServe;
    argv.insert(argv.begin() + 4, "--isolated");
    FactsBuilder builder = orphan(kPython, argv);
    CHECK(said(builder) == "serve/isolated orphan report");
    builder.claim(claim_of(ClaimKind::desktop_lock, kHermesHome, kPid));
    CHECK(said(builder) == "serve/isolated designated keep");
}

TEST_CASE(
    "gateways, workers of the board, terminal commands and sessions are recognised and never "
    "ended") {
    const auto check = [](const FactsBuilder& builder, const std::string& expected,
                          const std::string& why) {
        CHECK(said(builder) == expected);
        CHECK(judgement_of(builder).evidence.front().detail == why);
        CHECK(is_never_ended(builder));
    };
    for (const Words& argv :
         {Words{"python", "-m", "hermes_cli.main", "gateway", "run", "--replace"},
          Words{"python", "-m", "hermes_cli.main", "--profile", "work", "gateway", "run"},
          Words{"python", "-m", "hermes_cli.main", "-p", "serve", "gateway", "run"},
          Words{"python", "/v/bin/hermes", "gateway"}, Words{"python", "/v/bin/hermes-gateway"},
          Words{"python", "hermes_cli/main.py", "gateway", "run"},
          Words{"python", "/x/gateway/run.py"}, Words{"python", "-m", "gateway.run"},
          Words{"python", "-m", "hermes_cli.stderr_timestamp", "--error-log", "/x", "--", "python",
                "-m", "x"}}) {
        check(orphan(kPython, argv), "gateway/gateway designated keep", "a gateway is never ended");
    }
    const Words chat = {"python", "/v/bin/hermes", "-p", "a", "--toolsets", "b,c", "chat", "-q"};
    Words task = chat;
    task.push_back("work kanban task t_1");
    check(orphan(kPython, task), "kanban/worker supervised keep", "a kanban worker is never ended");
    Words talk = chat;
    talk.push_back("work on my kanban");
    check(with_variable(orphan(kPython, talk), "HERMES_KANBAN_TASK", "t_1"),
          "kanban/worker supervised keep", "a kanban worker is never ended");
    check(orphan(kPython, talk), "session/session attached keep", "a session is never ended");
    for (const Words& argv :
         {Words{"python", "/v/bin/hermes"}, Words{"python", "/v/bin/hermes", "--resume", "serve"},
          Words{"python", "/v/bin/hermes", "chat", "update"}}) {
        check(orphan(kPython, argv), "session/session attached keep", "a session is never ended");
    }
    for (const Words& argv : {Words{"python", "-m", "hermes_cli.main", "update"},
                              Words{"python", "/v/bin/hermes", "-p", "work", "update", "--yes"}}) {
        check(orphan(kPython, argv), "update/update attached keep", "an update is never ended");
    }
    check(orphan("/usr/bin/hermes-setup", {"hermes-setup", "--update"}),
          "update/update attached keep", "an update is never ended");
    CHECK(said(orphan("/usr/bin/hermes-setup", {"hermes-setup"})).empty());
    const FactsBuilder shell = orphan("/usr/bin/bash", {"bash", "-lic", "make"});
    check(with_variable(shell, "_HERMES_GATEWAY", "1"), "terminal/command foreign keep",
          "a terminal command is never ended");
    CHECK(said(shell).empty());
    CHECK(
        said(with_variable(orphan("/usr/bin/bash", {"bash", "-c", "make"}), "_HERMES_GATEWAY", "1"))
            .empty());
}

TEST_CASE("the command of Hermes comes after the options that its parser knows, and their values") {
    const auto before = [](const Words& options, const Words& command) {
        Words argv = {"python", "/v/bin/hermes"};
        argv.insert(argv.end(), options.begin(), options.end());
        argv.insert(argv.end(), command.begin(), command.end());
        return said(kPython, argv);
    };
    for (const std::string& option :
         Words{"-z", "--oneshot", "--usage-file", "-m", "--model", "--provider", "--reasoning",
               "-t", "--toolsets", "-r", "--resume", "--in", "-c", "--continue", "-s", "--skills",
               "-p", "--profile", "--config"}) {
        INFO(option);
        CHECK(before({option, "value"}, {"gateway", "run"}).starts_with("gateway/gateway"));
        CHECK(before({option, "gateway"}, {"chat"}).starts_with("session/session"));
        CHECK(before({option, "value"}, {"serve", "--port", "0"}).starts_with("serve/desktop"));
        CHECK(before({option, "value"}, {"update"}).starts_with("update/update"));
    }
    for (const std::string& option : Words{"-w", "--worktree", "--no-restore-cwd", "--accept-hooks",
                                           "--yolo", "--safe-mode", "--tui", "--cli", "--dev"}) {
        INFO(option);
        CHECK(before({option}, {"gateway", "run"}).starts_with("gateway/gateway"));
        CHECK(before({option}, {"serve", "--port", "0"}).starts_with("serve/desktop"));
        CHECK(before({option}, {"update"}).starts_with("update/update"));
    }
}

TEST_CASE("a profile is a home of its own, below the root of whatever home the environment names") {
    const auto home = [](Words options, const std::string& named) {
        Words argv = {"python", "-m", "hermes_cli.main"};
        argv.insert(argv.end(), options.begin(), options.end());
        argv.insert(argv.end(), {"gateway", "run"});
        FactsBuilder builder = orphan(kPython, argv);
        return judgement_of(named.empty() ? builder : with_variable(builder, "HERMES_HOME", named))
            .home;
    };
    CHECK(home({}, "") == kHermesHome);
    CHECK(home({"--profile", "work"}, "") == kHermesHome + "/profiles/work");
    CHECK(home({"-p", "work"}, "") == kHermesHome + "/profiles/work");
    CHECK(home({"--profile=work"}, "/srv/h") == "/srv/h/profiles/work");
    CHECK(home({"--profile", "work"}, "/srv/h/profiles/other") == "/srv/h/profiles/work");
    CHECK(home({"--profile", "default"}, "/srv/h/profiles/other") == "/srv/h");
    CHECK(home({"--profile", "../x"}, "/srv/h") == "/srv/h");
    CHECK(home({"--profile", ""}, "/srv/h") == "/srv/h");
}

TEST_CASE("the terminal interface, built and from its sources") {
    const auto tui = [](Words argv, const std::string& script) {
        FactsBuilder builder = orphan(kNode, std::move(argv));
        builder[kPid].script = Reading<std::string>::of(script);
        builder[kPid].package = Reading<std::string>::of("ui-tui");
        return builder;
    };
    const FactsBuilder built =
        tui({"node", "--expose-gc", "/x/ui-tui/dist/entry.js"}, "/x/ui-tui/dist/entry.js");
    CHECK(said(built) == "tui/viewer orphan report");
    CHECK(said(under_host(built)) == "tui/viewer attached keep");
    const Words sources = {"node", "/x/node_modules/.bin/tsx", "src/entry.tsx"};
    CHECK(said(tui(sources, "/x/ui-tui/src/entry.tsx")) == "tui/viewer orphan report");
    CHECK(said(tui(sources, "/x/shop/src/entry.tsx")) == "tui/viewer foreign keep");
    CHECK(said(kNode, {"node", "/x/shop/dist/entry.js"}).empty());
    FactsBuilder paged = built;
    paged[kPid].standard_input = paged[kPid].standard_output =
        Reading<StdioEnd>::of({EndKind::terminal, PeerState::unknown, 7, {}});
    CHECK(said(paged) == "tui/viewer attached keep");
}

TEST_CASE("what the terminal interface and a server start") {
    CHECK(said(kPython, {"python", "-u", "-m", "tui_gateway.entry"}) ==
          "tui_gateway/worker orphan report");
    CHECK(said(kPython, {"python", "-m", "tui_gateway.compute_host"}) ==
          "compute_host/worker orphan report");
    FactsBuilder emacs = orphan(kPython, {"python", "-m", "tui_gateway.entry"});
    emacs.relative(row(kOwner, 1, "/usr/bin/emacs", {"emacs"}));
    emacs[kPid].row.ppid = kOwner;
    emacs[kPid].standard_input = live_end();
    CHECK(said(emacs) == "tui_gateway/worker attached keep");
}

TEST_CASE("a watchdog records its host by pid and start") {
    const FactsBuilder silent = without_stdio(orphan(kPython, kWatchdog));
    CHECK(said(silent) == "mcp/watchdog orphan report");
    CHECK(said(with_owner(silent)) == "mcp/watchdog attached keep");
    FactsBuilder reused = silent;
    ProcessRow other = row(kOwner, 1, "/usr/bin/zsh", {"zsh"});
    other.start_ticks =
        kNow - 2 * kHour - 500;  // older than the watchdog, of another time: did it start it?
    CHECK(said(reused.relative(other)) == "mcp/watchdog unknown report");
    CHECK(vetoes_of(judgement_of(reused)).empty());
    CHECK(said(without_stdio(orphan(kPython, {"python", "/x/mcp_stdio_watchdog.py", "--ppid",
                                              "x"}))) == "mcp/watchdog unknown report");
    CHECK(said(kPython, {"python", "/x/mcp_stdio_watchdog.py"}).empty());
}

TEST_CASE("a guard is kept as long as the leader of its host's group lives") {
    const Words argv = {"python", "mcp_death_supervisor.py", "--parent-pgid", "60"};
    CHECK(said(with_owner(orphan(kPython, argv))) == "mcp/guard attached keep");
    CHECK(said(under_host(orphan(kPython, argv))) == "mcp/guard attached keep");
    CHECK(said(kPython, argv) == "mcp/guard orphan report");
}

TEST_CASE("an MCP server of Hermes is told by its mark, whatever it runs") {
    const std::string mark = "v1:ab12:mcp-helper:60:-";
    for (const auto& [exe, argv] :
         {std::pair(kNode, Words{"node", "/x/index.js"}),
          std::pair(kNode, Words{"npm exec @x/y", "", ""}),
          std::pair(kPython, Words{"python", "-m", "whatever"}),
          std::pair("/home/u/.local/bin/uv", Words{"uv", "tool", "uvx", "x"}),
          std::pair(kPython, Words{"python", "/home/u/.local/bin/bm", "mcp"}),
          std::pair("/home/u/.local/bin/mimir", Words{"mimir", "--db", "/home/u/notes.db"})}) {
        const FactsBuilder builder = without_stdio(orphan(exe, argv));
        CHECK(said(builder).empty());
        // Whatever it starts inherits the mark: a gone owner alone proves nothing.
        CHECK(said(with_variable(builder, "HERMES_SPAWN", mark)) == "mcp/server unknown report");
        CHECK(said(with_variable(orphan(exe, argv), "HERMES_SPAWN", mark)) ==
              "mcp/server orphan report");
        CHECK(said(with_owner(with_variable(builder, "HERMES_SPAWN", mark))) ==
              "mcp/server attached keep");
        CHECK(said(with_variable(builder, "HERMES_SPAWN", "v1:ab12:gateway:60:-")).empty());
        FactsBuilder hidden = with_variable(builder, "HERMES_SPAWN", mark);
        hidden[kPid].environment.access = Access::denied;
        CHECK(said(hidden).empty());
        // Hermes' own record does.
        Claim record = claim_of(ClaimKind::ledger, "/home/u/.hermes", kPid);
        record.spawner = kOwner;
        record.spawner_row.access = Access::gone;
        CHECK(said(with_variable(builder, "HERMES_SPAWN", mark).claim(record)) ==
              "mcp/server orphan report");
        CHECK(said(FactsBuilder(builder).claim(record)).empty());
    }
    CHECK(said(kPython, {"python", "-m", "agent.transports.hermes_tools_mcp_server"}) ==
          "mcp/server orphan report");
    // What an MCP server starts inherits its mark, and stays what it is.
    CHECK(said(with_variable(orphan(kPython, kServe), "HERMES_SPAWN", mark)) ==
          "serve/desktop orphan report");
    CHECK(said(with_variable(orphan(kPython, {"python", "/v/bin/hermes"}), "HERMES_SPAWN", mark)) ==
          "session/session attached keep");
}

TEST_CASE("a browser without a record belongs to another program") {
    CHECK(said(browser()) == "agent_browser/browser foreign keep");
    CHECK(vetoes_of(judgement_of(browser())) == Words{"veto.unrecorded"});
    CHECK(said(browser().claim(owner_file(Access::gone))) == "agent_browser/browser orphan report");
    CHECK(said(browser().claim(owner_file(Access::ok))) == "agent_browser/browser attached keep");
    CHECK(said(browser().claim(owner_file(Access::denied))) ==
          "agent_browser/browser unknown report");
    CHECK(said(browser().claim(owner_file(Access::gone)).claim(owner_file(Access::ok))) ==
          "agent_browser/browser attached keep");
    CHECK(said(browser("/tmp/agent-browser-h_2").claim(owner_file(Access::gone))) ==
          "agent_browser/browser foreign keep");
    Claim planted = owner_file(Access::gone);
    planted.owner = kUser + 1;
    CHECK(said(browser().claim(planted)) == "agent_browser/browser foreign keep");
    Claim corrupt = owner_file(Access::gone);
    corrupt.access = Access::malformed;
    CHECK(said(browser().claim(corrupt)) == "agent_browser/browser unknown report");
    CHECK(said(browser().claim(owner_file(Access::gone)).claim(corrupt)) ==
          "agent_browser/browser unknown report");
    corrupt.home = "/tmp/agent-browser-h_2";
    CHECK(said(browser().claim(corrupt)) == "agent_browser/browser foreign keep");
}

TEST_CASE("dead stdio proves nothing of a browser: its daemon never had any") {
    FactsBuilder builder = browser().claim(owner_file(Access::gone));
    builder[kPid].standard_input = live_end();
    CHECK(said(builder) == "agent_browser/browser held report");
    CHECK(has_code(judgement_of(browser()), "no_proof"));
}

TEST_CASE("the daemon of a browser, and what is none of its processes") {
    const FactsBuilder daemon =
        orphan("/usr/lib/agent-browser-linux-x64", {"agent-browser-linux-x64"});
    CHECK(said(daemon).empty());
    CHECK(said(with_variable(daemon, "AGENT_BROWSER_SOCKET_DIR", kSockets)
                   .claim(owner_file(Access::gone))) == "agent_browser/daemon orphan report");
    CHECK(said(with_variable(orphan(kNode, {"node", "/x/agent-browser/dist/daemon.js"}),
                             "AGENT_BROWSER_SOCKET_DIR", kSockets)
                   .claim(owner_file(Access::gone))) == "agent_browser/daemon orphan report");
    CHECK(
        said(kChrome, {"chrome", "--type=renderer", "--user-data-dir=/tmp/agent-browser-chrome-1"})
            .empty());
    CHECK(said(kChrome, {"chrome", "https://example.org"}).empty());
    CHECK(said(under_host(browser())) == "agent_browser/browser foreign keep");
    Claim host = owner_file(Access::ok);
    host.spawner = kHost;
    host.spawner_row.value = row(kHost, 1, kPython, {"hermes"});
    CHECK(said(under_host(browser()).claim(host)) == "agent_browser/browser attached keep");
    FactsBuilder abandoned = browser();
    abandoned[kPid].row.ppid = kHost;
    CHECK(said(abandoned.claim(owner_file(Access::gone))) ==
          "agent_browser/browser abandoned report");
}

TEST_CASE("the pack agents is off, and MCP servers of other agents are ended once it is on") {
    FactsBuilder builder = orphan(kNode, {"node", kNpx, "/srv"});
    CHECK(judged(builder, kPid).family.empty());
    CHECK(said(builder) == "mcp_server/server orphan reap");
    CHECK(said(under_host(builder)) == "mcp_server/server attached keep");
    CHECK(said(without_stdio(builder)) == "mcp_server/server unknown report");
    listen_on(builder[kPid], 3000);
    CHECK(said(builder) == "mcp_server/server orphan report");
}

TEST_CASE("what fetches and runs an MCP server, and what lies in those caches") {
    const std::string cache = "/home/u/.cache/uv/archive-v0/Zx1/bin/";
    for (const auto& [exe, argv] :
         {std::pair(kNode, Words{"node", "/usr/bin/npx", "-y",
                                 "@modelcontextprotocol/server-filesystem", "/srv"}),
          std::pair(kNode, Words{"node", "/usr/bin/npx", "--yes", "--package", "x",
                                 "context7-mcp@latest"}),
          std::pair(kNode, Words{"node", "/usr/lib/node_modules/npm/bin/npm-cli.js", "exec", "-y",
                                 "x-mcp"}),
          std::pair(kNode, Words{"npm exec @modelcontextprotocol/server-github --stdio"}),
          std::pair(kNode, Words{"npm exec x-mcp", "", "", ""}),
          std::pair(
              kNode,
              Words{"node",
                    "/h/.npm/_npx/1/node_modules/@modelcontextprotocol/server-x/dist/index.js"}),
          std::pair("/home/u/.bun/bin/bun", Words{"bunx", "x-mcp"}),
          std::pair("/home/u/.bun/bin/bun", Words{"bun", "x", "--bun", "x-mcp"}),
          std::pair("/home/u/.bun/bin/bun",
                    Words{"bun", "/tmp/bunx-1000-x-mcp@latest/node_modules/.bin/x-mcp"}),
          std::pair("/home/u/.local/bin/uvx", Words{"uvx", "--from", "git+x", "mcp-server-git"}),
          std::pair("/home/u/.local/bin/uv",
                    Words{"/home/u/.local/bin/uv", "tool", "uvx", "mcp-server-git", "-r"}),
          std::pair("/home/u/.local/bin/uv", Words{"uv", "tool", "run", "mcp-server-git"}),
          std::pair(kPython, Words{cache + "python", cache + "mcp-server-git"}),
          std::pair(kPython, Words{"python", "/home/u/venv/bin/mcp-server-fetch"}),
          std::pair(kPython, Words{"python", "-m", "mcp_server_time"})}) {
        INFO(argv[argv.size() > 1 ? 1 : 0]);
        CHECK(said(exe, argv) == "mcp_server/server orphan reap");
    }
    for (const auto& [exe, argv] :
         {std::pair(kNode, Words{"node", "/usr/bin/npx", "vite", "mcp"}),
          std::pair(kNode, Words{"node", "/usr/bin/npx", "-p", "x-mcp", "vite"}),
          std::pair(kNode, Words{"npm run mcp"}), std::pair(kNode, Words{"npm exec vite"}),
          std::pair(kNode, Words{"npm exec x-mcp", "more"}),
          std::pair(kNode, Words{"yarn exec x-mcp"}),
          std::pair(kNode, Words{"node", "mcp-server.js"}),
          std::pair(kNode, Words{"node", "x", "exec", "x-mcp"}),
          std::pair("/usr/bin/vim", Words{"vim", "notes-mcp-server.md"}),
          std::pair("/usr/bin/tail", Words{"tail", "-f", "mcp-server.log"}),
          std::pair("/home/u/.local/bin/uv", Words{"uv", "run", "mcp"}),
          std::pair("/home/u/.local/bin/uv", Words{"uv", "tool", "install", "mcp-server-git"}),
          std::pair("/home/u/.bun/bin/bun", Words{"bun", "/home/u/work/mcp-demo/etl.ts"}),
          std::pair("/home/u/.bun/bin/bun", Words{"bun", "mcp-report.ts", "--year", "2025"}),
          std::pair(kPython,
                    Words{"python", "/home/u/.local/share/uv/tools/mcp-eval/bin/mcp-eval", "run"}),
          std::pair(kPython, Words{"python", "-m", "mcp_report"}),
          std::pair(kPython, Words{"python", "train.py", "--model", "mcp"})}) {
        INFO(argv[argv.size() > 1 ? 1 : 0]);
        CHECK(said(exe, argv).empty());
    }
}

TEST_CASE("headless browsers with a profile for once are reported, others are no members") {
    const auto chrome = [](const char* profile, const char* more) {
        return said(kChrome,
                    {"chrome", "--headless=new", std::string("--user-data-dir=") + profile, more});
    };
    CHECK(chrome("/tmp/x", "--mute") == "headless_browser/browser orphan report");
    CHECK(chrome("/home/u/.cache/playwright_chromiumdev_profile-1", "x") ==
          "headless_browser/browser orphan report");
    CHECK(chrome("/home/u/puppeteer_dev_chrome_profile-1", "x") ==
          "headless_browser/browser orphan report");
    CHECK(chrome("/home/u/.config/google-chrome", "x").empty());
    CHECK(chrome("/tmp/x", "--type=renderer").empty());
    CHECK(said(kChrome, {"chrome", "--user-data-dir=/tmp/x"}).empty());
    policy::Rules rules = all_rules();
    std::erase_if(rules.families, [](const auto& rule) { return rule.name == "agent_browser"; });
    CHECK(judged_by(rules, browser(), kPid).family.empty());
}

TEST_CASE("only what a host needs once has duplicates") {
    const auto second_of = [](const char* exe, const Words& argv) {
        FactsBuilder builder;
        for (const Pid pid : {kPid, 200}) {
            builder.orphan(row(pid, kHost, exe, argv));
            builder[pid].standard_input = builder[pid].standard_output = live_end();
        }
        return judgement_of(builder).verdict;
    };
    CHECK(second_of(kPython, {"python", "-m", "tui_gateway.slash_worker", "--session-key", "x"}) ==
          Verdict::duplicate);
    CHECK(second_of(kNode, {"node", kNpx}) == Verdict::attached);
    CHECK(second_of(kNode, {"node", "/x/ui-tui/dist/entry.js"}) != Verdict::duplicate);
    CHECK(second_of(kPython, kServe) == Verdict::attached);
    CHECK(second_of(kPython, {"python", "-m", "tui_gateway.entry"}) == Verdict::attached);
    for (const policy::FamilyRule& rule : all_rules().families) {
        CHECK(rule.single_instance == (rule.name == "bridge" || rule.name == "slash_worker"));
    }
}

TEST_CASE("other families are reported when they are abandoned, held, or inside a service") {
    FactsBuilder builder = orphan(kPython, kServe);
    builder[kPid].row.ppid = kHost;
    CHECK(said(builder) == "serve/desktop abandoned report");
    builder[kPid].row.ppid = 1;
    builder[kPid].standard_input = live_end();
    CHECK(said(builder) == "serve/desktop held report");
    FactsBuilder server = orphan(kNode, {"node", kNpx});
    server[kPid].unit = Reading<scanner::ServiceUnit>::of({"app.service", false, 7, true});
    CHECK(said(server) == "mcp_server/server orphan report");
    CHECK(has_code(judgement_of(server), "unit.inside_service"));
}

TEST_CASE("by default only bridges, slash workers and kernels are ended") {
    for (const policy::FamilyRule& rule : policy::built_in_rules().families) {
        const bool ended =
            rule.name == "bridge" || rule.name == "slash_worker" || rule.name == "kernel";
        CHECK(rule.enabled == (rule.pack == "hermes"));
        if (rule.enabled && !rule.keep_as)
            CHECK((rule.actions.at(Verdict::orphan) == Action::reap) == ended);
    }
}

}  // namespace reaper::test
