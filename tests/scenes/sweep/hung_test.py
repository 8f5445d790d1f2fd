"""Homes, programs and memory that stop answering: everything else is judged and done, in bounded
time, and the report names them."""
import contextlib
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import time

from harness import product
from harness.actor import all_pids, is_there, read_bytes, stat_fields, wait_until
from harness.hung import HungMount, copies_of
from harness.layout import OTHER_UID, install_plugin, own_below, put
from harness.sandbox import PYTHON, case, expect, main
from harness.stage import Stage
from harness.watch import Watch

SLOWDOWN = int(os.environ.get("REAPER_SLOWDOWN", "1"))
# Seconds that anything may take: some answers that are waited for, on a busy machine.
MOST = 20 * SLOWDOWN
OLD = time.time() - 300


class Scene:
    """Orphans by name: each has a home of its own; some of those lie on mounts that can hang."""

    def __init__(self, hanging=("bad",), good=("good",)):
        self.stage = Stage()
        self.mounts = {name: self.mount(name) for name in hanging}
        children = [
            self.stage.bridge(name, home=self.home(name) / "memos-plugin") for name in hanging
        ]
        self.stage.orphans(children + [self.stage.bridge(name) for name in good])

    def home(self, name):
        return self.stage.layout.base / "net" / name

    def mount(self, name):
        behind = self.stage.layout.base / "behind" / name
        (behind / "memos-plugin/daemon").mkdir(parents=True)
        own_below(behind, self.stage.uid)
        return HungMount(behind, self.home(name))

    def hang(self):
        for mount in self.mounts.values():
            mount.hang()


def timed(function, *arguments, **more):
    began = time.monotonic()
    result = function(*arguments, **more)
    took = time.monotonic() - began
    expect(took < MOST, f"took {took:.1f} s")
    return result


def expect_named(result, *what):
    expect(result.status == 4, f"exit {result.status}: {result.explain()}")
    for one in what:
        expect(
            str(one) in result.out + result.err, f"{one} is not named: {result.out} {result.err}"
        )
    expect(
        "did not answer within 1 s" in result.out + result.err, f"nothing says why: {result.out}"
    )


def expect_ends_soon(process, number, statuses=(130,)):
    began = time.monotonic()
    process.send_signal(number)
    status = process.wait(timeout=30)
    took = time.monotonic() - began
    expect(took < 1 * SLOWDOWN, f"it took {took:.1f} s to end")
    expect(status in (*statuses, -number), f"{process.args} ended with {status}")


def waits(process):
    """It has a copy that waits for the file system."""

    def children():
        return pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()

    def in_fuse(pid):
        """S at first, D from the first signal on."""
        try:
            return "wait_answer" in pathlib.Path(f"/proc/{pid}/wchan").read_text() or stat_fields(
                pid
            )[:1] == [b"D"]
        except OSError:
            return False

    wait_until(
        lambda: [pid for pid in children() if in_fuse(pid)], f"a copy that waits: {process.args}"
    )


@case
def a_report_leaves_out_a_home_that_hangs():
    scene = Scene()
    scene.hang()
    report = timed(scene.stage.report)
    scene.stage.expect_verdicts(report, {"bad": "unknown", "good": ("orphan", "reap")})
    expect_named(report, scene.home("bad"))
    explained = timed(scene.stage.reaper, "explain", str(scene.stage.actors["bad"].pid))
    expect_named(explained, scene.home("bad"))


@case
def two_homes_hang_and_the_third_is_swept():
    scene = Scene(hanging=("bad", "worse"))
    scene.hang()
    result = timed(scene.stage.sweep)
    scene.stage.expect_sweep(result, ended=["good"], alive=["bad", "worse"], status=4)
    expect_named(result, scene.home("bad"), scene.home("worse"))


