"""How the other families of a Hermes host leak (L13 to L19, L23), each beside what looks the same
and must be kept: leaks of these families are reported and never ended unless a rule says so;
gateways, tasks and sessions never are."""
import json
import os
import shutil
import signal

from harness import actor, sandbox
from harness.layout import own_below, put
from harness.sandbox import NODE, PYTHON, case, expect
from harness.stage import Stage

HERMES = [PYTHON, "-B", "-m", "hermes_cli.main"]
LOCAL = ["--host", "127.0.0.1", "--port", "0"]


def hosting(stage, name, argv, children=(), env=None, **wish):
    """A helper that is a host itself."""
    host = {"name": name, "dir": str(stage.run), "children": list(children), **wish}
    return stage.child(
        name, argv, stage.layout.hermes, env={"HOST": json.dumps(host), **(env or {})}
    )


def serve(stage, name, *arguments, **more):
    return hosting(stage, name, [*HERMES, "serve", *(arguments or LOCAL)], **more)


def tui(stage, name):
    entry = stage.layout.hermes / "ui-tui/dist/entry.js"
    if not entry.exists():
        put(entry, f"require({json.dumps(str(stage.layout.lib / 'standin.cjs'))});\n")
    return stage.child(name, [NODE, "--expose-gc", entry], stage.layout.hermes, ignore_eof=True)


def module(stage, name, module_name):
    script = stage.layout.hermes / (module_name.replace(".", "/") + ".py")
    if not script.exists():
        put(script, (stage.layout.lib / "standin_worker.py").read_text())
    return stage.child(name, [PYTHON, "-B", "-m", module_name], stage.layout.hermes)


@case
def l13_dashboard_whose_terminal_died():
    """The node below it is dead and not cleared away; its worker goes on, and so does a terminal
    that lives."""
    stage = Stage()
    stage.start_host(
        "dashboard",
        [tui(stage, "dead"), tui(stage, "live"), stage.worker("worker")],
        kind="dashboard",
    )
    stage.actors["dead"].send(signal.SIGKILL)
    expect(stage.actors["dead"].wait_ended(), "the terminal to die")
    stage.expect_verdicts(
        stage.report(),
        {
            "dead": ("zombie", "report"),
            "live": ("attached", "keep"),
            "worker": ("attached", "keep"),
        },
    )
    del stage.actors["dead"]
    stage.expect_sweep(stage.sweep(), [], ["dashboard", "live", "worker"], status=0)


@case
def l13_dashboard_that_died():
    """What it leaves: the worker is ended, the rest is reported. One more dashboard has the same,
    and keeps it."""
    stage = Stage()

    def below(name):
        return [
            tui(stage, f"{name}-tui"),
            stage.worker(f"{name}-worker", session=name),
            module(stage, f"{name}-entry", "tui_gateway.entry"),
            module(stage, f"{name}-compute", "tui_gateway.compute_host"),
        ]

    stage.orphans(below("left"), kind="dashboard")
    stage.start_host("dashboard", below("kept"), kind="dashboard")
    reported = ["left-tui", "left-entry", "left-compute"]
    stage.expect_verdicts(
        stage.report(),
        {name: ("orphan", "report") for name in reported}
        | {"left-worker": ("orphan", "reap")}
        | {f"kept-{one}": ("attached", "keep") for one in ("tui", "worker", "entry", "compute")},
    )
    alive = [name for name in stage.actors if name != "left-worker"]
    stage.expect_sweep(
        stage.sweep("--reap", "abandoned,duplicate,held"), ["left-worker"], alive, status=1
    )
    rule = {"actions": {"orphan": "reap"}}
    config = put(
        stage.layout.home / "reap.json",
        json.dumps({"families": {name: rule for name in ("tui", "tui_gateway", "compute_host")}}),
    )
    del stage.actors["left-worker"]
    stage.expect_sweep(
        stage.sweep("--config", str(config)),
        reported,
        [one for one in alive if one not in reported],
    )


