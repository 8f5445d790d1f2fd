"""Session kernels, cron workers, compute hosts, meet bots, proxies, language servers and daemons on
a port of their own, each beside what looks the same: of these only a kernel whose host is gone, and
a daemon that another one replaces, are ended."""
import json
import os
import shutil
import signal

from harness import actor, sandbox
from harness.actor import parent_of, wait_until
from harness.layout import own_below, put
from harness.sandbox import NODE, PYTHON, case, expect
from harness.stage import Stage
from harness.user_manager import UserManager, launcher

EVERYTHING = ("--reap", "abandoned,duplicate,held,in-service")
# As the watchdog of a real kernel, and its loop over stdin: both end with the host.
WATCHDOG = """import os, threading
def watch():
    while os.read(0, 1):
        pass
    os._exit(0)
threading.Thread(target=watch, daemon=True).start()
"""
# A job that a cell has started, after whose start the kernel itself ends.
FORK = """import os
if os.fork():
    os._exit(0)
os.setsid()
"""
BOOTSTRAP = (
    "import os, sys, runpy; sys.path.insert(0, {root!r}); import hermes_bootstrap; "
    "runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
)


def body(stage):
    return (stage.layout.lib / "standin_worker.py").read_text()


def hermes_home(stage):
    return stage.layout.home / ".hermes"


def kernel(stage, name, watches=False, forks=False, mark="HERMES_KERNEL_SPILL_DIR", **more):
    folder = hermes_home(stage) / f"cache/scratch/hermes_kernel_{name}"
    begin = (WATCHDOG if watches else "") + (FORK if forks else "")
    runner = put(folder / "hermes_kernel_runner.py", begin + body(stage))
    own_below(hermes_home(stage) / "cache", stage.uid)
    env = {mark: str(folder), "TMPDIR": str(hermes_home(stage) / "cache/scratch")}
    return stage.child(name, [PYTHON, "-B", runner], stage.layout.home, env=env, **more)


def cron_worker(stage, name):
    """As releases since 0.21 start one."""
    root = stage.layout.hermes
    put(root / "hermes_bootstrap.py", "")
    put(root / "cron/__init__.py", "")
    put(root / "cron/scheduler.py", body(stage))
    payload = hermes_home(stage) / f"cron/external-workers/{name}.json"
    script = BOOTSTRAP.format(root=str(root), module="cron.scheduler")
    argv = [
        PYTHON,
        "-B",
        "-I",
        "-c",
        script,
        "--external-worker-file",
        payload,
        "--ack-file",
        payload.with_suffix(".ready"),
    ]
    return stage.child(name, argv, root)


def meet_bot(stage, name):
    package = stage.layout.hermes / "plugins/google_meet"
    put(package / "__init__.py", "")
    put(package.parent / "__init__.py", "")
    put(package / "meet_bot.py", body(stage))
    argv = [PYTHON, "-B", "-m", "plugins.google_meet.meet_bot"]
    return stage.child(name, argv, stage.layout.hermes, stdio="detached")


def proxy(stage, name, **variables):
    program = hermes_home(stage) / "bin/iron-proxy"
    if not program.exists():
        program.parent.mkdir()
        shutil.copy2(os.environ["REAPER_IDLE"], program)
        put(hermes_home(stage) / "proxy/proxy.yaml", "proxy: {}\n")
        own_below(hermes_home(stage), stage.uid)
    argv = [program, "-config", hermes_home(stage) / "proxy/proxy.yaml"]
    env = {"STANDIN_READY": str(stage.run / f"{name}.ready"), **variables}
    return stage.child(name, argv, "/", stdio="detached", env=env)


def listens_on(port):
    """Whether anything of this scene does."""
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in actor.read_bytes(table).decode().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port:
                return True
    return False