@case
def root_sweeps_around_a_users_home_that_hangs():
    scene = Scene()
    scene.hang()
    result = timed(scene.stage.sweep, "--all-users", uid=0)
    scene.stage.expect_sweep(result, ended=["good"], alive=["bad"], status=4)
    expect_named(result, scene.home("bad"))


def hang_when_told(scene, name, *more):
    """The home hangs as soon as this process has got TERM."""
    sweep = scene.stage.start_reaper(
        "sweep", "--json", "--min-age", "1ms", "--settle", "200ms", "--grace", "2s", *more
    )
    wait_until(scene.stage.actors[name].signals, f"TERM to {name}")
    scene.hang()
    return timed(product.finish, sweep, 60)


@case
def a_home_hangs_between_two_looks():
    scene = Scene()
    sweep = scene.stage.start_reaper(
        "sweep", "--json", "--min-age", "1ms", "--settle", "3s", "--grace", "1s"
    )
    wait_until(
        lambda: os.path.exists(f"/proc/{sweep.pid}/wchan") and read_is_waiting(sweep.pid),
        "the settle time",
    )
    scene.hang()
    result = timed(product.finish, sweep, 60)
    scene.stage.expect_sweep(result, ended=["good"], alive=["bad"], status=4)
    expect_named(result, scene.home("bad"))


