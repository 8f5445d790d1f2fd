"""The ways in which helpers leak, and the ways in which they look leaked (L1 to L22), with real
processes: each is judged right, and a sweep ends the leaked ones only."""
import json
import os
import shutil
import signal
import time

from harness import layout, sandbox
from harness.actor import parent_of, stat_fields, wait_until
from harness.layout import OTHER_UID
from harness.product import finish
from harness.sandbox import case, expect
from harness.stage import HEADLESS, Stage


def check(stage, verdicts, ended, silent=(), status=0):
    """Report, then dry run, then sweep: the same verdicts, and only `ended` go."""
    report = stage.report()
    stage.expect_verdicts(report, verdicts)
    expect(report.status == (1 if ended else 0), f"report: {report.explain()}")
    alive = [name for name in stage.actors if name not in ended]
    stage.expect_alive(list(stage.actors), [*silent])
    stage.expect_sweep(stage.sweep(), ended, alive, silent, status)
    after = stage.report()
    expect(after.status == status, f"report after the sweep: {after.explain()}")


@case
def l1_host_killed_bridge_ignores_eof():
    stage = Stage()
    stage.orphans(
        [
            stage.bridge("mjs"),
            stage.bridge("cjs", "dist/bridge.cjs", ("--agent=hermes", "--no-viewer")),
            stage.bridge(
                "relative", "dist/bridge.cjs", ("--agent=hermes", "--no-viewer"), relative=True
            ),
            stage.worker("worker"),
        ]
    )
    stage.start_host(
        "gateway", [stage.bridge("attached"), stage.worker("attached-worker", session="other")]
    )
    verdicts = {name: ("orphan", "reap") for name in ("mjs", "cjs", "relative", "worker")}
    verdicts |= {name: ("attached", "keep") for name in ("attached", "attached-worker")}
    check(stage, verdicts, ["mjs", "cjs", "relative", "worker"])


@case
def l1_with_a_relative_script_of_an_install_that_is_gone():
    """An update, or an uninstall, takes the folder away under helpers that run on."""
    stage = Stage()
    arguments = ("--agent=hermes", "--no-viewer")
    stage.orphans(
        [
            stage.bridge(name, "dist/bridge.cjs", arguments, relative=True)
            for name in ("first", "second")
        ]
    )
    shutil.rmtree(stage.layout.plugin)
    stage.expect_sweep(stage.sweep(), ["first", "second"], [])


@case
def l1_as_root():
    stage = Stage(uid=0)
    stage.orphans([stage.bridge("leaked"), stage.worker("leaked-worker")])
    stage.start_host("gateway", [stage.bridge("attached")])
    check(
        stage,
        {"leaked": "orphan", "leaked-worker": "orphan", "attached": "attached"},
        ["leaked", "leaked-worker"],
    )


@case
def l1_stdio_of_a_node_host_are_sockets():
    stage = Stage()
    stage.orphans([stage.bridge("leaked")], kind="node")
    stage.start_host("desktop", [stage.bridge("attached")], kind="node")
    check(stage, {"leaked": ("orphan", "reap"), "attached": ("attached", "keep")}, ["leaked"])


@case
def l1_term_is_ignored():
    stage = Stage()
    stage.orphans(
        [
            stage.bridge("deaf", ignore_term=True),
            stage.worker("deaf-worker", ignore_term=True),
            stage.bridge("polite"),
        ]
    )
    result = stage.sweep()
    stage.expect_sweep(result, ["deaf", "deaf-worker", "polite"], [])
    how = {
        name: result.outcome(stage.actors[name].pid) for name in ("deaf", "deaf-worker", "polite")
    }
    expect(how["deaf"]["result"] == how["deaf-worker"]["result"] == "ended_on_kill", str(how))
    expect(
        how["polite"]["result"] == "ended_on_term" and "KILL" not in how["polite"]["signals"],
        str(how),
    )
    expect(
        stage.actors["deaf"].signals() == ["TERM"],
        "the deaf one must get TERM exactly once, before KILL",
    )


