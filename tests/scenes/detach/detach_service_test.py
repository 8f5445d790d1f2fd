"""`sweep --detach` as a hook of a gateway that is a service: its manager ends what is left in the
cgroup of the service, and the sweep is not there any more."""
import json
import signal

from harness import actor, sandbox
from harness.actor import wait_until
from harness.sandbox import case, expect
from harness.stage import Stage
from harness.user_manager import UserManager, service

from detach_test import (
    expect_ended,
    expect_recorded,
    expect_silent,
    hook,
    runs,
    sweepers,
    wait_for_none,
)

SCOPES = "orphan-reaper-detached-*"


def cgroup_of(pid):
    return actor.read_bytes(f"/proc/{pid}/cgroup").decode()


class Gateway:
    """A service of the user that runs a hook when it is told to stop. Its bridge is in a scope of
    its own, as what a gateway starts by systemd-run is."""

    def __init__(self, *lines, **wish):
        self.stage = stage = Stage()
        self.manager = UserManager(stage)
        inside = [
            word for path in self.manager.make_scope("bridge.scope") for word in ("--cgroup", path)
        ]
        wish = {
            "name": "gateway",
            "dir": str(stage.run),
            "children": [stage.bridge("bridge", become=inside)],
            "hook": hook(stage, "--from", "hermes", **wish),
        }
        host = stage.child(
            "gateway",
            [sandbox.PYTHON, "-B", "-m", "hermes_cli.main", "gateway", "run"],
            stage.layout.hermes,
            env={"HOST": json.dumps(wish), "HOME": str(stage.layout.home)},
        )
        text = service(stage, host, *lines).replace("KillMode=process\n", "")
        self.manager.unit("gateway.service", text)
        self.manager.start("gateway.service", bus=True)
        self.manager.meet("gateway", "bridge")
        wait_until(lambda: (self.manager.runtime / "bus").exists(), "the bus")
        self.manager.systemctl("is-active", "dbus.socket")

    def stop(self):
        self.manager.systemctl("stop", "gateway.service")
        expect(self.stage.actors["gateway"].wait_ended(), "the gateway")

    def told(self):
        return json.loads((self.stage.run / "gateway.hook").read_text())

    def expect_swept(self):
        expect_ended(self.stage, ["bridge"])
        wait_for_none()
        expect_recorded(self.stage, "bridge", "hermes")
        list_scopes = ("list-units", "--all", "--plain", "--no-legend", SCOPES)
        wait_until(lambda: not self.manager.systemctl(*list_scopes), "the end of its scope")


def stopped(*lines):
    """Nothing but the bridge is left of the gateway's cgroup when its service has stopped."""
    gateway = Gateway(*lines, after=0)
    gateway.stop()
    expect_silent(gateway.told())
    gateway.expect_swept()


@case
def a_service_that_is_stopped():
    stopped("KillMode=control-group")


@case
def a_service_whose_rest_is_killed_at_once():
    """As the unit has it that Hermes installs: all but the gateway get KILL as soon as that has
    ended, which is right after its hook."""
    stopped("KillMode=mixed")


@case
def a_hook_that_goes_on_is_killed_with_the_service():
    gateway = Gateway("TimeoutStopSec=1", then="; sleep 60", after=0)
    gateway.stop()
    expect(not (gateway.stage.run / "gateway.hook").exists(), "the hook was killed")
    gateway.expect_swept()


@case
def what_waits_is_in_a_scope_of_its_own():
    gateway = Gateway(after=5)
    gateway.stage.actors["gateway"].send(signal.SIGTERM)
    wait_until((gateway.stage.run / "gateway.hook").exists, "the hook")
    (pid,) = sweepers()
    wait_until(lambda: "/orphan-reaper-detached-" in cgroup_of(pid), "its scope")
    shown = gateway.manager.systemctl("list-units", "--plain", "--no-legend", SCOPES)
    expect("Sweep what hermes leaves behind" in shown, shown)
    gateway.expect_swept()


@case
def a_manager_that_hangs_holds_nothing_up():
    gateway = Gateway(after=0)
    gateway.manager.process.send_signal(signal.SIGSTOP)
    gateway.stage.actors["gateway"].send(signal.SIGTERM)
    expect(gateway.stage.actors["gateway"].wait_ended(), "the gateway")
    told = gateway.told()
    expect_silent(told)
    expect(told["took"] < 2, f"{told}")
    wait_until(lambda: runs(gateway.stage), "the sweep", 30)
    gateway.manager.process.send_signal(signal.SIGCONT)
    wait_for_none()


if __name__ == "__main__":
    sandbox.main(__file__, globals())
