"""Two sweeps at once: one works, the other waits for it or says which it is, and no process
gets the same signal twice."""
import json
import os
import pathlib
import signal
import time

from harness import product, sandbox, strangers
from harness.actor import read_bytes, wait_until
from harness.sandbox import case, expect
from harness.stage import Stage

SLOWDOWN = int(os.environ.get("REAPER_SLOWDOWN", "1"))
ARGUMENTS = ("sweep", "--json", "--min-age", "1ms", "--settle", "200ms")


def start_first(stage):
    """A sweep that waits for a deaf process, and has told all to end."""
    first = stage.start_reaper(*ARGUMENTS, "--grace", f"{3 * SLOWDOWN}s")
    wait_until(lambda: stage.actors["deaf"].signals(), "the first sweep signals")
    return first


def deaf_and_polite():
    stage = Stage()
    stage.orphans(
        [stage.worker("deaf", session="a", ignore_term=True), stage.worker("polite", session="b")]
    )
    return stage


def keeps_interrupts(pid):
    """Blocks SIGINT, which it reads when it is ready for that."""
    for line in read_bytes(f"/proc/{pid}/status").splitlines():
        if line.startswith(b"SigBlk:"):
            return int(line.split()[1], 16) >> (signal.SIGINT - 1) & 1
    return False


def terms(stage, name):
    """How often the history says that it got TERM."""
    text = (stage.layout.home / ".local/state/orphan-reaper/history.jsonl").read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    return sum(
        one["event"] == "signal"
        and one["signal"] == "TERM"
        and one["pid"] == stage.actors[name].pid
        for one in lines
    )


@case
def the_second_waits_and_finds_nothing_left():
    stage = deaf_and_polite()
    first = start_first(stage)
    second = stage.sweep()
    expect(second.status == 0 and not second.signalled(), second.explain())
    done = product.finish(first, 30)
    stage.expect_sweep(done, ended=["deaf", "polite"], alive=[])
    expect([terms(stage, name) for name in ("deaf", "polite")] == [1, 1], "one was told twice")


@case
def the_second_says_what_holds_the_lock():
    stage = deaf_and_polite()
    first = start_first(stage)
    second = stage.sweep("--lock-wait", "0s")
    expect(second.status == 5 and not second.signalled(), second.explain())
    outcome = second.outcome(stage.actors["deaf"].pid)
    expect(outcome["result"] == "refused", second.explain())
    told = stage.reaper("sweep", "--min-age", "1ms", "--lock-wait", "100ms", "--quiet")
    expect(
        told.status == 5 and f"another sweep is at work (pid {first.pid})" in told.out + told.err,
        told.explain(),
    )
    expect(stage.report().status == 1, "a report needs no lock")
    dry = stage.sweep("--dry-run", "--lock-wait", "0s")
    expect(dry.status == 1 and dry.plan() == [(stage.actors["deaf"].pid, "reap")], dry.explain())
    product.finish(first, 30)
    expect(terms(stage, "deaf") == 1, "it was told twice")


@case
def a_sweep_that_was_killed_leaves_no_lock():
    stage = deaf_and_polite()
    first = start_first(stage)
    first.send_signal(signal.SIGKILL)
    first.wait()
    begin = time.monotonic()
    second = stage.sweep()
    expect(second.status == 0 and time.monotonic() - begin < 10, second.explain())
    stage.expect_ended(["deaf", "polite"])


@case
def an_interrupt_ends_the_waiting():
    stage = deaf_and_polite()
    first = start_first(stage)
    second = stage.start_reaper(*ARGUMENTS)
    wait_until(lambda: keeps_interrupts(second.pid), "the second to be ready for an interrupt", 10)
    time.sleep(0.5)
    second.send_signal(signal.SIGINT)
    result = product.finish(second, 2 * SLOWDOWN)
    expect(result.status == 130 and not result.signalled(), result.explain())
    product.finish(first, 30)