@case(lazy=True)
def l1_the_dead_are_not_reaped():
    """Under a pid 1 that reaps nothing the ended stay zombies: they count as ended, and are not
    signalled again."""
    stage = Stage()
    stage.orphans(
        [
            stage.bridge("leaked"),
            stage.worker("leaked-worker"),
            stage.bridge("deaf", ignore_term=True),
        ]
    )
    stage.start_host("gateway", [stage.bridge("attached")])
    check(
        stage,
        {"leaked": "orphan", "leaked-worker": "orphan", "attached": "attached"},
        ["leaked", "leaked-worker", "deaf"],
    )


@case
def l2_adopted_by_a_subreaper():
    """This process takes part as a subreaper that did not start the bridge."""
    sandbox.become_subreaper()
    stage = Stage()
    stage.orphans([stage.bridge("leaked")])
    stage.start_host("gateway", [stage.bridge("attached")])
    parent = parent_of(stage.actors["leaked"].pid)
    expect(parent == os.getpid(), f"adopted by {parent}, not by the subreaper")
    check(stage, {"leaked": ("orphan", "reap"), "attached": "attached"}, ["leaked"])


@case
def l3_a_sibling_holds_the_stdin():
    stage = Stage()
    stage.orphans([stage.bridge("held", leak_to=["/bin/sleep", "100"]), stage.bridge("leaked")])
    stage.know("held-holder")
    check(
        stage,
        {"held": ("held", "report"), "leaked": "orphan"},
        ["leaked"],
        silent=["held-holder"],
        status=1,
    )


@case
def l4_duplicates_below_a_living_host():
    """Reported; ended only when asked for, and then all but the newest. The one that serves the
    port is none of them."""
    stage = Stage()
    home = stage.layout.data_home("home")
    children = [stage.bridge(name, home=home) for name in ("oldest", "older")]
    stage.start_host(
        "gateway",
        [
            *children,
            stage.daemon("daemon", home=home, port=18800),
            stage.bridge("late", home=home, after=0.5),
        ],
    )
    stage.expect_verdicts(
        stage.report(),
        {
            "oldest": ("duplicate", "report"),
            "older": ("duplicate", "report"),
            "late": ("attached", "keep"),
            "daemon": ("designated", "keep"),
        },
    )
    stage.expect_sweep(stage.sweep(), [], list(stage.actors), status=1)
    stage.expect_sweep(
        stage.sweep("--reap", "duplicate"), ["oldest", "older"], ["gateway", "late", "daemon"]
    )


@case
def l5_abandoned_by_a_living_host():
    """The host lives, but closed both ends: reported; ended only when asked for."""
    stage = Stage()
    stage.start_host(
        "gateway", [stage.bridge("abandoned", stdio="abandoned"), stage.bridge("attached")]
    )
    stage.expect_verdicts(
        stage.report(), {"abandoned": ("abandoned", "report"), "attached": ("attached", "keep")}
    )
    stage.expect_sweep(stage.sweep(), [], list(stage.actors), status=1)
    stage.expect_sweep(stage.sweep("--reap", "abandoned"), ["abandoned"], ["gateway", "attached"])


@case
def l5_keepalive_brings_it_back():
    """A living host starts again what was ended: the sweep says so, and does not go on killing. The
    deaf one keeps the sweep busy until the host has noticed."""
    stage = Stage()
    stage.start_host("gateway", [stage.bridge("abandoned", stdio="abandoned")], keepalive=0.01)
    stage.orphans([stage.worker("deaf", ignore_term=True)])
    first = stage.actors.pop("abandoned")
    (stage.run / "abandoned.ready").unlink()
    result = stage.sweep("--reap", "abandoned")
    stage.meet("abandoned")
    expect(result.status == 5 and not first.alive(), result.explain())
    expect(
        result.outcome(first.pid)["respawned_as"] == stage.actors["abandoned"].pid, result.explain()
    )
    expect(
        stage.actors["abandoned"].alive() and len(first.signals()) == 1,
        "one TERM, and none for the new one",
    )


