"""Real MCP servers, language servers and agents from npm, in pinned versions: their host is killed,
and a server that does not answer stays. With the pack `agents` on, each that lost both ends of its
stdio is ended, all else is listed, and what works for a living host goes on answering."""
import json
import signal
import socket
import subprocess
import sys

from harness import actor, npm, sandbox
from harness.actor import parent_of, wait_until
from harness.agents import (
    GEMINI,
    SERVER_PACKAGES,
    SERVERS,
    AgentsStage,
    argv_of,
    descendants,
    wait_settled,
)
from harness.layout import own_below, put
from harness.sandbox import NODE, case, expect
from harness.stage import Stage

TOOLS = ("typescript-language-server@5.1.3", "typescript@5.9.3")
INSTALLED = {
    "agents-servers-1": SERVER_PACKAGES,
    "agents-tools-1": TOOLS,
    "agents-bun-1": ("@oven/bun-linux-x64@1.4.4",),
    "agents-gemini-1": GEMINI,
}


def forms_of(stage):
    """name -> how a host starts that server"""
    modules, links = stage.modules, stage.links
    return {
        "linked": dict(argv=stage.argv("filesystem")),
        "linked-pipe": dict(argv=stage.argv("everything"), stdio="pipe", group=True),
        "direct": dict(argv=[NODE, modules / "@modelcontextprotocol/server-memory/dist/index.js"]),
        "options": dict(argv=[NODE, "--no-warnings", links / "mcp-server-sequential-thinking"]),
        "devtools": dict(argv=stage.argv("devtools")),
        "playwright": dict(argv=stage.argv("playwright")),
        "scoped": dict(argv=[NODE, modules / "@playwright/mcp/cli.js"], stdio="pipe"),
    }


@case
def servers_that_hang_end_once_their_host_is_gone():
    """However they were started. Beside them the same ones of a host that lives, of which some do
    not answer either."""
    stage = AgentsStage()
    leaked = [stage.started(f"lost-{name}", **how) for name, how in forms_of(stage).items()]
    kept = [stage.started(f"kept-{name}", **how) for name, how in forms_of(stage).items()]
    stage.start_agent("living", kept)
    stage.start_agent("killed", leaked)
    names = [child["name"] for child in leaked]
    stopped = ("lost-direct", "lost-playwright")
    stage.hang(*(name for name in names if name not in stopped))
    for name in (*stopped, "kept-direct", "kept-devtools"):
        stage.stop(name)
    stage.kill_host("killed")
    report = stage.report()
    stage.expect_verdicts(report, {name: ("orphan", "reap") for name in names})
    kept_names = [child["name"] for child in kept]
    stage.expect_verdicts(report, {name: ("attached", "keep") for name in kept_names})
    expect(report.status == 1, report.explain())
    result = stage.sweep()
    expect(result.status == 0, result.explain())
    stage.expect_ended(names)
    stage.expect_untouched(["living", *kept_names])
    for name in ("kept-direct", "kept-devtools"):
        stage.actors[name].send(signal.SIGCONT)
    stage.expect_answers(*kept_names)


@case
def without_the_pack_none_of_them_is_ended():
    stage = AgentsStage()
    stage.start_agent("killed", [stage.started("lost", stage.argv("memory"))])
    stage.hang("lost")
    stage.kill_host("killed")
    result = Stage.sweep(stage)
    expect(not result.signalled(), result.explain())
    stage.expect_untouched(["lost"])
    told = stage.reaper("explain", "--min-age", "1ms", str(stage.actors["lost"].pid))
    expect("'sweep --dry-run --with agents --min-age 1ms'" in told.out, told.out)


@case
def servers_that_answer_end_by_themselves():
    """So none of them is reported, and a gateway takes the one along that it has started."""
    stage = AgentsStage()
    wanted = ("everything", "filesystem", "memory", "thinking", "devtools", "playwright")
    children = [stage.started(name, stage.argv(name)) for name in wanted]
    children.append(stage.started("gateway", stage.argv("gateway"), protocol=""))
    stage.start_agent("killed", children)
    wait_until(lambda: len(descendants(stage.actors["gateway"].pid)) == 3, "its shell and server")
    stage.meet_tree("gateway")
    stage.kill_host("killed")
    late = [name for name in stage.actors if not stage.actors[name].wait_ended(10)]
    expect(not late, f"still there: {late}")
    expect(stage.report().status == 0, "nothing is leaked")


def npx(stage, server):
    """The link of the package is in the folder, so npm fetches nothing."""
    return ["npx", "--yes", SERVERS[server][1], str(stage.layout.home)]