def server_tree(stage, name, servers):
    """serve -> watchdogs -> servers, as a desktop starts them."""
    index = stage.layout.home / ".hermes/mcp/server/dist/index.js"
    if not index.exists():
        put(index, f"require({json.dumps(str(stage.layout.lib / 'standin.cjs'))});\n")
        put(
            stage.layout.hermes / "tools/mcp_stdio_watchdog.py",
            (stage.layout.lib / "standin_host.py").read_text(),
        )
    watchdogs = []
    for number in servers:
        server = stage.child(
            f"server-{number}", [NODE, index], stage.layout.hermes, ignore_eof=True
        )
        watchdog = [
            PYTHON,
            "-B",
            stage.layout.hermes / "tools/mcp_stdio_watchdog.py",
            "--ppid",
            "{host}",
            "--",
            NODE,
            index,
        ]
        watchdogs.append(hosting(stage, f"watchdog-{number}", watchdog, [server]))
    return serve(stage, name, children=watchdogs)


def meet_tree(stage, servers):
    for number in servers:
        stage.meet(f"watchdog-{number}")
        stage.meet(f"server-{number}")


@case
def l14_desktop_that_died_leaves_trees():
    """4 backends, 14 watchdogs, 14 servers. The roots are reported, what is below them is held by
    them, and nothing ends. A desktop that lives has the same, and nothing of that is reported."""
    stage = Stage()
    stage.start_host(
        "desktop",
        [server_tree(stage, f"serve-{at}", range(at, 14, 4)) for at in range(4)],
        kind="node",
    )
    meet_tree(stage, range(14))
    stage.kill_host("desktop")
    stage.start_host("second", [server_tree(stage, "live", [14])], kind="node")
    meet_tree(stage, [14])
    report = stage.report()
    stage.expect_verdicts(
        report,
        {f"serve-{at}": ("orphan", "report") for at in range(4)}
        | {f"watchdog-{at}": ("held", "report") for at in range(14)}
        | {"live": ("attached", "keep"), "watchdog-14": ("attached", "keep")},
    )
    stage.expect_evidence(report, "watchdog-0", "host.leaked")
    stage.expect_not_listed(report, [f"server-{at}" for at in range(15)])
    stage.expect_sweep(stage.sweep(), [], list(stage.actors), status=1)


@case
def l14_told_to_a_tree_ends_from_its_root():
    """A rule that ends backends ends them alone; their watchdogs then are orphans, which the same
    sweep ends next."""
    stage = Stage()
    stage.start_host("desktop", [server_tree(stage, "serve", [0, 1])], kind="node")
    meet_tree(stage, [0, 1])
    stage.start_host("second", [server_tree(stage, "live", [2])], kind="node")
    meet_tree(stage, [2])
    stage.kill_host("desktop")
    rule = {"actions": {"orphan": "reap"}}
    config = put(
        stage.layout.home / "reap.json", json.dumps({"families": {"serve": rule, "mcp": rule}})
    )
    ended = ["serve", "watchdog-0", "watchdog-1"]
    result = stage.sweep("--config", str(config))
    stage.expect_sweep(result, ended, [name for name in stage.actors if name not in ended])
    expect(result.status == 0, "nothing leaked is left, and that is what the status says")


@case
def l14_a_fixed_port_is_meant_to_stay():
    stage = Stage()
    stage.orphans(
        [
            serve(stage, "random-port"),
            serve(stage, "fixed-port", "--host", "127.0.0.1", "--port", "9119"),
            hosting(stage, "dashboard", [*HERMES, "dashboard", "--no-open", "--port", "9119"]),
        ]
    )
    stage.expect_verdicts(
        stage.report(),
        {
            "random-port": ("orphan", "report"),
            "fixed-port": ("designated", "keep"),
            "dashboard": ("designated", "keep"),
        },
    )
    rule = {"serve": {"actions": {"orphan": "reap"}}}
    config = put(stage.layout.home / "reap.json", json.dumps({"families": rule}))
    stage.expect_sweep(
        stage.sweep("--config", str(config)), ["random-port"], ["fixed-port", "dashboard"]
    )


