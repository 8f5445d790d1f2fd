"""`run`: how a tree ends that is large, that grows while it ends, that writes, that cannot be told,
or that has a `run` in it."""
import contextlib
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import time

from harness import actor, helper, sandbox
from harness.actor import wait_until
from harness.helper import BINARY, Host, children_of, ours, survivors
from harness.layout import UID, put
from harness.sandbox import NODE, PYTHON, case, expect

SLOW = int(os.environ.get("REAPER_SLOWDOWN", "1"))


def choose(variant):
    if variant == "cgroup":
        helper.needs_cgroup()
    else:
        helper.without_cgroups()


def start(variant, *words, options=()):
    host = Host(*words, options=options)
    expect(
        (" by a cgroup of its own" if variant == "cgroup" else " by child subreaper") in host.said,
        host.said,
    )
    expect(host.out.readline() == b"ready\n", "not ready")
    return host


def seconds_to_end(host, at_most):
    began = time.monotonic()
    host.kill()
    host.expect_gone(at_most)
    return time.monotonic() - began


def said(host):
    """What came on stderr, from now on until no process has it open."""
    return host.err.read().decode().splitlines()


def no_cgroup_is_left():
    left = [
        str(folder)
        for folder in pathlib.Path("/sys/fs/cgroup").rglob("orphan-reaper-*")
        if os.environ["REAPER_TEST_CGROUP"] in str(folder)
    ]
    expect(not left, f"{left}")


# More than there are descriptors

MANY = """
import os, signal, sys, time
def told(number, frame):
    os.write(2, b"told\\n")
    time.sleep(0.5)
    os.write(2, b"cleaned up\\n")
    os._exit(0)
signal.alarm(60)
for number in range(100):
    if number == 99 or os.fork() == 0:
        signal.alarm(60)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        break
if number == 99:
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, told)
        os.write(1, b"ready\\n")
while True:
    time.sleep(50)
"""


def many(variant):
    """100 that ignore TERM, and a last one that does not: with 40 descriptors."""
    choose(variant)
    host = start(variant, "/usr/bin/env", PYTHON, "-c", MANY, options=("--grace", "2s"))
    for pid in (host.run, host.guard):
        subprocess.run(["/usr/bin/prlimit", f"--pid={pid}", "--nofile=40:40"], check=True)
    seconds = seconds_to_end(host, 20)
    expect(said(host) == ["told", "cleaned up"], "the last one had no time")
    expect(1.9 <= seconds < 4 + SLOW, f"after {seconds} s")


@case
def more_than_descriptors_in_a_cgroup():
    many("cgroup")


@case
def more_than_descriptors():
    many("subreaper")


def run_with_an_earlier_child(earlier):
    """As `earlier & exec orphan-reaper run ...` in a shell. run, its guard, and the child."""
    choose("subreaper")
    helper_of_run = "trap '' TERM; while :; do sleep 1; done"
    run = subprocess.Popen(
        [
            "/bin/bash",
            "-c",
            f'{earlier} & child=$!; sleep 0.2; echo $child; exec "$@"',
            "-",
            BINARY,
            "run",
            "--grace",
            "1s",
            "--",
            "/bin/sh",
            "-c",
            helper_of_run,
        ],
        stdout=subprocess.PIPE,
    )
    child = int(run.stdout.readline())
    wait_until(lambda: len(survivors()) >= 2, "the helper and its sleep")
    (guard,) = [pid for pid in children_of(run.pid) if pid in ours()]
    return run, guard, child


@case
def an_earlier_child_is_left_alone():
    run, guard, child = run_with_an_earlier_child("sleep 61")
    os.kill(guard, signal.SIGKILL)
    expect(run.wait(10) == 137, f"{run.returncode}")
    expect(not survivors() and actor.is_there(child), "the helper is to end, and the child to live")


@case
def what_an_earlier_child_had_started_is_left_alone():
    """`run` does not adopt it."""
    run, guard, child = run_with_an_earlier_child("(sleep 61 & sleep 60.5)")
    (grandchild,) = [
        pid
        for pid in actor.all_pids()
        if actor.read_bytes(f"/proc/{pid}/cmdline") == b"sleep\0" b"61\0"
    ]
    for pid in [child, *children_of(child)]:  # the other way round it may end by itself
        if pid != grandchild:
            os.kill(pid, signal.SIGKILL)
    wait_until(lambda: actor.parent_of(grandchild) == 1, "the adoption")
    expect(grandchild not in children_of(run.pid), "run has adopted it")
    os.kill(guard, signal.SIGKILL)
    expect(run.wait(10) == 137, f"{run.returncode}")
    expect(not survivors() and actor.is_there(grandchild), "the helper is to end, and it to live")