@case
def l12_workers_of_one_dashboard():
    """One for each session is how it has to be; two of one session is one too many."""
    stage = Stage()
    workers = [stage.worker(f"session-{number}", session=f"s{number}") for number in range(6)]
    stage.start_host(
        "dashboard", [*workers, stage.worker("again", session="s0", after=0.5)], kind="dashboard"
    )
    verdicts = {f"session-{number}": "attached" for number in range(1, 6)} | {
        "session-0": ("duplicate", "report"),
        "again": "attached",
    }
    stage.expect_verdicts(stage.report(), verdicts)
    stage.expect_sweep(stage.sweep(), [], list(stage.actors), status=1)


@case
def l6_two_live_hosts_share_a_home():
    stage = Stage()
    home = stage.layout.data_home("shared")
    stage.start_host("gateway", [stage.bridge("first", home=home)])
    stage.start_host("chat", [stage.bridge("second", home=home)])
    check(stage, {"first": ("attached", "keep"), "second": ("attached", "keep")}, [])


@case
def l7_homes_are_independent():
    stage = Stage()
    one, two = stage.layout.data_home("one"), stage.layout.data_home("two")
    stage.orphans([stage.bridge("leaked-one", home=one)])
    stage.start_host(
        "gateway",
        [stage.bridge("attached-two", home=two), stage.daemon("daemon-two", home=two, port=18800)],
    )
    stage.orphans([stage.bridge("leaked-two", home=two)])
    verdicts = {
        "leaked-one": "orphan",
        "leaked-two": "orphan",
        "attached-two": "attached",
        "daemon-two": "designated",
    }
    check(stage, verdicts, ["leaked-one", "leaked-two"])


@case
def l7_home_option_narrows():
    stage = Stage()
    one = stage.layout.data_home("one")
    stage.orphans([stage.bridge("mine", home=one), stage.bridge("not-asked-for")])
    stage.expect_sweep(stage.sweep("--home", str(one)), ["mine"], ["not-asked-for"])


@case
def l8_daemon_owns_the_port():
    stage = Stage()
    home = stage.layout.data_home("home")
    stage.orphans(
        [stage.daemon("daemon", home=home, port=18800), stage.bridge("leaked", home=home)]
    )
    check(stage, {"daemon": ("designated", "keep"), "leaked": "orphan"}, ["leaked"])


@case
def l9_second_daemon_listens_on_nothing():
    stage = Stage()
    home = stage.layout.data_home("home")
    stage.orphans([stage.daemon("wedged", home=home)])
    stage.orphans([stage.daemon("daemon", home=home, port=18800)])
    check(stage, {"daemon": ("designated", "keep"), "wedged": ("superseded", "reap")}, ["wedged"])


@case
def l9_headless_bridge_on_the_port_is_no_daemon():
    """It lives and has the port, so that it cannot be told whether the real daemon is needed: that
    one stays."""
    stage = Stage()
    home = stage.layout.data_home("home")
    stage.start_host("gateway", [stage.bridge("bridge", home=home, port=18800)])
    stage.orphans([stage.daemon("daemon", home=home)])
    for options in ([], ["--reap", "abandoned,duplicate,held,in-service"]):
        result = stage.sweep(*options)
        stage.expect_verdicts(
            result, {"bridge": ("attached", "keep"), "daemon": ("unknown", "report")}
        )
        stage.expect_evidence(result, "daemon", "veto.ambiguous")
        stage.expect_sweep(result, [], ["gateway", "bridge", "daemon"], status=4)


@case
def l9_second_daemon_while_the_first_is_stopped():
    stage = Stage()
    home = stage.layout.data_home("home")
    stage.orphans(
        [stage.daemon("daemon", home=home, port=18800), stage.daemon("second", home=home)]
    )
    stage.stop("daemon")
    stage.expect_sweep(stage.sweep(), [], ["daemon", "second"], silent=["daemon"], status=1)
    stage.actors["daemon"].send(signal.SIGCONT)
    stage.expect_sweep(stage.sweep(), ["second"], ["daemon"])