@case
def root_leaves_a_user_alone_whose_own_sweep_is_at_work():
    stage = deaf_and_polite()
    first = start_first(stage)
    root = stage.sweep("--all-users", "--lock-wait", "0s", uid=0)
    expect(root.status == 5 and not root.signalled(), root.explain())
    expect(root.outcome(stage.actors["deaf"].pid)["result"] == "refused", root.explain())
    product.finish(first, 30)
    expect(terms(stage, "deaf") == 1, "it was told twice")
    other = stage.sweep("--all-users", uid=0)
    expect(other.status == 0, other.explain())


@case
def the_lock_is_one_wherever_the_history_is():
    """As the administrator's timer has it, which keeps its state elsewhere and may only read the
    home."""
    stage = deaf_and_polite()
    first = start_first(stage)
    elsewhere = stage.run / "state"
    second = stage.sweep("--lock-wait", "0s", env={"XDG_STATE_HOME": str(elsewhere)})
    expect(second.status == 5 and not second.signalled(), second.explain())
    product.finish(first, 30)
    expect([terms(stage, name) for name in ("deaf", "polite")] == [1, 1], "one was told twice")


@case
def a_timer_that_may_only_read_the_home_locks_it():
    """As the administrator's unit has it, before the user has ever swept."""
    stage = deaf_and_polite()
    home = stage.layout.home
    sandbox.mount(str(home), home, "none", 0x1000)  # MS_BIND
    sandbox.mount("none", home, "none", 0x1000 | 0x20 | 0x1)  # MS_BIND | MS_REMOUNT | MS_RDONLY
    first = stage.start_reaper(
        *ARGUMENTS, "--grace", "3s", env={"XDG_STATE_HOME": str(stage.run / "state")}
    )
    wait_until(lambda: stage.actors["deaf"].signals(), "the first sweep signals")
    second = stage.sweep("--lock-wait", "0s")
    expect(second.status == 5 and not second.signalled(), second.explain())
    product.finish(first, 30)
    expect(stage.actors["deaf"].signals() == ["TERM"], "it was told twice")


@case
def a_user_waits_for_root_before_having_ever_swept():
    stage = deaf_and_polite()
    root = stage.start_reaper(*ARGUMENTS, "--all-users", "--grace", "3s", uid=0)
    wait_until(lambda: stage.actors["deaf"].signals(), "root's sweep signals")
    own = stage.sweep("--lock-wait", "0s")
    expect(own.status == 5 and not own.signalled(), own.explain())
    expect(f"another sweep is at work (pid {root.pid})" in str(own.json["remarks"]), own.explain())
    product.finish(root, 30)
    expect(stage.actors["deaf"].signals() == ["TERM"], "it was told twice")


@case
def folders_that_are_links_hide_no_lock():
    stage = deaf_and_polite()
    moved = stage.layout.home / "elsewhere"
    moved.mkdir()
    os.chown(moved, stage.uid, stage.uid)
    (stage.layout.home / ".local").symlink_to(moved)
    first = start_first(stage)
    root = stage.sweep("--all-users", "--lock-wait", "0s", uid=0)
    expect(root.status == 5 and not root.signalled(), root.explain())
    product.finish(first, 30)
    expect(stage.actors["deaf"].signals() == ["TERM"], "it was told twice")


def change_password_file(change):
    path = pathlib.Path("/etc/passwd")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(change(line) if line.startswith("u:") else line for line in lines))


def expect_one_waits(stage, first, second):
    """Users that sweep at the same time."""
    name = f"deaf{first}"
    stage.orphans([stage.worker(name, session="a", ignore_term=True)])
    words = {stage.uid: (), 0: ("--all-users",)}
    running = stage.start_reaper(*ARGUMENTS, *words[first], "--grace", "3s", uid=first)
    wait_until(lambda: stage.actors[name].signals(), "the first sweep signals")
    other = stage.sweep(*words[second], "--lock-wait", "0s", uid=second)
    expect(other.status == 5 and not other.signalled(), other.explain())
    expect(f"another sweep is at work (pid {running.pid})" in str(other.json), other.explain())
    done = product.finish(running, 30)
    expect(done.status == 0 and not done.json["remarks"], done.explain())
    expect(stage.actors[name].signals() == ["TERM"], "it was told twice")


