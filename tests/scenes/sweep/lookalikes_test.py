"""Programs that look like a leaked helper and are none (N1 to N28, and worse): all of them adopted
and with dead stdio, in one scene with one that really is leaked. Only that one ends."""
import os

from harness import actor, sandbox
from harness.crowd import Crowd
from harness.layout import OTHER_UID, own_below, put
from harness.sandbox import NODE, PYTHON, case, expect
from harness.stage import HEADLESS, Stage


def editors_and_tools(crowd):
    """N1 to N4, N7, N8, N20, N22, N25 to N27: other programs with our words in their arguments."""
    flags = ["--agent=hermes", "--no-viewer"]
    for name, *arguments in (
        ("vim", crowd.bridge),
        ("code", "--wait", "bridge.cts"),
        ("nano", "bridge.mts"),
        ("grep", "bridge.cjs"),
        ("pgrep", "-f", r"bridge\.(cts|cjs)"),
        ("rg", "bridge.cjs", "--agent=hermes"),
        ("tail", "-f", crowd.bridge),
        ("less", crowd.bridge),
        (
            "ssh",
            "host",
            "cd $HOME/.hermes/memos-plugin && exec node dist/bridge.cjs --agent=hermes --no-viewer",
        ),
        (
            "docker",
            "exec",
            "-u",
            "root",
            "c",
            "bash",
            "-c",
            "nohup node dist/bridge.cjs --agent=hermes --daemon",
        ),
        ("java", "-jar", "/x/org.eclipse.equinox.launcher_1.7.0.jar", *flags),
        ("agent-browser", "--session", "h_1"),
        ("hermes-setup", "--update", "--branch", "main"),
        ("openclaw", "gateway"),
        ("strace", "-p", "1"),
        ("git", "commit", "-m", "fix bridge.cjs --agent=hermes --no-viewer"),
        ("sudo", "node", crowd.bridge, *flags),
        ("gdb", "--args", "node", crowd.bridge, *flags),
        ("timeout", "10", "node", crowd.bridge, *flags),
        ("watch", "ps", "aux"),
        ("tar", "cf", "x.tar", crowd.bridge),
        ("nodemon", crowd.bridge, *flags),
        ("python3-evil", "-m", "tui_gateway.slash_worker", "--session-key", "k"),
    ):
        crowd.program(name, *arguments)


def impostors(crowd):
    """argv is right to the letter; the program is another one."""
    crowd.program("impostor-node", crowd.bridge, *HEADLESS, argv0="/usr/bin/node", exe="impostor")
    crowd.program(
        "impostor-python",
        "-m",
        "tui_gateway.slash_worker",
        "--session-key",
        "k",
        argv0=PYTHON,
        exe="impostor",
    )
    crowd.program(
        "node-version-manager", crowd.bridge, *HEADLESS, argv0="node", exe="node-version-manager"
    )


def shells(crowd):
    """N5, N6: a shell that will start one, and one whose comment has the words."""
    root = crowd.plugin
    crowd.shell(
        "restart-helper",
        "/bin/bash",
        "-c",
        f'sleep 60 && "{NODE}" "{root}/node_modules/.bin/tsx" "{root}/bridge.cts" --agent=hermes '
        f'--daemon',
    )
    crowd.shell("drain", "/bin/sh", "-c", "# bridge.cjs --agent=hermes\nsleep 60; true")
    crowd.shell(
        "human", "/bin/bash", "-c", "sleep 60; python3 -m tui_gateway.slash_worker --session-key ID"
    )


def other_node_programs(crowd):
    """N10, N12 to N15, N20: node runs them, but they are not ours."""
    flags = ["--agent=hermes", "--no-viewer"]
    crowd.node(
        "whatsapp",
        crowd.script("whatsapp-bridge/bridge.js"),
        "--port",
        "3000",
        "--session",
        "/home/u/.hermes/whatsapp/session",
    )
    crowd.node("web-ui", crowd.script("Desktop/git/hermes-web-ui/dist/server/index.js"))
    crowd.node("openclaw-agent", "dist/bridge.cjs", "--agent=openclaw")
    crowd.node("no-agent", "dist/bridge.cjs")
    crowd.node("agent-prefix", crowd.bridge, "--agent=hermes2", "--no-viewer")
    crowd.node("director", crowd.script("pi-bridge/director-bridge.js"), *flags)
    crowd.node("other-install", crowd.script("srv/app/bridge.cjs"), *flags)
    crowd.node("backup-file", crowd.script(".hermes/memos-plugin-notes/bridge.cjs"), *flags)
    crowd.node(
        "vitest",
        crowd.script("proj/node_modules/vitest/vitest.mjs.cjs"),
        "run",
        "tests/unit/bridge/stdio.test.ts",
        *flags,
    )
    crowd.node("linter", crowd.script("proj/lint.cjs"), crowd.bridge, *HEADLESS)
    crowd.node("required", "--require", crowd.bridge, crowd.script("proj/other.cjs"), *flags)
    crowd.node(
        "evaluated",
        "-e",
        f"require({str(crowd.layout.lib / 'standin.cjs')!r})",
        crowd.bridge,
        *HEADLESS,
    )
    crowd.node("pyright", crowd.script("proj/pyright-langserver"), "--stdio")
    crowd.node("server", crowd.script("proj/server.js"))