@case
def npx_its_shell_and_a_server_that_hangs():
    """Three processes: `npm exec`, the shell that it runs, and the server."""
    stage = AgentsStage()
    shells = {"npm_config_script_shell": "/bin/sh"}
    bashes = {"npm_config_script_shell": "/bin/bash"}
    stage.start_agent("living", [stage.started("kept", npx(stage, "filesystem"), env=shells)])
    stage.start_agent(
        "killed",
        [
            stage.started("three", npx(stage, "filesystem"), env=shells),
            stage.started("two", npx(stage, "memory"), env=bashes),
        ],
    )
    expect(len(stage.tree("three")) == 3 and len(stage.tree("two")) == 2, str(list(stage.actors)))
    stage.hang("three-2", "two-1")
    stage.kill_host("killed")
    stage.expect_verdicts(
        stage.report(),
        {
            "three": ("orphan", "reap"),
            "two": ("orphan", "reap"),
            "kept": ("attached", "keep"),
            "kept-2": ("attached", "keep"),
        },
    )
    result = stage.sweep()
    stage.expect_ended(["three", "three-1", "two"])
    for _once_more in range(2):  # what hung below is an orphan once npm and its shell are gone
        result = stage.sweep()
    expect(result.status == 0, result.explain())
    stage.expect_ended(["three-2", "two-1"])
    stage.expect_untouched(["living", *stage.tree("kept")])
    stage.expect_answers("kept")


@case
def watchdog_of_devtools():
    """It has no stdin and stdout that could prove anything: it is kept while its server lives, and
    ends by itself when that ends."""
    stage = AgentsStage()
    argv = stage.argv("devtools")[:-1]
    stage.start_agent("killed", [stage.started("lost", argv)])
    stage.start_agent("living", [stage.started("kept", argv)])
    wait_until(lambda: len(descendants(stage.actors["lost"].pid)) > 1, "the watchdog")
    watchdog = stage.know("watchdog", descendants(stage.actors["lost"].pid)[1])
    expect(
        any(word.endswith("telemetry/watchdog/main.js") for word in argv_of(watchdog.pid)),
        str(argv_of(watchdog.pid)),
    )
    stage.hang("lost")
    stage.kill_host("killed")
    report = stage.report()
    stage.expect_verdicts(
        report,
        {"lost": ("orphan", "reap"), "watchdog": ("attached", "keep"), "kept": "attached"},
    )
    stage.sweep()
    stage.expect_ended(["lost"])
    expect(watchdog.wait_ended(), "the watchdog, by itself")
    stage.expect_answers("kept")


@case
def daemon_of_devtools_is_healthy():
    """pid 1 is its parent, and it has no stdio."""
    stage = AgentsStage()
    done = subprocess.run(
        [str(stage.links / "chrome-devtools"), "start"],
        cwd=stage.work,
        env={"HOME": str(stage.layout.home), "PATH": "/usr/bin:/bin", "STANDIN_NAME": "devtools"},
        user=stage.uid,
        group=stage.uid,
        extra_groups=[],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=40,
    )
    found = [pid for pid in actor.all_pids() if any("daemon/daemon.js" in w for w in argv_of(pid))]
    expect(len(found) == 1, f"{found}: {done.stdout} {done.stderr}")
    daemon = stage.know("daemon", found[0])
    expect(parent_of(daemon.pid) == 1, "it was adopted")
    report = stage.report()
    stage.expect_verdicts(report, {"daemon": ("attached", "keep")})
    stage.expect_evidence(report, "daemon", "veto.never")
    result = stage.sweep("--reap", "abandoned,duplicate,held,in-service")
    expect(not result.signalled(), result.explain())
    stage.expect_untouched(["daemon"])


@case
def language_servers_end_like_mcp_servers():
    stage = AgentsStage("agents-tools-1")
    argv = [NODE, stage.links / "typescript-language-server", "--stdio"]
    stage.start_agent("killed", [stage.started("lost", argv, protocol="lsp")])
    stage.start_agent("living", [stage.started("kept", argv, protocol="lsp")])
    lost = stage.actors["lost"].pid
    below = wait_settled(lambda: descendants(lost)[1:], "its tsservers, and what installs typings")
    tsserver = stage.know("tsserver", below[0])
    stage.hang("lost")
    stage.kill_host("killed")
    report = stage.report()
    stage.expect_verdicts(
        report,
        {
            "lost": ("orphan", "reap"),
            "tsserver": ("attached", "keep"),
            "kept": ("attached", "keep"),
        },
    )
    expect(report.process(tsserver.pid)["role"] == "tsserver", report.explain())
    result = stage.sweep()
    expect(result.status == 0, result.explain())
    stage.expect_ended(["lost", "tsserver"])
    stage.expect_untouched(["kept", "living"])