@case
def l14_a_job_that_inherited_the_mark_of_a_server():
    """What an MCP server starts carries its mark: a program of the user with its stdio elsewhere is
    no leak."""
    stage = Stage()
    mark = {"HERMES_SPAWN": "v1:0123456789ab:mcp-helper:999999:1700000000.000"}
    train = put(
        stage.layout.home / "train.py", (stage.layout.lib / "standin_worker.py").read_text()
    )
    argv = [PYTHON, "-B", train]
    stage.orphans(
        [
            stage.child("job", argv, stage.layout.home, stdio="detached", env=mark),
            stage.child("server", argv, stage.layout.home, env=mark),
        ]
    )
    stage.expect_verdicts(
        stage.report(), {"job": ("unknown", "report"), "server": ("orphan", "report")}
    )
    config = put(
        stage.layout.home / "reap.json",
        json.dumps({"families": {"mcp": {"actions": {"orphan": "reap"}}}}),
    )
    stage.expect_sweep(stage.sweep("--config", str(config)), ["server"], ["job"], status=1)


@case
def l14_servers_that_are_no_scripts():
    """Of programs with any name, only those are looked at that their own user's ledger names, and
    only those are servers whose mark says so too. Nothing else is left of Hermes."""
    stage = Stage()
    mimir = stage.layout.base / "bin/mimir"
    shutil.copy2(os.environ["REAPER_IDLE"], mimir)
    mark = {"HERMES_SPAWN": "v1:0123456789ab:mcp-helper:999999:1700000000.000"}

    def server(name, env=None, **more):
        ready = {"STANDIN_READY": str(stage.run / f"{name}.ready")}
        return stage.child(
            name,
            [mimir, "--db", "notes.db"],
            stage.layout.home,
            env={**ready, **(mark if env is None else env)},
            **more,
        )

    stage.orphans(
        [
            server("recorded"),
            server("detached", stdio="detached"),
            server("hosted", stdio="detached"),
            server("recycled"),
            server("unrecorded"),
            server("registered"),
            server("unmarked", env={}),
            server(
                "gateway's",
                env={"HERMES_SPAWN": mark["HERMES_SPAWN"].replace("mcp-helper", "gateway")},
            ),
        ]
    )
    stage.orphans([server("another's")], uid=0)
    stage.start_host("parent", [server("dead")], kind="node")
    start = {name: actor.started_epoch(one.pid) for name, one in stage.actors.items()} | {
        "recycled": 1700000000.0
    }
    stage.actors["dead"].send(signal.SIGKILL)
    expect(stage.actors["dead"].wait_ended(), "one to die")
    ledger = [
        {
            "pid": one.pid,
            "create_time": start[name],
            "purpose": "mcp-helper",
            "spawner_pid": os.getpid() if name == "hosted" else 999999,
            "spawner_create": actor.started_epoch(os.getpid())
            if name == "hosted"
            else 1700000000.0,
        }
        for name, one in stage.actors.items()
        if name not in ("unrecorded", "registered")
    ]
    put(stage.layout.home / ".hermes/spawn-ledger.json", json.dumps(ledger))
    put(
        stage.layout.home / ".hermes/processes.json",
        json.dumps(
            [{"pid": stage.actors["registered"].pid, "pid_scope": "host", "owner_pid": 999999}]
        ),
    )
    del stage.actors["dead"]
    verdicts = {name: ("orphan", "report") for name in ("recorded", "detached", "recycled")} | {
        "hosted": ("attached", "keep")
    }
    unlisted = ["unrecorded", "registered", "unmarked", "gateway's", "another's"]
    report = stage.report()
    stage.expect_verdicts(report, verdicts)
    stage.expect_not_listed(report, unlisted)
    expect(
        report.json["scan"]["complete"] and report.status == 1,
        "all of them could be looked at: " + report.explain(),
    )
    stage.expect_evidence(report, "detached", "owner.dead")
    expect(
        "owner.dead"
        not in [one["code"] for one in report.process(stage.actors["recycled"].pid)["evidence"]],
        "what was recorded of an earlier process says nothing",
    )
    alive = list(stage.actors)
    stage.expect_sweep(stage.sweep(), [], alive, silent=alive, status=1)
    config = put(
        stage.layout.home / "reap.json",
        json.dumps({"families": {"mcp": {"actions": {"orphan": "reap"}}}}),
    )
    ended = ["recorded", "detached", "recycled"]
    left = [name for name in alive if name not in ended]
    stage.expect_sweep(stage.sweep("--config", str(config)), ended, left, silent=left)
    for name in ended:
        del stage.actors[name]
    stage.start_host("gateway", [])  # which leads root to that ledger
    report = stage.report("--all-users", uid=0)
    stage.expect_verdicts(report, {"hosted": ("attached", "keep")})
    stage.expect_not_listed(report, unlisted)