def other_python_programs(crowd):
    """N11, N15, N17 to N19, N21: python runs them, but they are no helper that could be leaked."""
    crowd.python(
        "hermes-bridge",
        crowd.script("dist/server/agent-bridge/hermes_bridge.py", "py"),
        "--endpoint",
        "ipc:///tmp/hermes-agent-bridge.sock",
        "--hermes-home",
        "/home/u/.hermes",
    )
    for module in (
        "pytest",
        "tui_gateway/slash_worker_v2",
        "hermes_cli/stderr_timestamp",
        "mcp_death_supervisor",
    ):
        put(
            crowd.layout.hermes / f"{module}.py",
            (crowd.layout.lib / "standin_worker.py").read_text(),
        )
    crowd.python("pytest", "-m", "pytest", "tests/python/test_bridge_client.py")
    crowd.python("longer-name", "-m", "tui_gateway.slash_worker_v2", "--session-key", "k")
    crowd.python(
        "stderr",
        "-m",
        "hermes_cli.stderr_timestamp",
        "--error-log",
        "f",
        "--",
        PYTHON,
        "-m",
        "tui_gateway.slash_worker",
        "--session-key",
        "k",
    )
    crowd.python(
        "supervisor",
        "mcp_death_supervisor.py",
        "-m",
        "tui_gateway.slash_worker",
        "--session-key",
        "k",
    )
    crowd.python("no-session", "-m", "tui_gateway.slash_worker")
    crowd.python(
        "code",
        "-c",
        "import runpy; runpy.run_path('tui_gateway/slash_worker.py', run_name='__main__')",
        "-m",
        "tui_gateway.slash_worker",
        "--session-key",
        "k",
    )


def build(stage):
    crowd = Crowd(stage)
    for part in (editors_and_tools, impostors, shells, other_node_programs, other_python_programs):
        part(crowd)
    shells_only = [child["name"] for child in crowd.children if child.get("shell")]
    stage.start_host("dead-host", crowd.children, lost=shells_only)
    for name in shells_only:
        # The shell's own child inherits the environment, and is one more that must live.
        pids = actor.wait_until(
            lambda: len(actor.named(name)) >= 2 and actor.named(name), f"{name} and its sleep"
        )
        stage.know(name, min(pids))
    stage.kill_host("dead-host")
    return crowd


@case
def none_of_them_is_touched():
    stage = Stage()
    stage.orphans([stage.bridge("leaked")])
    crowd = build(stage)
    expect(len(crowd.names) >= 50, f"{len(crowd.names)} look-alikes")
    report = stage.report()
    for process in report.processes:
        name = next(one.name for one in stage.actors.values() if one.pid == process["pid"])
        expect(
            process["action"] == "reap" if name == "leaked" else process["action"] == "keep",
            f"{name}: {report.explain()}",
        )
    # What runs a bridge script of another install is worth a line that says why it stays, and so
    # are what stamps a gateway's log and an update; nothing else is.
    listed = {
        one.name.rpartition("-")[0]
        for one in stage.actors.values()
        if report.process(one.pid) and one.name != "leaked"
    }
    expect(
        listed <= {"other-install", "backup-file", "stderr", "hermes-setup"},
        f"listed, but no member of any family: {listed}",
    )
    stage.expect_sweep(stage.sweep(), ["leaked"], crowd.names, silent=crowd.silent)


@case
def what_has_a_living_owner_is_left_alone():
    """N16, N23, N24, N28: the argv of a member, but a parent that is no Hermes host and alive."""
    stage = Stage()
    stage.start_host("vitest", [stage.bridge("spawned-by-test")], kind="node")
    put(
        stage.layout.hermes / "tui_gateway/entry.py",
        (stage.layout.lib / "standin_worker.py").read_text(),
    )
    entry = stage.child("entry", [PYTHON, "-B", "-m", "tui_gateway.entry"], stage.layout.hermes)
    stage.start_host("emacs", [stage.worker("run-by-hand", session="ID"), entry], kind="node")
    fifo = stage.run / "fifo"
    os.mkfifo(fifo)
    os.chown(fifo, stage.uid, stage.uid)
    stage.start_host("drain", [stage.bridge("drained", stdio=f"fifo:{fifo}")])
    stage.expect_verdicts(
        stage.report(),
        {
            "spawned-by-test": ("attached", "keep"),
            "run-by-hand": ("attached", "keep"),
            "entry": ("attached", "keep"),
        },
    )
    stage.expect_sweep(stage.sweep("--reap", "abandoned,duplicate"), [], list(stage.actors))


@case
def a_folder_of_another_user_decides_nothing():
    """A user can give a file any name; only processes of that user are judged by it."""
    stage = Stage()
    stage.orphans(
        [stage.bridge("leaked-of-v", become=("--uids", f"{OTHER_UID},{OTHER_UID},{OTHER_UID}"))],
        uid=0,
    )
    stage.orphans([stage.bridge("leaked-of-u")])
    own_below(stage.layout.home, stage.uid)
    result = stage.sweep("--user", "u", uid=0)
    stage.expect_sweep(result, ["leaked-of-u"], ["leaked-of-v"])


if __name__ == "__main__":
    sandbox.main(__file__, globals())