@case
def bun_runs_a_server():
    """The program of the package `bun` is called bun.exe, and so is the link that runs it."""
    stage = AgentsStage()
    bun = stage.more_modules("agents-bun-1", "tools") / "@oven/bun-linux-x64/bin/bun"
    named = stage.layout.base / "bin/bun.exe"
    named.touch()
    sandbox.mount(str(bun), named, "none", npm.MS_BIND)
    server = stage.links / "mcp-server-memory"
    stage.start_agent("killed", [stage.started("lost", [named, server])])
    stage.start_agent("living", [stage.started("kept", [named, "run", server])])
    stage.stop("lost")
    stage.kill_host("killed")
    stage.expect_verdicts(
        stage.report(), {"lost": ("orphan", "reap"), "kept": ("attached", "keep")}
    )
    expect(stage.sweep().status == 0, "one leak")
    stage.expect_ended(["lost"])
    stage.expect_answers("kept")


@case
def gateways_and_what_connects_to_them():
    """A gateway listens: it is reported, and what works for a host that lives goes on."""
    stage = AgentsStage()
    remote = [*stage.argv("remote")[:1], "http://127.0.0.1:8123/sse", "--allow-http"]
    stage.start_agent("living", [stage.started("gateway", stage.argv("gateway"), protocol="")])
    wait_until(lambda: answers(8123), "the gateway to listen")
    stage.start_agent("other", [stage.started("kept", remote)])
    lost = [*stage.argv("gateway")[:-1], "8125"]
    stage.start_agent("killed", [stage.started("lost-gateway", lost, protocol="")])
    wait_until(lambda: answers(8125), "the other gateway to listen")
    stage.start_agent("killed-too", [stage.started("lost", remote)])
    stage.hang("lost", "lost-gateway")
    for host in ("killed", "killed-too"):
        stage.kill_host(host)
    result = stage.sweep()
    expect(result.status == 1, result.explain())
    stage.expect_verdicts(result, {"lost": "orphan", "lost-gateway": ("orphan", "report")})
    stage.expect_evidence(result, "lost-gateway", "veto.listens")
    stage.expect_ended(["lost"])
    stage.expect_untouched(["lost-gateway", "gateway", "kept", "living", "other"])
    stage.expect_answers("kept")


def answers(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def gemini(stage, name, *options, **more):
    """Two processes: the first starts the second with more memory, and that one its servers."""
    modules = stage.layout.home / "gemini/node_modules"
    if not modules.exists():
        stage.more_modules("agents-gemini-1", "gemini")
    command, arguments = stage.memory_server()
    wish = {
        "mcpServers": {"memory": {"command": command, "args": arguments}},
        "security": {
            "auth": {"selectedType": "gemini-api-key"},
            "folderTrust": {"enabled": False},
        },
    }
    put(stage.layout.home / ".gemini/settings.json", json.dumps(wish))
    own_below(stage.layout.home / ".gemini", stage.uid)
    argv = [NODE, modules / ".bin/gemini", *options]
    return stage.started(name, argv, env={"GEMINI_API_KEY": "none", "TERM": "xterm"}, **more)


@case(timeout=150)
def gemini_is_only_ever_reported():
    stage = AgentsStage()
    session = ["session/new", {"cwd": str(stage.work), "mcpServers": []}]
    stage.expect_only_reported(
        lambda name: gemini(stage, name, "--acp", protocol="acp", then=[session]),
        servers=2,  # one for itself, one for the session
    )


@case(timeout=150)
def gemini_whose_terminal_was_killed():
    """It stays, with its servers, which it still talks to: all of them are only reported."""
    stage = AgentsStage()
    stage.start_agent("killed", [gemini(stage, "gemini", protocol="", stdio="terminal")])
    agents, servers = stage.meet_servers("gemini", 1)
    stage.kill_host("killed")
    report = stage.report()
    stage.expect_families(report, "agent", agents)
    stage.expect_verdicts(report, dict.fromkeys(servers, ("held", "report")))
    listed = report.process(stage.actors[agents[0]].pid)
    expect(listed["action"] == "report" and report.status == 1, report.explain())
    result = stage.sweep("--reap", "abandoned,duplicate,held,in-service")
    expect(result.status == 1 and not result.signalled(), result.explain())
    stage.expect_untouched([*agents, *servers])


if __name__ == "__main__":
    if sys.argv[1:2] not in (["--inside"], ["--list"]) and not sandbox.missing_here():
        for wanted, packages in INSTALLED.items():
            npm.install(wanted, *packages)
    sandbox.main(__file__, globals())