@case
def l15_backend_of_a_desktop_over_ssh():
    """Its lock file protects it; one that names another process, or one from before, protects
    nothing."""
    stage = Stage()
    ssh = [
        "--isolated",
        *LOCAL,
        "--ssh-session-token-file",
        "/tmp/t",
        "--ssh-owner-nonce",
        "0123456789abcdef",
    ]
    names = ["locked", "unlocked", "old-lock"]
    stage.orphans([serve(stage, name, *ssh) for name in names])
    for at, name, pid in ((0, "locked", "locked"), (1, "old-lock", "old-lock"), (2, "dead", None)):
        lock = {
            "schemaVersion": 2,
            "protocolVersion": 1,
            "spawnNonce": "0" * 16,
            "port": 4000 + at,
            "pid": stage.actors[pid].pid if pid else 999999,
        }
        path = put(
            stage.layout.home / f".hermes/desktop-ssh/{at:032x}/backend.lock.json", json.dumps(lock)
        )
        if name == "old-lock":
            os.utime(path, (1000000000, 1000000000))
    own_below(stage.layout.home / ".hermes/desktop-ssh", stage.uid)
    report = stage.report()
    stage.expect_verdicts(
        report,
        {
            "locked": ("designated", "keep"),
            "unlocked": ("orphan", "report"),
            "old-lock": ("orphan", "report"),
        },
    )
    stage.expect_evidence(report, "locked", "veto.claimed")
    stage.expect_sweep(stage.sweep(), [], names, status=1)
    rule = {"serve": {"actions": {"orphan": "reap"}}}
    config = put(stage.layout.home / "reap.json", json.dumps({"families": rule}))
    stage.expect_sweep(stage.sweep("--config", str(config)), ["unlocked", "old-lock"], ["locked"])


@case
def l17_what_a_gateway_pid_file_proves():
    """A living process that it names is spared. Stale, it proves nothing: neither for what it
    names, nor against. One that cannot be understood may name any process of its home."""
    stage = Stage()
    homes = {
        name: stage.layout.data_home(name).parent
        for name in (
            "named",
            "null-start",
            "bare",
            "recycled",
            "bare-recycled",
            "dead",
            "garbage",
            "of-another",
        )
    }
    stage.orphans(
        [
            stage.worker(name, session=name, env={"HERMES_HOME": str(home)})
            for name, home in homes.items()
        ]
    )
    pids = {name: stage.actors[name].pid for name in homes}
    ticks = int(stage.actors["named"].start)

    def record(pid, start):
        return json.dumps({"pid": pid, "kind": "hermes-gateway", "argv": [], "start_time": start})

    texts = {
        "named": record(pids["named"], ticks),
        "null-start": record(pids["null-start"], None),
        "bare": str(pids["bare"]),
        "recycled": record(pids["recycled"], 7),
        "bare-recycled": str(pids["bare-recycled"]),
        "dead": record(999999, 7),
        "garbage": "{\"pid\": \"x",
        "of-another": record(os.getpid(), None),
    }
    for name, text in texts.items():
        path = put(homes[name] / "gateway.pid", text)
        if name == "bare-recycled":  # written long before that process began
            os.utime(path, (1000000000, 1000000000))
    stage.start_host("gateway", [], env={"HERMES_HOME": str(homes["dead"])})
    spared = ["named", "null-start", "bare"]
    report = stage.report()
    stage.expect_verdicts(
        report,
        {name: ("designated", "keep") for name in [*spared, "gateway"]}
        | {"garbage": ("unknown", "report")}
        | {name: ("orphan", "reap") for name in homes if name not in [*spared, "garbage"]},
    )
    stage.expect_sweep(
        stage.sweep(),
        [name for name in homes if name not in [*spared, "garbage"]],
        [*spared, "gateway", "garbage"],
        status=4,
    )