@case
def a_kernel_that_hangs_when_its_host_dies_is_ended():
    """One that works ends by itself, by its pipe; one with a host is kept; one that ignores TERM is
    killed after it."""
    stage = Stage()
    stage.start_host(
        "dying",
        [
            kernel(stage, "hung"),
            kernel(stage, "works", watches=True),
            kernel(stage, "stubborn", ignore_term=True),
        ],
    )
    stage.start_host(
        "gateway", [kernel(stage, "live"), kernel(stage, "live-watching", watches=True)]
    )
    stage.expect_verdicts(
        stage.report(),
        {
            name: ("attached", "keep")
            for name in ("hung", "works", "stubborn", "live", "live-watching")
        },
    )
    stage.kill_host("dying")
    expect(stage.actors.pop("works").wait_ended(), "the kernel that works to end by its pipe")
    report = stage.report()
    stage.expect_verdicts(
        report,
        {
            "hung": ("orphan", "reap"),
            "stubborn": ("orphan", "reap"),
            "live": ("attached", "keep"),
            "live-watching": ("attached", "keep"),
        },
    )
    home = report.process(stage.actors["hung"].pid)["home"]
    expect(home == str(hermes_home(stage)), f"its home is {home}")
    result = stage.sweep()
    stage.expect_sweep(result, ["hung", "stubborn"], ["gateway", "live", "live-watching"])
    outcome = result.outcome(stage.actors["stubborn"].pid)["result"]
    expect(outcome == "ended_on_kill", f"the stubborn one {outcome}")


@case
def what_a_kernel_has_forked_is_left_alone():
    """It has the command line, environment and pipes of the kernel, and does the user's work."""
    stage = Stage()
    stage.start_host("gateway", [kernel(stage, "job", forks=True)])
    stage.orphans([kernel(stage, "orphaned-job", forks=True), kernel(stage, "hung")])
    jobs = ["job", "orphaned-job"]
    report = stage.report()
    for name in jobs:
        stage.expect_evidence(report, name, "veto.forked")
    stage.expect_verdicts(report, {name: ("unknown", "report") for name in jobs})
    stage.expect_sweep(stage.sweep(*EVERYTHING), ["hung"], ["gateway", *jobs], status=1)


@case
def kernels_of_others_are_not_touched():
    """That of a broker, of another user, and a script that is only called like one. Nor is one that
    another process holds."""
    stage = Stage()
    stray = put(stage.layout.home / "work/hermes_kernel_runner.py", body(stage))
    spill = {"HERMES_KERNEL_SPILL_DIR": str(stray.parent)}
    stage.orphans(
        [
            kernel(stage, "broker's", mark="HERMES_KERNEL_INLINE_SPILL"),
            stage.child("stray", [PYTHON, "-B", stray], stray.parent, env=spill),
            kernel(stage, "detached", stdio="detached"),
            kernel(stage, "held", leak_to=["/bin/sleep", "100"]),
            kernel(stage, "leaked"),
        ]
    )
    stage.orphans([kernel(stage, "another's")], uid=0)
    report = stage.report()
    stage.expect_verdicts(
        report,
        {
            "detached": ("unknown", "report"),
            "held": ("held", "report"),
            "leaked": ("orphan", "reap"),
        },
    )
    stage.expect_not_listed(report, ["broker's", "stray", "another's"])
    stage.expect_sweep(
        stage.sweep(), ["leaked"], ["broker's", "stray", "detached", "held", "another's"], status=1
    )


@case
def a_cron_worker_outlives_its_gateway():
    stage = Stage()
    stage.orphans([cron_worker(stage, "job"), kernel(stage, "kernel")])
    report = stage.report()
    stage.expect_verdicts(report, {"job": ("supervised", "keep"), "kernel": ("orphan", "reap")})
    stage.expect_evidence(report, "job", "veto.never")
    rule = {"cron_worker": {"actions": {"orphan": "reap", "abandoned": "reap", "held": "reap"}}}
    config = put(stage.layout.home / "reap.json", json.dumps({"families": rule}))
    stage.expect_sweep(stage.sweep(*EVERYTHING, "--config", str(config)), ["kernel"], ["job"])


