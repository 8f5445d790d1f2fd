"""Run after run at a home that hangs: what earlier runs have left in the kernel is found, and what
it waits for is not touched again."""
import signal

from hung_test import Scene, expect_named, timed
from harness.actor import read_bytes, stat_fields, wait_until
from harness.hung import copies_of
from harness.sandbox import case, expect, main


def left_over(scene, uid=None):
    """Copies that wait for the file system, of this user."""

    def is_of(pid):
        try:
            with open(f"/proc/{pid}/status", encoding="utf-8") as status:
                line = next(line for line in status if line.startswith("Uid:"))
        except OSError:
            return False
        return uid is None or int(line.split()[1]) == uid

    return [pid for pid in copies_of(scene.stage.layout.binary) if is_of(pid)]


def wait_for_left_over(scene, number):
    """One that is killed needs a moment to be in state D, or to end."""
    wait_until(lambda: len(left_over(scene)) == number, f"{number} copies, not {left_over(scene)}")


def go_on(scene):
    for mount in scene.mounts.values():
        mount.go()
    wait_until(lambda: not left_over(scene), "the copies to end")


@case
def six_sweeps_leave_one_copy():
    scene = Scene()
    scene.hang()
    for _again in range(6):
        result = timed(scene.stage.sweep)
        expect_named(result, scene.home("bad"))
        scene.stage.expect_alive(["bad"])
        wait_for_left_over(scene, 1)
    scene.stage.expect_ended(["good"])
    go_on(scene)
    last = timed(scene.stage.sweep)
    scene.stage.expect_ended(["bad"])
    expect(last.status == 0, last.explain())


@case
def another_home_that_hangs_leaves_one_more():
    scene = Scene(hanging=("bad", "worse"), good=())
    scene.mounts["bad"].hang()
    expect_named(timed(scene.stage.report), scene.home("bad"))
    wait_for_left_over(scene, 1)
    scene.mounts["worse"].hang()
    for _again in range(3):
        result = timed(scene.stage.report)
        expect_named(result, scene.home("bad"), scene.home("worse"))
        wait_for_left_over(scene, 2)
    go_on(scene)


def waits_or_has_ended(process):
    try:
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="utf-8") as children:
            copies = children.read().split()
    except OSError:
        return True
    blocked = [pid for pid in copies if b"wait_answer" in read_bytes(f"/proc/{pid}/wchan")]
    return blocked or stat_fields(process.pid)[:1] == [b"Z"]


@case
def runs_that_are_interrupted_leave_one_copy():
    """Also one that was killed, and could not kill its copy itself."""
    scene = Scene(good=())
    scene.hang()
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
        process = scene.stage.start_reaper("report")
        wait_until(lambda: waits_or_has_ended(process), "a copy that waits")
        process.send_signal(number)
        process.wait(timeout=30)
        process.communicate()
        wait_for_left_over(scene, 1)
    go_on(scene)


@case
def root_does_not_heed_what_a_users_run_left():
    """A user could have it wait for anything. So root's sweeps leave one of their own."""
    scene = Scene()
    scene.hang()
    timed(scene.stage.report)
    wait_for_left_over(scene, 1)
    for _again in range(3):
        result = timed(scene.stage.sweep, "--all-users", uid=0)
        expect(result.status == 4, result.explain())
        wait_for_left_over(scene, 2)
        expect(len(left_over(scene, 0)) == 1, f"{left_over(scene, 0)} of root")
    scene.stage.expect_alive(["bad"])
    go_on(scene)


if __name__ == "__main__":
    main(__file__, globals())