@case
def what_an_earlier_child_leaves_is_cleared_away():
    run, _guard, _child = run_with_an_earlier_child("while :; do (/bin/true &); sleep 0.01; done")
    time.sleep(1)
    zombies = [pid for pid in children_of(run.pid) if not actor.is_there(pid)]
    expect(len(zombies) < 10, f"{len(zombies)} zombies")


# What comes late

WRITER = """
import os, signal, sqlite3, time
def write(seconds):
    database = sqlite3.connect("/mnt/x.db", isolation_level=None)
    database.execute("PRAGMA cache_size=10")
    database.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        database.execute("INSERT INTO t VALUES(zeroblob(20000))")
        time.sleep(0.005)
    database.execute("COMMIT")
    os.write(2, b"committed\\n")
    os._exit(0)
def when_told(handler):
    signal.signal(signal.SIGTERM, handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
def told(number, frame):
    # A child that is born here gets it once it listens.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    BODY
signal.alarm(60)
signal.signal(signal.SIGTERM, told)
os.write(1, b"ready\\n")
while True:
    time.sleep(50)
"""


def writer(variant, *body, grace="1s"):
    choose(variant)
    sandbox.mount("tmpfs", "/mnt", "tmpfs")
    with sqlite3.connect("/mnt/x.db") as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE t(b)")
    return start(
        variant,
        PYTHON,
        "-c",
        WRITER.replace("BODY", "\n    ".join(body)),
        options=("--grace", grace, "--grace-cap", "20s"),
    )


def late_writer(variant):
    host = writer(
        variant,
        "if os.fork() == 0:",
        "    when_told(lambda *_: os.write(2, b'told\\n'))",
        "    write(4)",
    )
    seconds_to_end(host, 30)
    lines = said(host)
    expect(lines == ["told", "committed"], f"it was not told, or ended in its transaction: {lines}")


@case
def a_late_writer_commits_in_a_cgroup():
    late_writer("cgroup")


@case
def a_late_writer_commits():
    late_writer("subreaper")


@case
def a_process_born_in_the_grace_gets_term():
    host = writer(
        "subreaper",
        "if os.fork() == 0:",
        "    os.setsid()",
        "    when_told(lambda *_: (os.write(2, b'told\\n'), os._exit(0)))",
        "    while True: time.sleep(50)",
        "write(4)",
        grace="8s",
    )
    host.kill()
    began = time.monotonic()
    expect(
        host.err.readline() == b"told\n" and time.monotonic() - began < 2 + SLOW,
        "it was told when others had ended, or their time was over",
    )
    host.expect_gone(20)


@case
def the_last_to_come_has_a_second():
    host = writer(
        "subreaper",
        "time.sleep(0.8)",
        "if os.fork() == 0:",
        "    when_told(lambda *_: (time.sleep(0.6), os.write(2, b'cleaned up\\n'), os._exit(0)))",
        "while True: time.sleep(50)",
    )
    seconds_to_end(host, 20)
    expect(said(host) == ["cleaned up"], "it had only what was left of the grace")


@case
def what_forks_all_the_time_ends_with_the_cgroup():
    """A process that replaces itself by a child all the time."""
    choose("cgroup")
    hydra = (
        "import os, signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "if os.fork():\n    os.write(1, b'ready\\n')\n    while True: time.sleep(50)\n"
        "end = time.monotonic() + 40\nwhile time.monotonic() < end:\n    time.sleep(0.05)\n"
        "    if os.fork(): os._exit(0)\n"
    )
    host = start("cgroup", PYTHON, "-c", hydra, options=("--grace", "1500ms"))
    seconds = seconds_to_end(host, 20)
    expect(1.4 <= seconds < 3.5 + SLOW, f"after {seconds} s")
    no_cgroup_is_left()


# A bridge has 30 s, a process of no family 10 s. It fills what its user may have, and its children
# end with it.
FULL = """
const { spawn } = require('child_process');
const cleanUp = () => { require('fs').writeSync(2, 'cleaned up\\n'); process.exit(); };
process.on('SIGTERM', () => setTimeout(cleanUp, 11000));
const more = () => spawn('/bin/sh', ['-c', 'trap "" TERM; read end'])
  .on('error', () => console.log('ready')).on('spawn', more);
more();
"""


