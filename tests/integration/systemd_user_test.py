"""L2 under a real `systemd --user`: it adopts orphans and starts services, so its children are told apart by more than
their parent."""
import json
import signal

from harness import actor, sandbox
from harness.actor import wait_until
from harness.layout import put
from harness.sandbox import case, expect
from harness.stage import Stage
from harness.user_manager import UserManager, launcher, service


@case
def orphans_of_the_user_manager_are_told_from_its_services():
    stage = Stage()
    manager = UserManager(stage)
    manager.unit("supervised.service", service(stage, stage.bridge("supervised", detached=True)))
    # A host that is a service: it is killed, and what it started stays behind in the service's cgroup.
    wish = {"name": "host", "dir": str(stage.run), "children": [stage.bridge("leaked"), stage.worker("leaked-worker")]}
    host = stage.child("host", [sandbox.PYTHON, "-B", "-m", "hermes_cli.main", "gateway", "run"], stage.layout.hermes,
                       env={"HOST": json.dumps(wish)})
    manager.unit("host.service", service(stage, host))
    manager.start("supervised.service", "host.service")
    manager.meet("supervised", "host", "leaked", "leaked-worker")
    stage.start_host("gateway", [stage.bridge("attached")])
    stage.expect_verdicts(stage.report(), {"supervised": "supervised", "leaked": "attached",
                                           "leaked-worker": "attached"})

    stage.actors["host"].send(signal.SIGKILL)
    expect(stage.actors.pop("host").wait_ended(), "the host to die")
    wait_until(lambda: actor.parent_of(stage.actors["leaked"].pid) == manager.process.pid,
               "the adoption by systemd --user")
    expect(actor.parent_of(stage.actors["supervised"].pid) == manager.process.pid, "the service has the same parent")

    report = stage.report()
    stage.expect_verdicts(report, {"supervised": ("supervised", "keep"), "leaked": "orphan", "leaked-worker": "orphan",
                                   "attached": "attached"})
    inside_services = [] if report.process(stage.actors["leaked"].pid)["action"] == "reap" else ["--reap", "in-service"]
    if inside_services:
        stage.expect_sweep(stage.sweep(), [], list(stage.actors), status=1)
    stage.expect_sweep(stage.sweep(*inside_services), ["leaked", "leaked-worker"],
                       ["supervised", "gateway", "attached"])


@case
def orphan_of_the_user_manager_outside_of_any_service():
    """As on a desktop: the host ran in a scope of its own, next to the manager's services."""
    stage = Stage()
    manager = UserManager(stage)
    manager.unit("supervised.service", service(stage, stage.bridge("supervised", detached=True)))
    wish = {"name": "host", "dir": str(stage.run), "children": [stage.bridge("leaked"), stage.worker("leaked-worker")]}
    host = stage.child("host", [sandbox.PYTHON, "-B", "-m", "hermes_cli.main", "gateway", "run"], stage.layout.hermes,
                       env={"HOST": json.dumps(wish)})
    manager.unit("host.service", launcher(stage, manager, host, "vte-spawn-1.scope"))
    manager.start("supervised.service", "host.service")
    manager.meet("supervised", "host", "leaked", "leaked-worker")
    stage.actors["host"].send(signal.SIGKILL)
    expect(stage.actors.pop("host").wait_ended(), "the host to die")
    wait_until(lambda: actor.parent_of(stage.actors["leaked"].pid) == manager.process.pid,
               "the adoption by systemd --user")
    stage.expect_verdicts(stage.report(), {"supervised": ("supervised", "keep"), "leaked": ("orphan", "reap"),
                                           "leaked-worker": ("orphan", "reap")})
    stage.expect_sweep(stage.sweep(), ["leaked", "leaked-worker"], ["supervised"])


@case
def l16_gateway_below_a_wrapper_that_is_the_main_process():
    """As `doppler run -- hermes gateway run` does. Neither the gateway nor what it runs is a target, with the wrapper
    and without it; a leaked worker beside them, in the same service, is the service's to want: reported."""
    stage = Stage()
    manager = UserManager(stage)
    wish = {"name": "gateway", "dir": str(stage.run), "children": [stage.bridge("attached")]}
    left = {"name": "left-host", "dir": str(stage.run), "children": [stage.worker("left")]}
    command = [sandbox.PYTHON, "-B", "-m", "hermes_cli.main", "gateway", "run"]
    wrapper = put(stage.layout.base / "bin/doppler", 'HOST=$LEFT_HOST STANDIN_NAME=left-host "$@" &\n"$@"\n')
    child = stage.child("gateway", ["/bin/sh", wrapper, *command], stage.layout.hermes,
                        env={"HOST": json.dumps(wish), "LEFT_HOST": json.dumps(left)})
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

    verdicts = {"gateway": ("designated", "keep"), "attached": ("attached", "keep"), "left": ("orphan", "report")}
    report = stage.report()
    stage.expect_verdicts(report, verdicts)
    stage.expect_evidence(report, "left", "unit.inside_service")
    stage.expect_sweep(stage.sweep(), [], list(stage.actors), silent=["wrapper"], status=1)

    stage.actors["wrapper"].send(signal.SIGKILL)
    expect(stage.actors.pop("wrapper").wait_ended(), "the wrapper")
    wait_until(lambda: actor.parent_of(gateway) == manager.process.pid, "the adoption of the gateway")
    stage.expect_verdicts(stage.report(), verdicts)
    stage.expect_sweep(stage.sweep("--reap", "abandoned,duplicate,held,in-service"), ["left"], ["gateway", "attached"])


if __name__ == "__main__":
    sandbox.main(__file__, globals())