@case
def a_cron_worker_below_the_user_manager():
    """In a scope of its own, as `systemd-run --user --scope` makes one: the manager adopts it when
    the gateway ends."""
    stage = Stage()
    manager = UserManager(stage)
    wish = {
        "name": "host",
        "dir": str(stage.run),
        "children": [cron_worker(stage, "job"), kernel(stage, "kernel")],
    }
    argv = [PYTHON, "-B", "-m", "hermes_cli.main", "gateway", "run"]
    host = stage.child("host", argv, stage.layout.hermes, env={"HOST": json.dumps(wish)})
    scope = "hermes-worker-cron-a-exec-b.scope"
    manager.unit("host.service", launcher(stage, manager, host, scope))
    manager.start("host.service")
    manager.meet("host", "job", "kernel")
    stage.actors["host"].send(signal.SIGKILL)
    expect(stage.actors.pop("host").wait_ended(), "the host to die")
    wait_until(
        lambda: parent_of(stage.actors["job"].pid) == manager.process.pid,
        "the adoption by systemd --user",
    )
    stage.expect_verdicts(
        stage.report(), {"job": ("supervised", "keep"), "kernel": ("orphan", "reap")}
    )
    stage.expect_sweep(stage.sweep(*EVERYTHING), ["kernel"], ["job"])


@case
def what_is_detached_on_purpose_is_kept_by_its_record():
    """A bot in a meeting, a proxy, a compute host. Others of the same kind are reported; no rule
    ends them, as nothing proves that they are leaked."""
    stage = Stage()
    nonce = {"HERMES_IRON_PROXY_NONCE": "5f"}
    put(stage.layout.hermes / "tui_gateway/compute_host.py", body(stage))
    compute = [PYTHON, "-B", "-m", "tui_gateway.compute_host"]
    stage.orphans(
        [
            meet_bot(stage, "in-meeting"),
            meet_bot(stage, "lost"),
            proxy(stage, "recorded", **nonce),
            proxy(stage, "second", **nonce),
            proxy(stage, "own"),
            stage.child("owned", compute, stage.layout.hermes, stdio="detached"),
        ]
    )
    home = hermes_home(stage)
    bot = stage.actors["in-meeting"]
    put(
        home / "workspace/meetings/.active.json",
        json.dumps({"pid": bot.pid, "pid_start_time": int(bot.start)}),
    )
    put(home / "proxy/iron-proxy.pid", str(stage.actors["recorded"].pid))
    owned, own_start = stage.actors["owned"], int(actor.stat_fields(os.getpid())[19])
    registry = {
        "host_pid": owned.pid,
        "process_start_time": int(owned.start),
        "argv": compute,
        "owner_pid": os.getpid(),
        "owner_start_time": own_start,
        "started_at": 1.5,
    }
    put(home / "state/dashboard-compute-host.json", json.dumps(registry))
    for folder in ("workspace", "proxy", "state"):
        own_below(home / folder, stage.uid)
    verdicts = {
        "in-meeting": ("designated", "keep"),
        "recorded": ("designated", "keep"),
        "owned": ("attached", "keep"),
        "lost": ("unknown", "report"),
        "second": ("unknown", "report"),
    }
    report = stage.report()
    stage.expect_verdicts(report, verdicts)
    for name in ("in-meeting", "recorded"):
        stage.expect_evidence(report, name, "veto.claimed")
    stage.expect_not_listed(report, ["own"])
    rule = {"actions": {"orphan": "reap", "abandoned": "reap", "held": "reap"}}
    config = put(
        stage.layout.home / "reap.json",
        json.dumps({"families": {"meet_bot": rule, "iron_proxy": rule}}),
    )
    alive, silent = list(stage.actors), ["recorded", "second", "own"]
    stage.expect_sweep(
        stage.sweep(*EVERYTHING, "--config", str(config)), [], alive, silent, status=1
    )
    put(home / "state/dashboard-compute-host.json", json.dumps({**registry, "owner_pid": 999999}))
    stage.expect_verdicts(stage.report(), {"owned": ("orphan", "report")})