def read_is_waiting(pid):
    """It sleeps, and has no copy: between its first look and its second one."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    began = time.monotonic()
    while time.monotonic() - began < 0.5:
        if [one for one in children if is_there(int(one))] or "poll" not in pathlib.Path(
            f"/proc/{pid}/wchan"
        ).read_text():
            return False
        time.sleep(0.02)
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return True


@case
def a_home_hangs_before_kill():
    scene = Scene(hanging=("bad",), good=())
    scene.stage.actors["bad"].send(signal.SIGKILL)
    scene.stage.orphans(
        [scene.stage.bridge("stubborn", home=scene.home("bad") / "memos-plugin", ignore_term=True)]
    )
    result = hang_when_told(scene, "stubborn")
    outcome = result.outcome(scene.stage.actors["stubborn"].pid)
    expect(outcome and outcome["signals"] == ["TERM", "CONT"], f"{outcome}: {result.explain()}")
    expect(scene.stage.actors["stubborn"].alive(), "killed, though no look was possible")


@case
def a_program_that_hangs_is_unknown():
    """The script lies on a mount that hangs: so do its package and what its output goes to."""
    stage = Stage()
    behind, place = stage.layout.base / "behind/plugin", stage.layout.base / "net/plugin"
    install_plugin(behind, stage.layout.lib)
    own_below(behind, stage.uid)
    mount = HungMount(behind, place)
    stage.layout.plugin, usual = place, stage.layout.plugin
    bad = stage.bridge("bad")
    stage.layout.plugin = usual
    stage.orphans([bad, stage.bridge("good")])
    mount.hang()
    result = timed(stage.sweep)
    stage.expect_sweep(result, ended=["good"], alive=["bad"], status=4)
    expect_named(result, place)


# Maps the file, writes to it, and once told maps something else in that place: that waits for the
# write to be done, and nothing can look at its memory meanwhile. (Linux does not read words that
# lie in the memory of a file itself, fs/proc/base.c, FOLL_ANON.)
MAPPED = """
import ctypes, os, sys
file, ready = os.open(sys.argv[1], os.O_RDWR), sys.argv[2]
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
number = ctypes.c_int
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, number, number, number, ctypes.c_long]
shared, private, fixed, anonymous = 1, 2, 0x10, 0x20
place = libc.mmap(None, 8192, 3, shared, file, 0)
ctypes.memset(place, 65, 8192)
open(ready, "w").close()
sys.stdin.readline()
libc.mmap(place, 8192, 3, private | fixed | anonymous, -1, 0)
"""


@case
def the_words_of_a_process_hang():
    """A process that asks for its command line waits, as `ps` does."""
    scene = Scene()
    put(scene.stage.layout.base / "behind/bad/words", "x" * 8192)
    ready = scene.stage.run / "mapped"
    mapped = subprocess.Popen(
        [PYTHON, "-c", MAPPED, str(scene.home("bad") / "words"), str(ready)], stdin=subprocess.PIPE
    )
    wait_until(lambda: ready.exists() or mapped.poll() is not None, "the words to be mapped")
    scene.hang()
    mapped.stdin.write(b"go\n")
    mapped.stdin.flush()
    wait_until(lambda: stat_fields(mapped.pid)[:1] == [b"D"], "it to hang")
    result = timed(scene.stage.sweep, "--all-users", uid=0)
    expect_named(result, f"pid {mapped.pid}")
    scene.stage.expect_sweep(result, ended=["good"], alive=["bad"], status=4)
    expect(mapped.poll() is None, "it was ended")


@case
def pid_files_of_the_other_homes_are_cleaned():
    scene = Scene(good=())
    stale = put(
        scene.stage.layout.home / ".hermes/gateway.pid",
        json.dumps({"pid": 4_000_000, "kind": "hermes-gateway", "start_time": None}),
    )
    os.utime(stale, (OLD, OLD))
    scene.hang()
    listed = timed(scene.stage.reaper, "pidfiles", "--json")
    expect_named(listed, scene.home("bad"))
    expect(
        [one["state"] for one in listed.json["pidfiles"] if one["path"] == str(stale)] == ["stale"],
        listed.out,
    )
    result = timed(scene.stage.reaper, "pidfiles", "--clean", "--json")
    expect(not stale.exists(), f"still there: {result.out}")
    expect_named(result, scene.home("bad"))


@case
def preflight_is_not_ready_and_says_why():
    scene = Scene()
    scene.hang()
    result = timed(
        scene.stage.reaper,
        "preflight",
        "--json",
        "--min-age",
        "1ms",
        "--settle",
        "200ms",
        "--grace",
        "1s",
    )
    scene.stage.expect_ended(["good"])
    scene.stage.expect_alive(["bad"])
    expect(result.status in (4, 6), result.explain())
    expect("did not answer within 1 s" in result.out, result.out)


@case
def a_home_of_ones_own_that_hangs():
    """Configuration, history and lock lie there as well."""
    stage = Stage()
    behind = stage.layout.base / "behind/home"
    (behind / ".config/orphan-reaper/rules.d").mkdir(parents=True)
    own_below(behind, OTHER_UID)
    mount = HungMount(behind, stage.layout.base / "home/v")
    mount.hang()
    for command in (
        ["report"],
        ["sweep"],
        ["watch"],
        ["pidfiles"],
        ["preflight"],
        ["rules", "show"],
        ["explain", "1"],
    ):
        result = timed(stage.reaper, *command, uid=OTHER_UID, home=stage.layout.base / "home/v")
        expect(result.status == 3, f"{command}: {result.explain()}")
        expect("did not answer within 1 s" in result.err, f"{command}: {result.err}")
    result = timed(stage.reaper, "history", uid=OTHER_UID, home=stage.layout.base / "home/v")
    expect(result.status == 4 and "did not answer within 1 s" in result.err, result.explain())


@case
def a_place_to_write_to_hangs():
    scene = Scene(good=())
    scene.hang()
    place = str(scene.home("bad") / "out")
    for more in (
        ["report", "-o", place],
        ["report", "--facts", place],
        ["report", "--from-facts", place],
        ["watch", "--census", place],
    ):
        expect_named(timed(scene.stage.reaper, *more), place)


@case
def a_report_whose_place_hangs_later():
    """It could be written there when the sweep began."""
    scene = Scene(good=("good",))
    place = scene.home("bad") / "report"
    put(scene.stage.layout.base / "behind/bad/report", "")
    began = time.monotonic()
    result = hang_when_told(scene, "good", "-o", str(place))
    scene.stage.expect_ended(["good"])
    expect(
        result.status == 4 and f"cannot write {place}" in result.err,
        f"{result.status}: {result.err}",
    )
    expect(time.monotonic() - began < 2 * MOST, "it took too long")


@case
def what_a_preflight_did_is_written_after_an_interrupt():
    """That came while it waited for a home."""
    scene = Scene()
    bad, path = (
        scene.stage.actors["bad"],
        scene.stage.layout.home / ".local/state/orphan-reaper/history.jsonl",
    )
    bad.send(signal.SIGKILL)
    wait_until(lambda: not bad.alive(), "its end")
    homes = [
        "--home",
        str(scene.home("bad") / "memos-plugin"),
        "--home",
        str(scene.stage.layout.data_home("good")),
    ]
    report = put(scene.stage.run / "report", "", uid=scene.stage.uid)
    preflight = scene.stage.start_reaper(
        "preflight", "--json", "--min-age", "1ms", "--settle", "200ms", *homes, "-o", str(report)
    )
    wait_until(
        lambda: path.exists() and '"event":"ended"' in path.read_text(), "the end of the good one"
    )
    scene.hang()
    waits(preflight)
    preflight.send_signal(signal.SIGINT)
    result = timed(product.finish, preflight, 60)
    told = json.loads(report.read_text() or "{}")
    expect(result.status == 130 and told.get("processes"), f"{result.status}: {told} {result.err}")


@case
def root_heeds_that_it_does_not_know_what_a_user_protects():
    scene = Scene(hanging=(), good=("mine",))
    behind = scene.stage.layout.base / "behind/home"
    behind.mkdir(parents=True)
    os.chown(behind, OTHER_UID, OTHER_UID)
    mount = HungMount(behind, scene.stage.layout.base / "home/v")
    theirs = scene.stage.bridge("theirs", become=("--uids", f"{OTHER_UID},{OTHER_UID},{OTHER_UID}"))
    scene.stage.orphans([theirs], uid=0)
    mount.hang()
    result = timed(scene.stage.sweep, "--all-users", uid=0)
    scene.stage.expect_sweep(result, ended=["mine"], alive=["theirs"], status=4)


@case
def int_and_term_end_it_within_a_second():
    scene = Scene()
    scene.hang()
    pid = str(scene.stage.actors["bad"].pid)
    commands = [
        ["report"],
        ["sweep"],
        ["explain", pid],
        ["pidfiles"],
        ["pidfiles", "--clean"],
        ["preflight"],
    ]
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # where this runs in the background, it is ignored
    for number in (signal.SIGINT, signal.SIGTERM):
        for command in commands:
            process = scene.stage.start_reaper(*command)
            waits(process)
            expect_ends_soon(process, number)
            process.communicate()  # no copy holds the other ends
            wait_until(lambda: not others_wait(scene), "the copies to be told to end")
            scene.mounts["bad"].go()  # or the next one would leave the home out
            wait_until(lambda: not copies_of(scene.stage.layout.binary), "the copies to end")
            scene.hang()


def others_wait(scene):
    """Copies that are not told to end: those that wait are dead as soon as they are answered."""

    def is_told(pid):
        pending = [
            line.split()[1]
            for line in open(f"/proc/{pid}/status")
            if line.startswith("ShdPnd") or line.startswith("SigPnd")
        ]
        return any(int(word, 16) & (1 << 8) for word in pending)

    return [pid for pid in copies_of(scene.stage.layout.binary) if not is_told(pid)]


@case
def a_watch_goes_on_and_recovers():
    scene = Scene(good=())
    watch = Watch(
        scene.stage,
        "--interval",
        "1s",
        "--min-age",
        "1ms",
        "--settle",
        "200ms",
        "--grace",
        "1s",
        "--events",
        "scan",
    )
    expect(scene.stage.actors["bad"].wait_ended(20 * SLOWDOWN), watch.log())
    scene.hang()
    scene.stage.orphans(
        [
            scene.stage.bridge("late", home=scene.home("bad") / "memos-plugin"),
            scene.stage.bridge("good"),
        ]
    )
    expect(scene.stage.actors["good"].wait_ended(20 * SLOWDOWN), watch.log())
    scene.stage.expect_alive(["late"])
    most = 0
    end = time.monotonic() + 8
    while time.monotonic() < end:
        most = max(most, len(copies_of(scene.stage.layout.binary)))
        time.sleep(0.2)
    expect(0 < most <= 8, f"{most} copies wait")
    scene.mounts["bad"].go()
    wait_until(lambda: not copies_of(scene.stage.layout.binary), "the copies to end")
    expect(
        scene.stage.actors["late"].wait_ended(40 * SLOWDOWN),
        f"not ended when the home answers again: {watch.log()}",
    )
    watch.stop()


@case
def a_watch_ends_while_a_home_hangs():
    scene = Scene(good=())
    scene.hang()
    watch = Watch(scene.stage, "--interval", "1s", ready=False)
    waits(watch.process)
    expect_ends_soon(watch.process, signal.SIGTERM, (0, 130))


@case
def a_watch_ends_while_the_home_of_its_user_hangs():
    """That has its lock."""
    stage = Stage()
    behind, home = stage.layout.base / "behind/home", stage.layout.base / "home/v"
    state = behind / ".local/state/orphan-reaper"
    (state / "watch").mkdir(parents=True)
    put(state / "watch.lock", "", uid=OTHER_UID).chmod(0o600)
    own_below(behind, OTHER_UID)
    mount = HungMount(behind, home)
    watch = Watch(stage, "--interval", "1s", "--verbose", uid=OTHER_UID, env={"HOME": str(home)})
    mount.hang()
    watch.send(signal.SIGHUP)
    watch.wait_logged("the rules stay as they were")
    time.sleep(1)  # a look, for which there is a copy
    expect_ends_soon(watch.process, signal.SIGTERM, (0,))


@case
def a_watch_ends_while_its_census_hangs():
    scene = Scene(good=())
    census = put(scene.stage.layout.base / "behind/bad/census", "")
    watch = Watch(
        scene.stage,
        "--interval",
        "1s",
        "--min-age",
        "1h",
        "--census",
        str(scene.home("bad") / census.name),
    )
    scene.hang()
    watch.wait_logged(f"{census.name} did not answer within 1 s")
    waits(watch.process)
    expect_ends_soon(watch.process, signal.SIGTERM, (0,))


def full_pipe():
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    for size in (65536, 1):
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writer, b"x" * size)
    os.set_blocking(writer, True)
    return reader, writer


@case
def int_and_term_end_it_while_nothing_reads_what_it_says():
    stage = Stage()
    for number in (signal.SIGINT, signal.SIGTERM):
        for command, stream in (
            ("sweep", "stderr"),
            ("preflight", "stderr"),
            ("preflight", "stdout"),
        ):
            stage.orphans([stage.bridge(f"{command}-{stream}-{number}")])
            reader, writer = full_pipe()
            streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: writer}
            process = subprocess.Popen(
                [
                    str(stage.layout.binary),
                    command,
                    "--min-age",
                    "1ms",
                    "--settle",
                    "200ms",
                    "--grace",
                    "1s",
                ],
                env=product.environment(stage.layout.home),
                user=stage.uid,
                group=stage.uid,
                extra_groups=[],
                cwd="/",
                **streams,
            )
            wait_until(lambda: stands_still(process.pid), f"{command} to wait for a reader")
            expect_ends_soon(process, number)
            os.close(reader)
            os.close(writer)


def stands_still(pid):
    """For longer than the settle time and than any pause between two looks: it waits to be read."""
    began = time.monotonic()
    while time.monotonic() - began < 0.8:
        where = read_bytes(f"/proc/{pid}/wchan")
        if any(is_there(copy) for copy in copies(pid)) or (
            b"poll" not in where and b"pipe_write" not in where
        ):
            return False
        time.sleep(0.02)
    return True


def copies(pid):
    return pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


@case
def run_ends_a_helper_whose_program_hangs():
    scene = Scene(good=())
    program = scene.stage.layout.base / "behind/bad/sleep"
    shutil.copy2("/bin/sleep", program)
    shown = scene.home("bad") / program.name
    host = run_below_a_host(scene.stage, "run", "--", shown, "500")
    helper = the_one_with(f"{shown}\x00500")
    scene.hang()
    host.kill()
    host.wait()
    wait_until(lambda: not is_there(helper), "the helper to end")


@case
def run_ends_what_runs_beside_one_whose_words_hang():
    scene = Scene(good=())
    words, ready, go = (
        scene.home("bad") / "words",
        scene.stage.run / "mapped",
        scene.stage.run / "go",
    )
    put(scene.stage.layout.base / "behind/bad/words", "x" * 8192)
    os.mkfifo(go)
    os.chown(go, scene.stage.uid, scene.stage.uid)
    mapped = put(
        scene.stage.run / "mapped.py",
        MAPPED.replace("sys.stdin.readline()", f"open({str(go)!r}).read()"),
    )
    stubborn = put(
        scene.stage.run / "stubborn.py",
        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(1000)\n",
    )
    helper = f"{PYTHON} {mapped} {words} {ready} & exec {PYTHON} {stubborn}"
    host = run_below_a_host(scene.stage, "run", "--grace", "1s", "--", "/bin/sh", "-c", helper)
    left = the_one_with(f"{PYTHON}\0{stubborn}")
    hanging = the_one_with(f"{PYTHON}\0{mapped}\0{words}")
    wait_until(ready.exists, "the words to be mapped")
    scene.hang()
    go.write_text("go")
    wait_until(lambda: stat_fields(hanging)[:1] == [b"D"], "it to hang")
    host.kill()
    host.wait()
    wait_until(lambda: not is_there(left), "the other one to end")


def run_below_a_host(stage, *arguments, **streams):
    words = " ".join(map(shlex.quote, [str(stage.layout.binary), *map(str, arguments)]))
    return subprocess.Popen(
        ["/bin/sh", "-c", f"{words}; true"],
        cwd="/",
        env=product.environment(stage.layout.home),
        user=stage.uid,
        group=stage.uid,
        extra_groups=[],
        **streams,
    )


def the_one_with(words):
    start = words.encode()
    return wait_until(
        lambda: [pid for pid in all_pids() if read_bytes(f"/proc/{pid}/cmdline").startswith(start)],
        words,
    )[0]


@case
def run_looks_after_a_helper_while_nothing_reads_what_it_says():
    stage = Stage()
    reader, writer = full_pipe()
    host = run_below_a_host(stage, "run", "--verbose", "--", "/bin/sleep", "500", stderr=writer)
    helper = the_one_with("/bin/sleep\x00500")
    host.kill()
    host.wait()
    wait_until(lambda: not is_there(helper), "the helper to end")
    os.close(reader)
    os.close(writer)


@case
def no_copy_stays_as_a_zombie():
    stage = Stage()
    seen = stage.reaper(
        "preflight",
        "--quiet",
        "--settle",
        "200ms",
        "--",
        "/bin/sh",
        "-c",
        "cat /proc/$PPID/task/$PPID/children; echo $$",
    )
    expect(len(set(seen.out.split())) == 1, f"the command and its siblings: {seen.out}")
    watch = Watch(stage, "--interval", "1h")
    wait_until(
        lambda: b"poll" in read_bytes(f"/proc/{watch.pid}/wchan") and not copies(watch.pid),
        "no copy between two looks",
        5,
    )
    watch.stop()


if __name__ == "__main__":
    main(__file__, globals())