@case
def duplicate_stays_while_the_newest_is_stopped():
    stage = Stage()
    home = stage.layout.data_home("home")
    stage.start_host(
        "gateway", [stage.bridge("older", home=home), stage.bridge("newest", home=home, after=0.1)]
    )
    stage.stop("newest")
    stage.expect_sweep(
        stage.sweep("--reap", "duplicate"), [], ["gateway", "older", "newest"], silent=["newest"]
    )
    stage.actors["newest"].send(signal.SIGCONT)
    stage.expect_sweep(stage.sweep("--reap", "duplicate"), ["older"], ["gateway", "newest"])


@case
def duplicate_stays_while_the_newest_is_frozen():
    stage = Stage()
    top = stage.run / "cgroup"
    top.mkdir()
    try:
        sandbox.mount("none", top, "cgroup2")
        frozen = top / os.environ["REAPER_TEST_CGROUP"]
        frozen.mkdir(exist_ok=True)
        freeze = frozen / "cgroup.freeze"
        freeze.write_text("0")
    except OSError as trouble:
        raise sandbox.Skip(f"no cgroup of version 2 can be frozen here: {trouble}") from trouble
    home = stage.layout.data_home("home")
    stage.start_host(
        "gateway", [stage.bridge("older", home=home), stage.bridge("newest", home=home, after=0.1)]
    )
    newest = stage.actors["newest"].pid
    (frozen / "cgroup.procs").write_text(str(newest))
    freeze.write_text("1")
    try:
        wait_until(lambda: "frozen 1" in (frozen / "cgroup.events").read_text(), "the freezer")
        stage.expect_sweep(
            stage.sweep("--reap", "duplicate"),
            [],
            ["gateway", "older", "newest"],
            silent=["newest"],
        )
    finally:
        freeze.write_text("0")
        (top / "cgroup.procs").write_text(str(newest))
        frozen.rmdir()
    stage.expect_sweep(stage.sweep("--reap", "duplicate"), ["older"], ["gateway", "newest"])


@case
def l9_second_daemon_that_is_still_held():
    """Its stdio is a pipe whose other end is held: not superseded, whatever serves the home."""
    stage = Stage()
    home = stage.layout.data_home("home")
    stage.orphans([stage.daemon("daemon", home=home, port=18800)])
    stage.orphans(
        [
            stage.bridge(
                "wedged",
                arguments=("--agent=hermes", "--daemon"),
                home=home,
                leak_to=["/bin/sleep", "100"],
            )
        ]
    )
    stage.know("wedged-holder")
    stage.expect_verdicts(
        stage.report(), {"daemon": ("designated", "keep"), "wedged": ("held", "report")}
    )
    stage.expect_sweep(stage.sweep(), [], list(stage.actors), silent=["wedged-holder"], status=1)


@case
def l9_lone_daemon_that_listens_on_nothing():
    """Nothing replaced it: it may be the one that is about to serve."""
    stage = Stage()
    stage.orphans([stage.daemon("alone")])
    result = stage.sweep()
    stage.expect_sweep(result, [], ["alone"], status=1)
    expect(result.process(stage.actors["alone"].pid)["action"] != "reap", result.explain())


@case
def l10_bridge_without_daemon_owns_the_port():
    stage = Stage()
    home = stage.layout.data_home("home")
    stage.orphans([stage.bridge("viewer", arguments=("--agent=hermes",), home=home, port=18800)])
    stage.orphans([stage.bridge("lost-the-port", arguments=("--agent=hermes",), home=home)])
    check(
        stage,
        {"viewer": ("designated", "keep"), "lost-the-port": ("orphan", "reap")},
        ["lost-the-port"],
    )