@case
def a_bridge_has_its_own_grace_where_no_process_can_be_started():
    sandbox.mount("tmpfs", "/mnt", "tmpfs", data="mode=755")
    bridge = put(pathlib.Path("/mnt/memos-plugin/bridge.cjs"), FULL)
    host = Host(
        NODE, bridge, "--agent=hermes", uid=54321, before=("/usr/bin/prlimit", "--nproc=100")
    )
    expect(host.out.readline() == b"ready\n", "not ready")
    host.kill()
    expect(said(host)[-1:] == ["cleaned up"], "its time was cut short")
    host.expect_gone()


# What may not be signalled


@case
def a_setuid_child_ends_with_the_cgroup_of_a_user():
    """Not before the grace is over, which is longer than `run` waits for those that it cannot
    end."""
    choose("cgroup")
    sandbox.mount("tmpfs", "/mnt", "tmpfs", data="mode=755")
    program = pathlib.Path("/mnt/setuid")
    program.write_bytes(pathlib.Path(PYTHON).read_bytes())
    program.chmod(0o4755)
    folders = [
        pathlib.Path(folder)
        for folder in sandbox.make_cgroup("user")
        if os.path.exists(folder + "/cgroup.kill")
    ]
    for path in (folders[0], *folders[0].iterdir()):
        os.chown(path, UID, UID)
    (folders[0] / "cgroup.procs").write_text(str(os.getpid()))
    body = (
        "import os, signal, time; os.setresuid(0, 0, 0); signal.alarm(40); os.write(1, "
        "b'ready\\n'); time.sleep(40)"
    )
    host = Host(
        "/bin/sh", "-c", f'{program} -I -c "{body}" & wait', options=("--grace", "7s"), uid=UID
    )
    expect(host.out.readline() == b"ready\n" and " by a cgroup of its own" in host.said, host.said)

    def setuid_ones():
        return [
            pid
            for pid in actor.all_pids()
            if actor.read_bytes(f"/proc/{pid}/cmdline").startswith(b"/mnt/setuid\0")
        ]

    wait_until(setuid_ones, "the setuid child")
    began = time.monotonic()
    host.kill()
    wait_until(lambda: not setuid_ones() and not ours(), "the end of it", 12 + SLOW)
    expect(time.monotonic() - began > 6.5, "its grace was cut short")
    no_cgroup_is_left()


# A run inside of a run

BRIDGE = (
    "import os, signal, time\nsignal.signal(signal.SIGTERM, lambda *_: os.write(2, b'told\\n'))\n"
    "os.write(1, b'ready\\n')\n"
    "end = time.monotonic() + 40\nwhile time.monotonic() < end: time.sleep(1)\n"
)


def nested(variant, between=("run", "--grace", "5s"), at_once=False, deaf=""):
    """host -> run -> worker -> run -> bridge, the worker left out where that is `at_once`; the
    inner grace is the longer one."""
    choose(variant)
    inner = [BINARY, *between, "--", PYTHON, "-c", BRIDGE]
    body = f"import subprocess, time\nsubprocess.Popen({inner!r})\n{deaf}while True: time.sleep(1)"
    words = inner if at_once else (PYTHON, "-c", body)
    return start(variant, *words, options=("--grace", "1s"))


def expect_one_grace(host, at_least=4.9):
    seconds = seconds_to_end(host, 15)
    expect(said(host) == ["told"], "not told once")
    expect(at_least <= seconds < at_least + 2 + SLOW, f"after {seconds} s")
    no_cgroup_is_left()


@case
def a_run_in_a_cgroup_of_a_run_keeps_its_grace():
    expect_one_grace(nested("cgroup"))


@case
def a_run_below_a_run_keeps_its_grace():
    expect_one_grace(nested("subreaper"))


@case
def so_does_one_whose_options_come_first():
    expect_one_grace(nested("subreaper", between=("--grace", "5s", "run")))


@case
def a_run_goes_on_while_its_host_has_its_grace():
    expect_one_grace(
        nested("subreaper", deaf="import signal; signal.signal(signal.SIGTERM, lambda *_: None)\n"),
        at_least=5.9,
    )


@case
def a_run_of_a_run_keeps_its_grace():
    """run -- run -- bridge: the inner one's host is the outer one, which lives."""
    expect_one_grace(nested("subreaper", at_once=True))