@case
def stale_records_condemn_nothing():
    """A record without a start, older than the process that has the pid now, speaks of an earlier
    one. Written anew, the same texts are proof."""
    stage = Stage()
    names = ["worker", "registered", "bridge"]
    stage.orphans(
        [
            stage.worker("worker", session="a", stdio="detached"),
            stage.worker("registered", session="b", stdio="detached"),
            stage.bridge("bridge", stdio="detached"),
        ]
    )
    pids = {name: stage.actors[name].pid for name in names}
    texts = {
        ".hermes/spawn-ledger.json": [
            {
                "pid": pids["worker"],
                "create_time": None,
                "purpose": "mcp-helper",
                "spawner_pid": 999999,
                "spawner_create": None,
            }
        ],
        ".hermes/processes.json": [
            {
                "pid": pids["registered"],
                "pid_scope": "host",
                "host_start_time": None,
                "owner_pid": 999999,
            }
        ],
        ".hermes/memos-plugin/daemon/headless-bridges.json": {
            "bridges": [{"pid": pids["bridge"], "parentPid": 999999}]
        },
    }
    paths = [put(stage.layout.home / name, json.dumps(text)) for name, text in texts.items()]
    for path in paths:
        os.utime(path, (1000000000, 1000000000))
    stage.expect_verdicts(stage.report(), {name: ("unknown", "report") for name in names})
    stage.expect_sweep(stage.sweep(), [], names, status=1)
    for path in paths:
        os.utime(path)
    stage.expect_sweep(stage.sweep(), names, [])


@case
def l18_kanban_workers_outlive_their_dispatcher():
    """Whether its task is done is the board's to know; the same for what a user talks to."""
    stage = Stage()
    hermes = put(
        stage.layout.hermes / "venv/bin/hermes",
        (stage.layout.lib / "standin_worker.py").read_text(),
    )
    command = [
        PYTHON,
        "-B",
        hermes,
        "-p",
        "work",
        "--accept-hooks",
        "--toolsets",
        "browser,web",
        "chat",
    ]
    stage.orphans(
        [
            stage.child(
                "task", [*command, "-q", "work kanban task t_bf068e60"], stage.layout.hermes
            ),
            stage.child(
                "by-variable",
                [*command, "-q", "more"],
                stage.layout.hermes,
                env={"HERMES_KANBAN_TASK": "t_1"},
            ),
            stage.child("session", command, stage.layout.hermes),
            stage.worker("leaked"),
        ]
    )
    stage.expect_verdicts(
        stage.report(),
        {
            "task": ("supervised", "keep"),
            "by-variable": ("supervised", "keep"),
            "session": ("attached", "keep"),
            "leaked": ("orphan", "reap"),
        },
    )
    rule = {name: {"actions": {"orphan": "reap"}} for name in ("kanban", "session")}
    config = put(stage.layout.home / "reap.json", json.dumps({"families": rule}))
    stage.expect_sweep(
        stage.sweep("--reap", "abandoned,duplicate,held", "--config", str(config)),
        ["leaked"],
        ["task", "by-variable", "session"],
    )


