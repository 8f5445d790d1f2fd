"""L2 under a real `systemd --user`: it adopts orphans and starts services, so its children are told
apart by more than their parent."""
import json
import signal
import time

from harness import actor, sandbox
from harness.actor import wait_until
from harness.layout import put
from harness.sandbox import case, expect
from harness.stage import Stage
from harness.user_manager import UserManager, launcher, service, started


@case
def orphans_of_the_user_manager_are_told_from_its_services():
    stage = Stage()
    manager = UserManager(stage)
    manager.unit("supervised.service", service(stage, stage.bridge("supervised", detached=True)))
    # A host that is a service: it is killed, and what it started stays behind in the service's
    # cgroup.
    wish = {
        "name": "host",
        "dir": str(stage.run),
        "children": [stage.bridge("leaked"), stage.worker("leaked-worker")],
    }
    host = stage.child(
        "host",
        [sandbox.PYTHON, "-B", "-m", "hermes_cli.main", "gateway", "run"],
        stage.layout.hermes,
        env={"HOST": json.dumps(wish)},
    )
    manager.unit("host.service", service(stage, host))
    manager.start("supervised.service", "host.service")
    manager.meet("supervised", "host", "leaked", "leaked-worker")
    stage.start_host("gateway", [stage.bridge("attached")])
    stage.expect_verdicts(
        stage.report(),
        {"supervised": "supervised", "leaked": "attached", "leaked-worker": "attached"},
    )

    stage.actors["host"].send(signal.SIGKILL)
    expect(stage.actors.pop("host").wait_ended(), "the host to die")
    wait_until(
        lambda: actor.parent_of(stage.actors["leaked"].pid) == manager.process.pid,
        "the adoption by systemd --user",
    )
    expect(
        actor.parent_of(stage.actors["supervised"].pid) == manager.process.pid,
        "the service has the same parent",
    )

    report = stage.report()
    stage.expect_verdicts(
        report,
        {
            "supervised": ("supervised", "keep"),
            "leaked": "orphan",
            "leaked-worker": "orphan",
            "attached": "attached",
        },
    )
    inside_services = (
        []
        if report.process(stage.actors["leaked"].pid)["action"] == "reap"
        else ["--reap", "in-service"]
    )
    if inside_services:
        stage.expect_sweep(stage.sweep(), [], list(stage.actors), status=1)
    stage.expect_sweep(
        stage.sweep(*inside_services),
        ["leaked", "leaked-worker"],
        ["supervised", "gateway", "attached"],
    )


@case
def orphan_of_the_user_manager_outside_of_any_service():
    """As on a desktop: the host ran in a scope of its own, next to the manager's services."""
    stage = Stage()
    manager = UserManager(stage)
    manager.unit("supervised.service", service(stage, stage.bridge("supervised", detached=True)))
    wish = {
        "name": "host",
        "dir": str(stage.run),
        "children": [stage.bridge("leaked"), stage.worker("leaked-worker")],
    }
    host = stage.child(
        "host",
        [sandbox.PYTHON, "-B", "-m", "hermes_cli.main", "gateway", "run"],
        stage.layout.hermes,
        env={"HOST": json.dumps(wish)},
    )
    manager.unit("host.service", launcher(stage, manager, host, "vte-spawn-1.scope"))
    manager.start("supervised.service", "host.service")
    manager.meet("supervised", "host", "leaked", "leaked-worker")
    stage.actors["host"].send(signal.SIGKILL)
    expect(stage.actors.pop("host").wait_ended(), "the host to die")
    wait_until(
        lambda: actor.parent_of(stage.actors["leaked"].pid) == manager.process.pid,
        "the adoption by systemd --user",
    )
    stage.expect_verdicts(
        stage.report(),
        {
            "supervised": ("supervised", "keep"),
            "leaked": ("orphan", "reap"),
            "leaked-worker": ("orphan", "reap"),
        },
    )
    stage.expect_sweep(stage.sweep(), ["leaked", "leaked-worker"], ["supervised"])


@case
def l16_gateway_below_a_wrapper_that_is_the_main_process():
    """As `doppler run -- hermes gateway run` does. Neither the gateway nor what it runs is a
    target, with the wrapper and without it; a leaked worker beside them, in the same service, is
    the service's to want: reported."""
    stage = Stage()
    manager = UserManager(stage)
    wish = {"name": "gateway", "dir": str(stage.run), "children": [stage.bridge("attached")]}
    left = {"name": "left-host", "dir": str(stage.run), "children": [stage.worker("left")]}
    command = [sandbox.PYTHON, "-B", "-m", "hermes_cli.main", "gateway", "run"]
    wrapper = put(
        stage.layout.base / "bin/doppler", 'HOST=$LEFT_HOST STANDIN_NAME=left-host "$@" &\n"$@"\n'
    )
    child = stage.child(
        "gateway",
        ["/bin/sh", wrapper, *command],
        stage.layout.hermes,
        env={"HOST": json.dumps(wish), "LEFT_HOST": json.dumps(left)},
    )
    manager.unit("hermes-gateway.service", service(stage, child))
    manager.start("hermes-gateway.service")
    for name in ("left-host", "left", "attached"):
        manager.meet(name)
    wait_until((stage.run / "gateway.ready").exists, "the gateway")
    gateway = int((stage.run / "gateway.ready").read_text())
    wrapper_pid = actor.parent_of(gateway)
    expect(actor.parent_of(wrapper_pid) == manager.process.pid, "the wrapper is the main process")
    stage.know("gateway", gateway)
    stage.know("wrapper", wrapper_pid)
    stage.actors["left-host"].send(signal.SIGKILL)
    expect(stage.actors.pop("left-host").wait_ended(), "the host of the leaked one")

    verdicts = {
        "gateway": ("designated", "keep"),
        "attached": ("attached", "keep"),
        "left": ("orphan", "report"),
    }
    report = stage.report()
    stage.expect_verdicts(report, verdicts)
    stage.expect_evidence(report, "left", "unit.inside_service")
    stage.expect_sweep(stage.sweep(), [], list(stage.actors), silent=["wrapper"], status=1)

    stage.actors["wrapper"].send(signal.SIGKILL)
    expect(stage.actors.pop("wrapper").wait_ended(), "the wrapper")
    wait_until(
        lambda: actor.parent_of(gateway) == manager.process.pid, "the adoption of the gateway"
    )
    stage.expect_verdicts(stage.report(), verdicts)
    stage.expect_sweep(
        stage.sweep("--reap", "abandoned,duplicate,held,in-service"),
        ["left"],
        ["gateway", "attached"],
    )


