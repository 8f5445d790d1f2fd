"""The marker of an update: it goes when its updater is provably dead, or is old and cannot be
looked for; never while its pid lives."""
import os
import subprocess
import time

from harness import actor, layout, sandbox
from harness.actor import wait_until
from harness.layout import put
from harness.sandbox import case, expect

from pidfiles_test import NOBODY, Homes

MARKER = ".hermes-update-in-progress"
YOUNG, OLD = 1100, 1300  # seconds, on both sides of 20 minutes


class Markers(Homes):
    def marker(self, text, age, **more):
        return self.put(MARKER, text, when=time.time() - age, **more)

    def expect_kept(self, text, age, status=0):
        self.marker(text, age)
        self.expect_clean([], [MARKER], status)

    def expect_removed(self, text, age):
        self.marker(text, age)
        self.expect_clean([MARKER], [])


def naming(pid):
    return f"{pid}\n{int(time.time())}\n"


@case
def a_marker_is_kept_as_long_as_its_pid_lives():
    scene = Markers()
    sleeper = scene.sleeper()
    for age in (0, YOUNG, OLD, 10**6, -OLD):
        scene.expect_kept(naming(sleeper), age)
        scene.expect_kept(f"{sleeper}\n", age)  # cut off


@case
def a_marker_whose_updater_has_ended_goes_at_once():
    """It is a zombie: of one that is not there at all, a pid namespace of its own cannot tell
    whether it is outside."""
    scene = Markers()
    updater = subprocess.Popen(["/bin/true"])
    wait_until(lambda: not actor.is_there(updater.pid), "the updater to end")
    scene.expect_removed(naming(updater.pid), 0)
    updater.wait()


@case
def a_marker_whose_pid_cannot_be_looked_for_goes_after_twenty_minutes():
    scene = Markers()
    for text in (naming(NOBODY), f"{NOBODY}\n", "", "x"):
        scene.expect_kept(text, YOUNG)
        scene.expect_removed(text, OLD)
    scene.expect_removed("x", -OLD)  # the clock was stepped


@case
def what_is_planted_in_its_place_stays():
    scene = Markers()
    path = scene.home / MARKER
    elsewhere = put(scene.stage.layout.base / "elsewhere", naming(NOBODY))
    os.utime(elsewhere, (1, 1))
    for plant in (
        lambda: path.symlink_to(elsewhere),
        lambda: os.mkfifo(path),
        lambda: os.link(elsewhere, path),
        lambda: scene.marker(naming(NOBODY), OLD, uid=layout.OTHER_UID),
    ):
        plant()
        result = scene.pidfiles("--clean")
        expect(
            scene.states(result)[MARKER] == "foreign"
            and os.path.lexists(path)
            and elsewhere.exists(),
            result.out,
        )
        path.unlink()


@case
def what_a_dead_update_left_goes_in_two_runs():
    """The marker first: nothing is removed while an update may run."""
    scene = Markers()
    scene.gateway_pid()
    scene.marker("", OLD)
    expect(scene.pidfiles("--clean").status == 6, "a malformed marker may be of an update")
    expect(
        not (scene.home / MARKER).exists() and (scene.home / "gateway.pid").exists(),
        "only the marker goes",
    )
    scene.expect_clean(["gateway.pid"], [])
    scene.put(MARKER + ".taken-aside.7", naming(os.getpid()))
    scene.pidfiles("--clean")
    expect(
        [path.name for path in scene.home.glob(MARKER + "*")] == [MARKER], "a live one is put back"
    )


if __name__ == "__main__":
    sandbox.main(__file__, globals())