def browser(stage, name, owner):
    """agent-browser's daemon and its Chromium. owner: whose browser the folder of the sockets says
    that it is."""
    folder = stage.run / f"agent-browser-h_{name}"
    folder.mkdir()
    os.chown(folder, stage.uid, stage.uid)
    if owner is not None:
        put(folder / "h.owner_pid", str(owner))
    chrome = stage.layout.base / "bin/chrome"
    if not chrome.exists():
        shutil.copy2(os.environ["REAPER_IDLE"], chrome)
        put(
            stage.layout.home / "lib/agent-browser/daemon.js",
            f"require({json.dumps(str(stage.layout.lib / 'standin_host.cjs'))});\n",
        )
    chromium = stage.child(
        f"{name}-chrome",
        [
            chrome,
            "--headless=new",
            "--remote-debugging-port=0",
            f"--user-data-dir=/tmp/agent-browser-chrome-{name}",
        ],
        "/",
        env={"STANDIN_READY": str(stage.run / f"{name}-chrome.ready")},
    )
    return hosting(
        stage,
        name,
        [NODE, stage.layout.home / "lib/agent-browser/daemon.js"],
        [chromium],
        env={"AGENT_BROWSER_SOCKET_DIR": str(folder)},
    )


@case
def l19_chromium_whose_daemon_died():
    """Reported, not ended; and not even that where its owner lives, or where no record says that it
    is Hermes'."""
    stage = Stage()
    owners = {"left": 999999, "owned": os.getpid(), "unowned": None}
    stage.start_host("gateway", [browser(stage, name, owner) for name, owner in owners.items()])
    for name in owners:
        stage.meet(f"{name}-chrome")
    chromes = [f"{name}-chrome" for name in owners]
    recorded = ["left", "owned", "left-chrome", "owned-chrome"]
    stage.expect_verdicts(
        stage.report(),
        {name: ("attached", "keep") for name in recorded}
        | {name: ("foreign", "keep") for name in ("unowned", "unowned-chrome")},
    )
    for name in owners:
        stage.actors[name].send(signal.SIGKILL)
        expect(stage.actors.pop(name).wait_ended(), f"{name} to die")
    report = stage.report()
    stage.expect_verdicts(
        report,
        {
            "left-chrome": ("orphan", "report"),
            "owned-chrome": ("attached", "keep"),
            "unowned-chrome": ("foreign", "keep"),
        },
    )
    stage.expect_evidence(report, "left-chrome", "owner.dead")
    stage.expect_sweep(
        stage.sweep("--reap", "abandoned,duplicate,held"),
        [],
        list(stage.actors),
        silent=chromes,
        status=1,
    )


@case
def l23_holders_of_a_deleted_wal():
    """To hold a file that was deleted is no reason to end a process: not the gateway, not a
    worker that has its host, not a program of the user. The leaked worker beside them goes because
    it is leaked."""
    stage = Stage()
    wal = put(stage.layout.home / ".hermes/state.db-wal", "wal")
    program = put(
        stage.layout.home / "notes.py", (stage.layout.lib / "standin_worker.py").read_text()
    )
    stage.orphans(
        [
            stage.child("program", [PYTHON, "-B", program], stage.layout.home, open=str(wal)),
            hosting(
                stage, "detached-gateway", [*HERMES, "gateway", "run", "--replace"], open=str(wal)
            ),
            stage.worker("leaked", session="leaked", open=str(wal)),
        ]
    )
    stage.start_host("gateway", [stage.worker("attached", session="a", open=str(wal))])
    wal.unlink()
    for name, actor in stage.actors.items():
        links = [os.readlink(one) for one in os.scandir(f"/proc/{actor.pid}/fd")]
        expect(name == "gateway" or f"{wal} (deleted)" in links, f"{name}: {links}")
    report = stage.report()
    stage.expect_verdicts(
        report,
        {
            "detached-gateway": ("designated", "keep"),
            "attached": ("attached", "keep"),
            "gateway": ("designated", "keep"),
            "leaked": ("orphan", "reap"),
        },
    )
    stage.expect_not_listed(report, ["program"])
    for name in ("detached-gateway", "attached", "leaked"):
        stage.expect_evidence(report, name, "database.deleted")
    expect(
        f"{wal}, which is deleted" in stage.reaper("report", "--min-age", "1ms").out,
        "and people are told",
    )
    stage.expect_sweep(
        stage.sweep("--reap", "abandoned,duplicate,held"),
        ["leaked"],
        [name for name in stage.actors if name != "leaked"],
    )


if __name__ == "__main__":
    sandbox.main(__file__, globals())
