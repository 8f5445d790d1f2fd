"""A desktop is told in one line what was ended, and whatever it does, nothing else changes."""
import json
import signal
import socket
import time

from harness import sandbox
from harness.actor import wait_until
from harness.desktop import Desktop
from harness.sandbox import case, expect
from harness.stage import Stage

QUICKLY = ("--min-age", "1ms", "--settle", "1ms", "--grace", "1s")
SECRET = "s3cr3t-t0k3n"
LONG = 15  # seconds, on a busy machine; D-Bus itself waits for 25


def leak(stage, *names):
    stage.orphans([stage.bridge(name) for name in names])


def expect_fine(result, about):
    """All is as without a desktop; what a sweep says about its signals is all that is told."""
    other = [line for line in result.err.splitlines() if "orphan-reaper: TERM to pid" not in line]
    expect(result.status == 0 and not other, f"{about}: {result.out}{result.err}")


def timed_sweep(stage, **more):
    began = time.monotonic()
    result = stage.reaper("sweep", "--notify", *QUICKLY, **more)
    return result, time.monotonic() - began


@case
def one_line_for_one_sweep():
    stage = Stage()
    desktop = Desktop(stage)
    arguments = ("--agent=hermes", "--no-viewer", f"--token={SECRET}")
    stage.orphans([stage.bridge("one", arguments=arguments), stage.bridge("two")])
    result, _took = timed_sweep(stage, env=desktop.environment())
    expect(result.status == 0, result.out + result.err)
    (told,) = desktop.told()
    expect(told["app"] == "orphan-reaper" and told["replaces"] == 0, f"{told}")
    expect(told["summary"] == "2 leaked helpers ended", f"{told}")
    expect(told["body"].startswith("2 bridge: ") and "came back" in told["body"], f"{told}")
    expect("parent is init" in told["body"], f"{told}")
    expect("\n" not in told["body"] and SECRET not in json.dumps(told), f"{told}")
    expect(told["hints"] == {"urgency": 0} and told["timeout"] == -1, f"{told}")


@case
def found_by_the_runtime_folder():
    """As where cron or ssh started it: no variable names the bus."""
    stage = Stage()
    desktop = Desktop(stage)
    leak(stage, "one")
    timed_sweep(stage, env={"XDG_RUNTIME_DIR": str(desktop.runtime)})
    expect(len(desktop.told()) == 1, f"{desktop.told()}")


@case
def told_nothing():
    """When nothing is ended, in a dry run, without --notify, and what root has ended."""
    stage = Stage()
    desktop = Desktop(stage)
    env = desktop.environment()
    timed_sweep(stage, env=env)
    leak(stage, "one")
    stage.reaper("sweep", "--notify", "--dry-run", *QUICKLY, env=env)
    stage.reaper("sweep", *QUICKLY, env=env)
    leak(stage, "two")
    root = stage.reaper("sweep", "--notify", "--all-users", *QUICKLY, uid=0, env=env)
    stage.expect_ended(["one", "two"])
    expect(root.status in (0, 1, 4), root.out + root.err)
    leak(stage, "three")
    timed_sweep(stage, env=env)
    (told,) = desktop.told()  # so the others would be there by now
    expect(told["summary"] == "1 leaked helper ended", f"{told}")


@case
def no_desktop_changes_nothing():
    stage = Stage()
    desktop = Desktop(stage, shows=False)
    nowhere = {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={stage.run}/nothing"}
    for at, env in enumerate(({}, nowhere, desktop.environment(), {"PATH": "/nothing"})):
        leak(stage, f"bridge-{at}")
        result, _took = timed_sweep(stage, env=env)
        expect_fine(result, env)
        stage.expect_ended([f"bridge-{at}"])


@case
def a_desktop_that_hangs_costs_a_second():
    """What shows notifications is stopped; and a bus that takes a connection and says nothing."""
    stage = Stage()
    desktop = Desktop(stage)
    desktop.daemon.send_signal(signal.SIGSTOP)
    path = desktop.runtime / "silent"
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(path))
        silent.listen()
        path.chmod(0o666)
        silence = {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={path}"}
        for name, env in (("stopped", desktop.environment()), ("silent", silence)):
            leak(stage, name)
            result, took = timed_sweep(stage, env=env)
            expect_fine(result, name)
            expect(took < LONG, f"{name}: {took:.1f} s")
            print(f"     {name}: the sweep took {took:.2f} s")
    desktop.daemon.send_signal(signal.SIGCONT)


@case
def a_watch_tells_of_each_of_its_sweeps():
    stage = Stage()
    desktop = Desktop(stage)
    watch = stage.start_reaper(
        "watch", "--notify", "--interval", "200ms", *QUICKLY, env=desktop.environment()
    )
    try:
        leak(stage, "one")
        wait_until(desktop.told, "a notification")
        (told,) = desktop.told()
        expect(told["summary"] == "1 leaked helper ended", f"{told}")
    finally:
        watch.terminate()
        watch.communicate()


@case
def the_stand_in_is_like_the_real_one():
    """Its methods have the signatures that the specification of the desktop names; busctl reads
    them from it, and calls by the same."""
    desktop = Desktop(Stage())
    wanted = {
        ".Notify": ["susssasa{sv}i", "u"],
        ".GetCapabilities": ["-", "as"],
        ".GetServerInformation": ["-", "ssss"],
        ".CloseNotification": ["u", "-"],
    }
    expect(desktop.methods() == wanted, f"{desktop.methods()}")


if __name__ == "__main__":
    sandbox.main(__file__, globals())