@case
def l11_tsx_pair_whose_root_was_killed():
    stage = Stage()
    stage.start_host("gateway", [stage.tsx_bridge("pair")], lost=["pair"])
    stage.meet_pair("pair")
    stage.actors["pair"].send(signal.SIGKILL)
    expect(stage.actors["pair"].wait_ended(), "the root of the pair")
    del stage.actors["pair"]
    stage.kill_host("gateway")
    check(stage, {"pair-leaf": ("orphan", "reap")}, ["pair-leaf"])


@case
def l11_tsx_pair_is_one_unit():
    stage = Stage()
    stage.start_host("gateway", [stage.tsx_bridge("leaked")], lost=["leaked"])
    stage.meet_pair("leaked")
    stage.kill_host("gateway")
    stage.start_host("chat", [stage.tsx_bridge("attached")], lost=["attached"])
    stage.meet_pair("attached")
    verdicts = {
        "leaked": "orphan",
        "leaked-leaf": "orphan",
        "attached": "attached",
        "attached-leaf": "attached",
    }
    stage.expect_verdicts(stage.report(), verdicts)
    result = stage.sweep()
    expect(result.status == 0, result.explain())
    stage.expect_ended(["leaked", "leaked-leaf"])
    stage.expect_alive(["attached", "attached-leaf", "chat"])
    for name in ("leaked", "leaked-leaf"):
        outcome = result.outcome(stage.actors[name].pid)
        expect(outcome["result"] in ("ended_on_term", "already_gone"), f"{name}: {outcome}")


@case
def l20_zombie_and_stopped():
    stage = Stage()
    stage.start_host(
        "gateway",
        [stage.bridge("dead", life=100), stage.bridge("paused"), stage.bridge("attached")],
    )
    stage.actors["dead"].send(signal.SIGKILL)  # its host never waits for it
    stage.stop("paused")
    stage.orphans([stage.bridge("paused-orphan")])
    stage.stop("paused-orphan")
    report = stage.report()
    zombie = report.process(stage.actors["dead"].pid)
    expect(
        zombie is None or (zombie["verdict"], zombie["action"]) == ("zombie", "report"),
        report.explain(),
    )
    stage.expect_verdicts(report, {"paused": ("attached", "keep"), "paused-orphan": "orphan"})
    result = stage.sweep()
    expect(result.outcome(stage.actors["dead"].pid) is None, "a zombie was planned for")
    expect(sorted(result.signalled()) == [stage.actors["paused-orphan"].pid], result.explain())
    how = result.outcome(stage.actors["paused-orphan"].pid)
    expect(how["result"] == "ended_on_term", f"CONT has to follow TERM: {how}")
    stage.expect_alive(["gateway", "paused", "attached"], silent=["paused"])
    expect(stage.actors["paused"].state() == "T", "the paused one was let run")


@case
def l20_owner_that_is_dead_and_was_not_cleared_away():
    stage = Stage()
    stage.start_host("owner", [stage.worker("recorded", parent_pid="{host}")], kind="dashboard")
    owner = stage.hosts["owner"]
    stage.expect_verdicts(stage.report(), {"recorded": ("attached", "keep")})
    owner.kill()
    wait_until(
        lambda: parent_of(stage.actors["recorded"].pid) != owner.pid, "the worker is adopted"
    )
    expect(stat_fields(owner.pid)[0] == b"Z", "the owner is no zombie")
    report = stage.report()
    stage.expect_verdicts(report, {"recorded": ("orphan", "reap")})
    stage.expect_evidence(report, "recorded", "owner.dead")
    del stage.actors["owner"]
    stage.expect_sweep(stage.sweep(), ["recorded"], [])


@case
def l21_execs_between_look_and_signal():
    stage = Stage()
    trigger = stage.run / "exec-now"
    stage.orphans(
        [
            stage.worker("shape-shifter", exec_when=str(trigger), exec=["/bin/sleep", "60"]),
            stage.worker("leaked", session="other"),
        ]
    )
    running = stage.start_reaper(
        "sweep", "--json", "--min-age", "1ms", "--settle", "1500ms", "--grace", "1s"
    )
    time.sleep(0.7)
    trigger.touch()
    result = finish(running, 30)
    stage.expect_ended(["leaked"])
    stage.expect_alive(["shape-shifter"], silent=["shape-shifter"])
    outcome = result.outcome(stage.actors["shape-shifter"].pid)
    expect(
        outcome is None or (outcome["result"] == "changed" and outcome["signals"] == []),
        f"{outcome}\n{result.explain()}",
    )