@case
def a_run_with_a_host_elsewhere_ends_with_the_outer_one():
    expect_one_grace(
        nested("cgroup", between=("run", "--parent", str(os.getpid()), "--grace", "5s"))
    )


def signal_inner(host, *numbers):
    inner = [os.pidfd_open(pid) for pid in ours() if pid not in (host.run, host.guard)]
    expect(len(inner) == 2, "the inner run has two processes")
    for number in numbers:
        for handle in inner:
            signal.pidfd_send_signal(handle, number)


@case
def a_run_that_was_stopped_goes_on_and_ends():
    host = nested("subreaper")
    signal_inner(host, signal.SIGSTOP)
    expect_one_grace(host)


@case
def a_run_that_was_killed_leaves_no_cgroup():
    host = nested("cgroup")
    signal_inner(host, signal.SIGSTOP, signal.SIGKILL)
    seconds_to_end(host, 10)
    no_cgroup_is_left()


@case
def an_empty_cgroup_of_a_killed_run_is_removed_by_a_sweep():
    """Only that one: not of a run that lives, of another pid namespace, with another name, or with
    a process in it."""
    host = start("cgroup", PYTHON, "-c", "print('ready', flush=True); input()")
    (folder,) = pathlib.Path("/sys/fs/cgroup").rglob(
        f"{os.environ['REAPER_TEST_CGROUP']}/run/orphan-reaper-*"
    )
    namespace, owner, start_ticks = folder.name.removeprefix("orphan-reaper-").split("-")
    expect(
        owner == str(host.run) and start_ticks == actor.stat_fields(host.run)[19].decode(),
        folder.name,
    )
    dead = str(max(actor.all_pids()) + 1000)
    others = [
        f"orphan-reaper-{int(namespace) + 1}-{dead}-7",
        f"orphan-reaper-{namespace}-{dead}",
        f"orphan-reaper-{dead}-7",
        f"orphan-reaper-{namespace}-{dead}-7x",
        f"orphan-reaper-{namespace}-1-{actor.stat_fields(1)[19].decode()}",
        f"orphan-reaper-{namespace}-{os.getpid()}-{actor.stat_fields(os.getpid())[19].decode()}",
    ]
    for name in others:
        (folder.parent / name).mkdir()
    busy = folder.parent / f"orphan-reaper-{namespace}-{dead}-8"
    inner = busy / f"orphan-reaper-{namespace}-{dead}-9"
    inner.mkdir(parents=True)
    sleeper = subprocess.Popen(["/bin/sleep", "60"])
    (busy / "cgroup.procs").write_text(str(sleeper.pid))
    # What has its pid now began later.
    reused = folder.parent / f"orphan-reaper-{namespace}-{sleeper.pid}-1"
    reused.mkdir()
    kept = [*others, folder.name, busy.name]

    def sweep(*options):
        done = subprocess.run(
            [BINARY, "sweep", "--settle", "10ms", "--no-history", *options],
            capture_output=True,
            text=True,
            check=False,
        )
        expect(done.returncode == 0, done.stderr)
        return done.stdout

    sweep("--dry-run")
    expect(inner.exists() and reused.exists(), "a dry run removes nothing")
    said = sweep()
    expect(
        not inner.exists() and not reused.exists(),
        "an empty one within another, one whose pid has another process",
    )
    expect(
        f"had left behind: {reused}" in said.replace("\n  ", " ") or str(reused.name) in said, said
    )
    expect(
        all((folder.parent / name).exists() for name in kept),
        f"{os.listdir(folder.parent)}, wanted {kept}",
    )
    expect(actor.is_there(host.helper), "the helper goes on")
    # Stopped first, or one of them ends all that the other leaves.
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for handle in (host.guard_handle, host.run_handle):
            signal.pidfd_send_signal(handle, number)
    with contextlib.suppress(ProcessLookupError):  # the kernel tells it of the death of its parent
        os.kill(host.helper, signal.SIGKILL)
    wait_until(lambda: not survivors() and not actor.is_there(host.run), "the end of all")
    wait_until(lambda: "populated 0" in (folder / "cgroup.events").read_text(), "an empty cgroup")
    sweep()
    expect(not folder.exists(), "the cgroup of the run that was killed")
    sleeper.kill()
    sleeper.wait()
    sweep()
    expect(not busy.exists(), "what was busy")
    for name in others:
        (folder.parent / name).rmdir()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        helper.enter_cgroup()
    sandbox.main(__file__, globals())