@case
def language_servers_of_hermes_are_reported():
    """One that lies in another folder may be an editor's."""
    stage = Stage()
    text = f"require({json.dumps(str(stage.layout.lib / 'standin.cjs'))});\n"
    scripts = {
        "installed": hermes_home(stage) / "lsp/bin/pyright-langserver",
        "editor's": stage.layout.home / "bin/pyright-langserver",
    }
    env = {"HERMES_HOME": str(hermes_home(stage))}

    def server(name, path):
        argv = [NODE, put(path, text), "--stdio"]
        return stage.child(name, argv, stage.layout.home, env=env, ignore_eof=True)

    stage.orphans([server(name, path) for name, path in scripts.items()])
    stage.start_host("gateway", [server("live", scripts["installed"])])
    report = stage.report()
    stage.expect_verdicts(report, {"installed": ("orphan", "report"), "live": ("attached", "keep")})
    stage.expect_not_listed(report, ["editor's"])
    stage.expect_sweep(stage.sweep(*EVERYTHING), [], list(stage.actors), status=1)


@case
def a_daemon_on_another_port_replaces_a_second_one():
    stage = Stage()
    home = stage.layout.data_home("home")
    stage.orphans([stage.daemon("wedged", home=home)])
    stage.orphans([stage.daemon("daemon", home=home, port=18811), stage.daemon("other-home")])
    stage.expect_verdicts(
        stage.report(),
        {
            "daemon": ("designated", "keep"),
            "wedged": ("superseded", "reap"),
            "other-home": ("unknown", "report"),
        },
    )
    stage.expect_sweep(stage.sweep(), ["wedged"], ["daemon", "other-home"], status=1)


@case
def of_two_daemons_on_ports_of_their_own_both_are_kept():
    """Then all of their home is; where one has the usual port, that one is the daemon."""
    stage = Stage()
    both, usual = stage.layout.data_home("both"), stage.layout.data_home("usual")
    stage.orphans(
        [
            stage.daemon("first", home=both, port=18811),
            stage.daemon("second", home=both, port=18812),
            stage.daemon("silent", home=both),
            stage.bridge("leaked", home=both),
            stage.daemon("daemon", home=usual, port=18800),
            stage.daemon("other", home=usual, port=18813),
            stage.daemon("wedged", home=usual),
        ]
    )
    report = stage.report()
    kept = ("first", "second", "silent", "leaked", "other")
    stage.expect_verdicts(
        report,
        {name: ("unknown", "report") for name in kept}
        | {"daemon": ("designated", "keep"), "wedged": ("superseded", "reap")},
    )
    stage.expect_evidence(report, "leaked", "veto.ambiguous")
    alive = [name for name in stage.actors if name != "wedged"]
    stage.expect_sweep(stage.sweep(*EVERYTHING), ["wedged"], alive, status=4)


@case
def the_port_of_a_debugger_replaces_nobody():
    """Asked for by an option, by a variable, and by a signal while it runs."""
    stage = Stage()

    def debugged(name, options=(), **more):
        child = stage.daemon(name, home=stage.layout.data_home(name), **more)
        return {**child, "argv": [child["argv"][0], *options, *child["argv"][1:]]}

    homes = ("option", "variable", "signal")
    stage.orphans(
        [
            debugged("option", ["--inspect=127.0.0.1:18821"]),
            debugged("variable", env={"NODE_OPTIONS": "--inspect=127.0.0.1:18822"}),
            debugged("signal"),
            *(stage.daemon(f"{name}-second", home=stage.layout.data_home(name)) for name in homes),
        ]
    )
    stage.actors["signal"].send(signal.SIGUSR1)
    for port in (18821, 18822, 9229):
        wait_until(lambda port=port: listens_on(port), f"a debugger on port {port}")
    report = stage.report()
    stage.expect_verdicts(
        report,
        {name: ("designated", "keep") for name in homes}
        | {f"{name}-second": ("unknown", "report") for name in homes},
    )
    stage.expect_sweep(stage.sweep(*EVERYTHING), [], list(stage.actors), status=1)


if __name__ == "__main__":
    sandbox.main(__file__, globals())