@case
def l21_host_comes_back_between_term_and_kill():
    """A bridge that is deaf to TERM turns into something else during its grace period: no KILL
    follows."""
    stage = Stage()
    trigger = stage.run / "exec-now"
    stage.orphans(
        [
            stage.worker(
                "shape-shifter", ignore_term=True, exec_when=str(trigger), exec=["/bin/sleep", "60"]
            )
        ]
    )
    running = stage.start_reaper(
        "sweep", "--json", "--min-age", "1ms", "--settle", "100ms", "--grace", "2s"
    )
    wait_until(stage.actors["shape-shifter"].signals, "the TERM")
    trigger.touch()
    result = finish(running, 30)
    expect(
        stage.actors["shape-shifter"].alive(),
        "KILL hit a process that is no bridge any more: " + result.explain(),
    )
    outcome = result.outcome(stage.actors["shape-shifter"].pid)
    expect(outcome["result"] == "changed" and "KILL" not in outcome["signals"], f"{outcome}")


@case
def l22_other_user_and_other_namespace():
    stage = Stage()
    stage.orphans(
        [
            stage.bridge("other-user", become=("--uids", f"{OTHER_UID},{OTHER_UID},{OTHER_UID}")),
            stage.bridge(
                "own-init",
                become=("--pid-namespace", "--uids", f"{stage.uid},{stage.uid},{stage.uid}"),
            ),
            stage.bridge(
                "own-member",
                become=("--pid-namespace-member", "--uids", f"{stage.uid},{stage.uid},{stage.uid}"),
            ),
        ],
        uid=0,
    )
    stage.know("own-member-init")
    stage.orphans([stage.bridge("leaked")])
    foreign = ["other-user", "own-init", "own-member"]
    for arguments, uid in (((), stage.uid), (("--all-users",), 0)):
        result = stage.report(*arguments, uid=uid)
        for name in foreign:
            process = result.process(stage.actors[name].pid)
            allowed = (
                ("orphan",)
                if name == "other-user" and uid == 0
                else ("foreign", "unknown", "attached")
            )
            expect(
                process is None or process["verdict"] in allowed,
                f"{name} as {uid}: {result.explain()}",
            )
    stage.expect_sweep(
        stage.sweep(), ["leaked"], [*foreign, "own-member-init"], silent=["own-member-init"]
    )


@case
def deleted_checkout_is_no_other_program():
    """Nothing tells any more what it was of: it is left, and told of."""
    stage = Stage()
    folder = stage.layout.home / "renamed"
    layout.put(folder / "package.json", json.dumps({"name": "@memtensor/memos-local-plugin"}))
    layout.put(
        folder / "dist/bridge.cjs",
        f"require({json.dumps(str(stage.layout.lib / 'standin.cjs'))});\n",
    )
    layout.own_below(folder, stage.uid)
    environment = {"MEMOS_HOME": str(stage.layout.data_home("bridge"))}
    stage.orphans(
        [
            stage.child(
                name, [sandbox.NODE, script, *HEADLESS], folder, env=environment, ignore_eof=True
            )
            for name, script in (
                ("absolute", folder / "dist/bridge.cjs"),
                ("relative", "dist/bridge.cjs"),
            )
        ]
    )
    shutil.rmtree(folder)
    result = stage.sweep()
    stage.expect_verdicts(
        result, {name: ("unknown", "report") for name in ("absolute", "relative")}
    )
    stage.expect_evidence(result, "relative", "veto.unreadable.package")
    stage.expect_sweep(result, [], ["absolute", "relative"], status=4)


if __name__ == "__main__":
    sandbox.main(__file__, globals())