EVERYTHING = ("--reap", "abandoned,duplicate,held,in-service")


@case
def the_main_process_of_every_kind_of_service_stays():
    """All of them look leaked, and inherit SYSTEMD_EXEC_PID of a starter that has ended; only the
    manager knows what they are."""
    stage = Stage()
    manager = UserManager(stage)
    pid_file = manager.runtime / "pid-file.pid"
    forking, notify = "Type=forking", ("Type=notify", "NotifyAccess=all")
    waiting = stage.child("post-host", ["/bin/sleep", "100"], stage.layout.hermes)
    post = service(stage, started(stage, stage.bridge("control"), "exec", "--forget")).replace(
        "ExecStart=", "ExecStartPost="
    )
    units = {
        "guessed": service(stage, started(stage, stage.bridge("guessed"), "fork"), forking),
        "named": service(
            stage,
            started(stage, stage.bridge("named"), "fork", "--pid-file", str(pid_file)),
            forking,
            f"PIDFile={pid_file}",
        ),
        "told": service(stage, started(stage, stage.bridge("told"), "notify"), *notify),
        "direct": service(stage, started(stage, stage.bridge("direct"), "exec")),
        "bare": service(stage, started(stage, stage.bridge("bare"), "exec", "--forget")),
        "control": service(stage, waiting) + post.split("\n", 3)[3],
        "two": service(stage, started(stage, stage.bridge("two"), "fork", "--twice"), forking),
        "holder": service(stage, started(stage, stage.bridge("left"), "hold"), *notify),
    }
    for name, text in units.items():
        manager.unit(f"{name}.service", text)
    manager.start(*(f"{name}.service" for name in units))
    main = ["guessed", "named", "told", "direct", "bare", "control"]
    manager.meet(*main, "two", "two-too", "left")
    wait_until((stage.run / "left.held").exists, "the adoption")
    for name in (*main, "two", "two-too", "left"):
        wait_until(
            lambda: actor.parent_of(stage.actors[name].pid) == manager.process.pid,
            f"the starter of {name} to end",
        )
    stage.know("left-starter")
    stage.know("post-host")
    verdicts = {
        **{name: ("supervised", "keep") for name in main},
        "left": ("orphan", "report"),
        "two": ("unknown", "report"),
        "two-too": ("unknown", "report"),
    }
    stage.expect_verdicts(stage.report(), verdicts)
    result = stage.sweep(*EVERYTHING)
    for name in ("two", "two-too"):
        stage.expect_evidence(result, name, "veto.unreadable.main_pid")
    stage.expect_sweep(
        result,
        ["left"],
        [*main, "two", "two-too", "left-starter", "post-host"],
        silent=["left-starter", "post-host"],
        status=4,
    )


@case
def what_becomes_the_main_process_after_term_gets_no_kill():
    stage = Stage()
    manager = UserManager(stage)
    left = started(stage, stage.bridge("left", ignore_term=True), "hold")
    manager.unit("holder.service", service(stage, left, "Type=notify", "NotifyAccess=all"))
    manager.start("holder.service")
    manager.meet("left")
    wait_until((stage.run / "left.held").exists, "the adoption")
    sweep = stage.start_reaper(
        "sweep", "--json", "--min-age", "1ms", "--settle", "200ms", "--grace", "3s", *EVERYTHING
    )
    wait_until(stage.actors["left"].signals, "TERM")
    put(stage.run / "left.take", "")
    wait_until((stage.run / "left.taken").exists, "the manager to be told")
    out, err = sweep.communicate(timeout=30)
    outcome = [
        one["outcome"]
        for one in json.loads(out)["processes"]
        if one["pid"] == stage.actors["left"].pid
    ][0]
    expect(stage.actors["left"].alive(), f"it was killed: {out} {err}")
    expect("KILL" not in outcome["signals"], str(outcome))
    expect(b"main process of holder.service" in out, out)


@case
def a_manager_that_does_not_answer_keeps_what_is_in_its_services():
    stage = Stage()
    manager = UserManager(stage)
    manager.unit(
        "forking.service",
        service(stage, started(stage, stage.bridge("forked"), "fork"), "Type=forking"),
    )
    manager.start("forking.service")
    manager.meet("forked")
    wait_until(
        lambda: actor.parent_of(stage.actors["forked"].pid) == manager.process.pid,
        "the starter to end",
    )
    manager.process.send_signal(signal.SIGSTOP)
    stage.expect_verdicts(stage.report(), {"forked": ("unknown", "report")})
    began = time.monotonic()
    stage.expect_sweep(stage.sweep(*EVERYTHING), [], ["forked"], status=4)
    expect(time.monotonic() - began < 5, f"it took {time.monotonic() - began} s")


if __name__ == "__main__":
    sandbox.main(__file__, globals())
