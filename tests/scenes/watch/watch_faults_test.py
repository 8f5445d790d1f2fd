"""`watch` where something is wrong: helpers that will not end, hosts that die all the time, readers
that do not read, descriptors and disks that run out. It goes on, and no process waits for
another."""
import fcntl
import json
import os
import signal
import subprocess
import threading
import time

from harness import sandbox
from harness.actor import is_there, wait_until
from harness.product import environment
from harness.sandbox import PYTHON, case, expect
from harness.stage import Stage
from harness.watch import ManyHosts, Watch, signals_to

SLOWDOWN = int(os.environ.get("REAPER_SLOWDOWN", "1"))
QUICK = ("--min-age", "1ms", "--settle", "50ms", "--grace", "1s")
SOON = 2 * SLOWDOWN
LATE_HOST = """
import json, os, subprocess, sys, time
def start(child):
    subprocess.Popen(child["argv"], cwd=child["cwd"], env={**os.environ, **child["env"]},
                     stdin=subprocess.PIPE, stdout=subprocess.PIPE)
first, late = json.loads(sys.argv[1])
start(first)
sys.stdin.readline()
start(late)
time.sleep(1000)
"""


def patient(stage, *arguments, **more):
    return Watch(
        stage,
        "--min-age",
        "1ms",
        "--settle",
        "50ms",
        "--grace",
        "20s",
        "--interval",
        "60s",
        *arguments,
        **more,
    )


@case
def a_dozen_that_will_not_end_delay_nothing():
    stage = Stage()
    deaf = [f"deaf-{number}" for number in range(12)]
    for name in [*deaf, "polite"]:
        stage.start_host(
            f"host of {name}", [stage.worker(name, session=name, ignore_term=name in deaf)]
        )
    watch = patient(stage)
    for name in deaf:
        stage.kill_host(f"host of {name}")
        wait_until(lambda: stage.actors[name].signals(), f"{name} is told", 2 * SOON)
    stage.kill_host("host of polite")
    expect(stage.actors["polite"].wait_ended(SOON), f"it had to wait: {watch.log()}")
    watch.stop(status=130)


@case
def roots_watch_delays_nothing_either():
    """The lock that counts is that of the user. The user has swept before."""
    stage = Stage()
    stage.sweep()
    stage.start_host("first", [stage.worker("deaf", session="a", ignore_term=True)])
    stage.start_host("second", [stage.worker("polite", session="b")])
    watch = patient(stage, "--all-users", uid=0)
    stage.kill_host("first")
    wait_until(lambda: stage.actors["deaf"].signals(), "the deaf one is told")
    locked = stage.sweep("--lock-wait", "0s")
    expect(locked.status == 5 and "another sweep is at work" in locked.out, locked.explain())
    stage.kill_host("second")
    expect(stage.actors["polite"].wait_ended(SOON), f"it had to wait: {watch.log()}")
    watch.stop(status=130)


@case
def what_the_host_started_last_does_not_wait_for_the_others():
    stage = Stage()
    children = [
        stage.worker("deaf", session="a", ignore_term=True),
        stage.worker("late", session="b"),
    ]
    host = subprocess.Popen(
        [PYTHON, "-c", LATE_HOST, json.dumps(children)],
        stdin=subprocess.PIPE,
        env=environment(stage.layout.home),
        user=stage.uid,
        group=stage.uid,
        extra_groups=[],
        start_new_session=True,
    )
    stage.meet("deaf")
    watch = patient(stage)
    host.stdin.write(b"\n")
    host.stdin.flush()
    stage.meet("late")
    host.kill()
    host.wait()
    expect(stage.actors["late"].wait_ended(1 + SOON), f"it had to wait: {watch.log()}")
    expect(stage.actors["deaf"].alive(), "its grace period is not over")
    watch.stop(status=130)


@case
def hosts_that_die_all_the_time_leave_other_sweeps_their_turn():
    stage = Stage()
    hosts = ManyHosts(stage, 1)
    watch = Watch(stage, "--min-age", "1ms", "--quiet")
    over = threading.Event()

    def crash_loop():
        host = hosts.pairs()[0][0]
        while not over.wait(SLOWDOWN):
            os.kill(host, signal.SIGKILL)
            host = hosts.start(0)[0]

    loop = threading.Thread(target=crash_loop)
    loop.start()
    try:
        time.sleep(3)
        swept = stage.sweep("--lock-wait", "20s" if SLOWDOWN == 1 else "50s")
        # 1: the last look found a host that had died meanwhile.
        expect(swept.status in (0, 1), swept.explain())
    finally:
        over.set()
        loop.join()
    helpers = [helper for _host, helper in hosts.pairs()][:-1]
    wait_until(
        lambda: not any(is_there(helper) for helper in helpers),
        "the end of the last leak",
        10 * SLOWDOWN,
    )
    watch.stop(status=0)