def expect_it_goes_on(stage, why, *words, uid=None):
    """Ends what leaked, and says once that another sweep may be at work, and why."""
    stage.orphans([stage.worker(f"deaf{len(stage.actors)}", session="a", ignore_term=True)])
    name = list(stage.actors)[-1]
    begin = time.monotonic()
    swept = stage.sweep(*words, uid=uid)
    expect(swept.status == 0 and time.monotonic() - begin < 10, swept.explain())
    stage.expect_ended([name])
    told = [one for one in swept.json["remarks"] if "another sweep may be at work" in one]
    expect(len(told) == 1 and why in told[0], f"{swept.json['remarks']}")


@case
def the_lock_is_needed_by_users_and_root_alike():
    stage = Stage()
    expect_one_waits(stage, stage.uid, 0)
    expect_one_waits(stage, 0, stage.uid)


@case
def without_a_home_the_sweep_goes_on_and_says_so():
    """A service user, whose home is not there."""
    stage = Stage()
    change_password_file(lambda line: line.replace(str(stage.layout.home), "/nonexistent"))
    expect_it_goes_on(stage, "/nonexistent")
    expect_it_goes_on(stage, "/nonexistent", "--all-users", uid=0)


@case
def a_user_beyond_the_password_file_is_swept():
    stage = Stage()
    change_password_file(lambda _line: "")
    expect_it_goes_on(stage, "a home to lock")


@case
def a_home_that_its_user_cannot_open_is_no_lock():
    stage = Stage()
    state = stage.layout.home / ".local"
    state.mkdir()
    os.chown(state, stage.uid, stage.uid)
    os.chown(stage.layout.home, 0, 0)
    stage.layout.home.chmod(0o711)
    expect_it_goes_on(stage, str(stage.layout.home))


@case
def another_user_that_locks_the_home_is_no_sweep():
    """Any user that may read a home can lock it; that keeps no leak alive, and no sweep waiting."""
    stage = Stage()
    home = stage.layout.home
    home.chmod(0o755)
    for lock in (
        strangers.lock_home,
        lambda home: strangers.lock_home(home, "LOCK_SH"),
        strangers.lock_home_by_setuid,
    ):
        stranger = lock(home)
        expect_it_goes_on(stage, f"pid {stranger.pid} of another user has locked the home")
        stranger.leave()


@case
def a_lock_that_its_taker_left_behind_counts_as_a_sweep_where_nothing_tells():
    """Root sees which process has it; the user does not, and waits."""
    stage = Stage()
    stage.layout.home.chmod(0o755)
    stranger = strangers.lock_home_and_go(stage.layout.home)
    expect_it_goes_on(stage, "of another user has locked the home", "--all-users", uid=0)
    stage.orphans([stage.worker("left", session="b", ignore_term=True)])
    own = stage.sweep("--lock-wait", "0s")
    expect(own.status == 5 and "another sweep is at work" in own.json["remarks"], own.explain())
    stranger.leave()


@case
def a_stranger_makes_no_sweep_look_like_another():
    """By a lock on a file with the number of the home."""
    stage = deaf_and_polite()
    elsewhere = stage.layout.base / "elsewhere"
    elsewhere.mkdir()
    sandbox.mount("tmpfs", elsewhere, "tmpfs", data="mode=1777")
    strangers.lock_twin(stage.layout.home, elsewhere)
    first = start_first(stage)
    told = stage.sweep("--lock-wait", "0s")
    expect(
        told.status == 5
        and f"another sweep is at work (pid {first.pid})" in str(told.json["remarks"]),
        told.explain(),
    )
    product.finish(first, 30)
    expect(stage.actors["deaf"].signals() == ["TERM"], "it was told twice")


@case
def many_at_once_end_each_process_once():
    stage = Stage()
    names = [f"w{number}" for number in range(8)]
    stage.orphans([stage.worker(name, session=name) for name in names])
    sweeps = [stage.start_reaper(*ARGUMENTS, "--grace", "2s") for _ in range(6)]
    results = [product.finish(one, 60) for one in sweeps]
    expect([one.status for one in results] == [0] * 6, [one.explain() for one in results])
    signalled = sorted(pid for one in results for pid in one.signalled())
    expect(signalled == sorted(stage.actors[name].pid for name in names), f"signalled {signalled}")
    stage.expect_ended(names)


if __name__ == "__main__":
    sandbox.main(__file__, globals())