@case
def a_grace_of_minutes_delays_nothing():
    """The turn of other sweeps comes when it is over."""
    stage = Stage()
    stage.start_host("first", [stage.worker("deaf", session="a", ignore_term=True)])
    stage.start_host("second", [stage.worker("polite", session="b")])
    watch = Watch(
        stage, "--min-age", "1ms", "--settle", "50ms", "--grace", "100s", "--interval", "60s"
    )
    stage.kill_host("first")
    wait_until(lambda: stage.actors["deaf"].signals(), "the deaf one is told")
    time.sleep(12)
    stage.kill_host("second")
    expect(stage.actors["polite"].wait_ended(SOON), f"it had to wait: {watch.log()}")
    watch.stop(status=130)


@case
def a_reader_that_does_not_read_stops_nothing():
    stage = Stage()
    stage.start_host("host", [stage.worker("worker")])
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    process = subprocess.Popen(
        [str(stage.layout.binary), "watch", *QUICK],
        stdin=subprocess.DEVNULL,
        stdout=writer,
        stderr=writer,
        cwd="/",
        env=environment(stage.layout.home),
        user=stage.uid,
        group=stage.uid,
        extra_groups=[],
    )
    expect(b"watching 1 host of 1 helper" in os.read(reader, 4096), "it tells what reads")
    os.write(writer, b"x" * 4096)
    stage.kill_host("host")
    expect(stage.actors["worker"].wait_ended(SOON), "the helper lives")
    process.terminate()
    expect(process.wait(5) == 0, "it did not stop")


@case
def what_runs_out_later_is_told_as_well():
    stage = Stage()
    ManyHosts(stage, 10)
    watch = Watch(stage, *QUICK, "--interval", "300ms", before=("prlimit", "--nofile=64:64"))
    expect("more without" not in watch.log(), watch.log())
    hosts = ManyHosts(stage, 50)
    # How many is told once: by the first look that met too many.
    watch.wait_logged("more without a handle, left to the looks")
    # Each look needs one descriptor for each of them, but not at the same time.
    for host, _helper in hosts.pairs():
        os.kill(host, signal.SIGKILL)
    wait_until(
        lambda: not any(is_there(helper) for _host, helper in hosts.pairs()),
        f"their helpers end: {watch.log()}",
        20 * SLOWDOWN,
    )
    expect(
        all(signals_to(stage, helper) == ["TERM"] for _host, helper in hosts.pairs()),
        "each was told once",
    )
    watch.wait_logged("watching 10 hosts of 10 helpers (by")
    watch.stop()


@case
def a_full_disk_tears_no_line_of_the_census():
    stage = Stage()
    folder = stage.run / "small"
    folder.mkdir()
    sandbox.mount("tmpfs", folder, "tmpfs", data="size=8k,mode=777")
    census = folder / "census.jsonl"
    watch = Watch(stage, *QUICK, "--interval", "100ms", "--census", str(census))
    (folder / "filler").write_bytes(b"x" * 4096)
    stage.start_host(
        "host", [stage.worker(f"worker-{number}", session=str(number)) for number in range(3)]
    )
    watch.wait_logged("No space left", 60)
    (folder / "filler").unlink()
    before = census.stat().st_size
    wait_until(lambda: census.stat().st_size > before, "it goes on")
    for line in census.read_text().splitlines():
        json.loads(line)
    stage.kill_host("host")
    stage.expect_ended([f"worker-{number}" for number in range(3)])
    watch.stop()


@case
def a_lock_that_is_deleted_makes_no_room_for_two():
    stage = Stage()
    first = Watch(stage, "--interval", "300ms")
    (stage.layout.home / ".local/state/orphan-reaper/watch").rmdir()
    second = Watch(stage, "--interval", "300ms", ready=False)  # the first may have made it anew
    wait_until(
        lambda: any(watch.process.poll() is not None for watch in (first, second)),
        "one of them ends",
    )
    ended, stays = (first, second) if first.process.poll() is not None else (second, first)
    expect(
        ended.process.returncode == 5
        and f"another watch is at work (pid {stays.pid})" in ended.log(),
        ended.log(),
    )
    expect(stays.process.poll() is None, "one stays")
    stays.stop()


if __name__ == "__main__":
    sandbox.main(__file__, globals())
