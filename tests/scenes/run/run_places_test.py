"""`run`: in places where not all can be seen, or not everything can be done."""
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import time

from harness import actor, helper, sandbox
from harness.actor import wait_until
from harness.helper import BINARY, Host, survivors
from harness.layout import UID
from harness.sandbox import PROGRAMS, PYTHON, case, expect

SLOW = int(os.environ.get("REAPER_SLOWDOWN", "1"))


def denying(*denials):
    """Words before a command to which the kernel denies these calls."""
    return (PYTHON, PROGRAMS / "deny_calls.py", *denials, "--")


# The process table of another pid namespace

QUESTION = b"is it another pid namespace's?"
COMMANDS = (
    ("run", "--", "echo", "started"),
    ("run", "--parent", "1", "--", "echo", "started"),
    ("report",),
    ("sweep",),
    ("explain", "1"),
    ("preflight",),
    ("preflight", "--", "echo", "started"),
    ("pidfiles",),
    ("pidfiles", "--clean"),
)
INSIDE = ("unshare", "--pid", "--fork", "--kill-child")


def expect_refused(words, status, out, err):
    expect(
        status == 4 and QUESTION in err and b"started" not in out,
        f"{words}: {status}, {out}, {err}",
    )


@case
def the_table_of_another_pid_namespace_is_refused():
    """Its pids are those of other processes here."""
    os.environ["HOME"] = "/nobody"
    for words in COMMANDS:
        done = subprocess.run(
            [*INSIDE, BINARY, *words], capture_output=True, timeout=20, check=False
        )
        expect_refused(words, done.returncode, done.stdout, done.stderr)
    # It goes on: a look may fail.
    watch = subprocess.Popen([*INSIDE, BINARY, "watch"], stderr=subprocess.PIPE)
    expect(b"watching 0 hosts" in (said := watch.stderr.readline()) and QUESTION in said, said)
    watch.kill()


@case
def also_where_this_program_has_the_same_pid_in_it():
    inside = (
        "import subprocess, sys\nnumber = sys.stdin.readline()\n"
        "open('/proc/sys/kernel/ns_last_pid', 'w').write(number)\n"
        "child = subprocess.Popen(sys.argv[1:])\nassert child.pid == int(number) + 1\n"
        "sys.exit(child.wait())"
    )
    os.environ["HOME"] = "/nobody"
    for words in COMMANDS:
        done = subprocess.Popen(
            [*INSIDE, PYTHON, "-c", inside, BINARY, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        # pylint: disable=cell-var-from-loop
        wait_until(lambda: helper.children_of(done.pid), "the first of the namespace")
        pathlib.Path("/proc/sys/kernel/ns_last_pid").write_text("5000")
        out, err = done.communicate(b"5000\n", timeout=20)
        expect_refused(words, done.returncode, out, err)


# A process that /proc hides from its own user (hidepid): it is not dumpable, as ssh-agent, or may
# be executed and not read

HIDDEN = """
import ctypes, os, signal, sys, time
def told(number, frame):
    os.write(2, b"told\\n")
    time.sleep(0.3)
    os.write(2, b"cleaned up\\n")
    os._exit(0)
signal.alarm(60)
signal.signal(signal.SIGTERM, told if "deaf" not in sys.argv else signal.SIG_IGN)
if "parent" in sys.argv and os.fork() == 0:
    sys.argv = []
    signal.alarm(60)
    signal.signal(signal.SIGTERM, told)
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
os.write(1, b"ready\\n")
while True:
    time.sleep(50)
"""
OLD_KERNEL = denying("ioctl=ENOTTY")  # before 6.13 no handle tells a parent


def hide(how="invisible"):
    helper.without_cgroups()
    sandbox.mount("proc", "/proc", "proc", 0x20, f"hidepid={how}")  # MS_REMOUNT
    sandbox.mount("tmpfs", "/mnt", "tmpfs", data="mode=755")
    pathlib.Path("/mnt/hidden.py").write_text(HIDDEN)


def start_hidden(*words, before=(), then="exec sleep 60", number=1):
    """A helper, and below it, in a session of its own and orphaned, a process that this user cannot
    see."""
    hide()
    host = Host(
        "/bin/sh",
        "-c",
        f"(setsid {PYTHON} /mnt/hidden.py {' '.join(words)} &); {then}",
        options=("--grace", "2s"),
        uid=UID,
        before=before,
    )
    for _ in range(number):
        expect(host.out.readline() == b"ready\n", "not ready")
    hidden = [
        pid
        for pid in survivors()
        if actor.read_bytes(f"/proc/{pid}/cmdline").startswith(PYTHON.encode())
    ]
    seen = subprocess.run(
        ["/bin/ls", "/proc"],
        capture_output=True,
        text=True,
        user=UID,
        group=UID,
        extra_groups=[],
        check=True,
    ).stdout.split()
    expect(
        len(hidden) == number and not {str(pid) for pid in hidden} & set(seen),
        f"{hidden} are seen: {seen}",
    )
    return host


def expect_cleaned_up(host, seconds=2):
    began = time.monotonic()
    host.expect_gone(8)
    expect(time.monotonic() - began < seconds + SLOW, f"after {time.monotonic() - began} s")
    host.kill()  # it has stderr, too
    said = host.err.read().decode().splitlines()
    expect(said == ["told", "cleaned up"], said)


@case
def a_hidden_process_gets_term_and_ends():
    for before in ((), OLD_KERNEL):
        for end in ("handle", "run_handle", "guard_handle"):
            host = start_hidden(before=before)
            host.kill(getattr(host, end))
            expect_cleaned_up(host)


@case
def a_hidden_process_that_ignores_term_is_killed():
    for before in ((), OLD_KERNEL):
        host = start_hidden("deaf", before=before)
        host.kill()
        host.expect_gone(3 + SLOW)


@case
def a_hidden_process_ends_when_the_helper_leaves_it():
    for before in ((), OLD_KERNEL):
        host = start_hidden(before=before, then="read _; exit 3")
        os.kill(host.helper, signal.SIGKILL)
        expect_cleaned_up(host)


@case
def what_is_hidden_below_a_hidden_process_comes_when_that_has_ended():
    for before in ((), OLD_KERNEL):
        host = start_hidden("deaf", "parent", before=before, number=2)
        host.kill()
        expect_cleaned_up(host, 3)


@case
def what_is_hidden_below_a_visible_process_has_the_whole_grace():
    """Where a handle tells its parent."""
    hide()
    body = (
        "import subprocess, signal; signal.signal(15, signal.SIG_IGN); subprocess.run([%r, "
        "'/mnt/hidden.py'])"
    ) % PYTHON
    host = Host(PYTHON, "-c", body, options=("--grace", "5s"), uid=UID)
    expect(host.out.readline() == b"ready\n", "not ready")
    host.kill()
    expect_cleaned_up(host, 1)


@case
def a_hidden_child_that_the_caller_had_is_left_alone():
    """As a shell's that started ssh-agent, and then became `run`; also what is below it."""
    for before in ((), OLD_KERNEL):
        hide()
        script = f'{PYTHON} /mnt/hidden.py parent & echo $!; read _ </mnt/go; exec "$@"'
        os.mkfifo("/mnt/go", 0o644)
        host = subprocess.Popen(
            [
                "/bin/sh",
                "-c",
                '/bin/bash -c "$@"; exit $?',
                "-",
                script,
                "-",
                *map(str, before),
                BINARY,
                "run",
                "--grace",
                "500ms",
                "--",
                "/bin/sh",
                "-c",
                "trap '' TERM; while :; do sleep 1; done",
            ],
            stdout=subprocess.PIPE,
            user=UID,
            group=UID,
            extra_groups=[],
        )
        lines = sorted(host.stdout.readline() for _ in range(3))
        expect(lines[1:] == [b"ready\n"] * 2, f"{lines}")
        earlier = [int(lines[0]), *helper.children_of(int(lines[0]))]
        pathlib.Path("/mnt/go").write_text("go\n")
        wait_until(lambda: len(survivors()) >= 2, "the helper and its sleep")
        (run,) = helper.children_of(host.pid)
        # pylint: disable=cell-var-from-loop
        (guard,) = [pid for pid in helper.children_of(run) if pid in helper.ours()]
        os.kill(guard, signal.SIGKILL)
        expect(host.wait(10) == 137 and not survivors(), f"{host.returncode}, {survivors()}")
        expect(
            all(actor.is_there(pid) for pid in earlier) and len(earlier) == 2, "they are to live"
        )
        for pid in earlier:
            os.kill(pid, signal.SIGKILL)


@case
def a_hidden_process_of_another_tree_lives_on():
    """Also where it is listed: its number alone can be read then."""
    for how in ("noaccess", "invisible"):
        hide(how)
        other = subprocess.Popen(
            [PYTHON, "/mnt/hidden.py"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            user=UID,
            group=UID,
            extra_groups=[],
        )
        expect(other.stdout.readline() == b"ready\n", "not ready")
        for before in ((), OLD_KERNEL):
            host = Host(
                "/bin/sh",
                "-c",
                f"(setsid {PYTHON} /mnt/hidden.py &); exec sleep 60",
                options=("--grace", "1s"),
                uid=UID,
                before=before,
            )
            expect(host.out.readline() == b"ready\n", "not ready")
            host.kill()
            expect_cleaned_up(host)
        other.kill()
        expect(other.stderr.read() == b"", "it got TERM")


@case
def the_real_ssh_agent_ends():
    if not shutil.which("ssh-agent"):
        raise sandbox.Skip("needs ssh-agent")
    hide()
    host = Host(
        "/bin/sh",
        "-c",
        "ssh-agent >/dev/null && echo ready; exec sleep 60",
        options=("--grace", "1s"),
        uid=UID,
    )
    expect(host.out.readline() == b"ready\n", "not ready")
    host.kill()
    host.expect_gone(2 + SLOW)


@case
def programs_that_may_be_executed_and_not_read_end():
    hide()
    for name in ("sleep", "dash"):
        shutil.copy(f"/bin/{name}", "/mnt")
        os.chmod(f"/mnt/{name}", 0o711)
    host = Host(
        "/mnt/dash",
        "-c",
        "trap '' TERM; echo ready; (setsid /mnt/sleep 60 &); /mnt/sleep 60; /mnt/sleep 60",
        options=("--grace", "500ms"),
        uid=UID,
    )
    expect(host.out.readline() == b"ready\n", "not ready")
    host.kill()
    host.expect_gone(3 + SLOW)


# What the system refuses


def after(*before):
    return subprocess.run(
        [*before, BINARY, "run", "--", "echo", "started"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
        check=False,
    )


@case
def what_the_system_refuses_is_no_mistake_of_the_command_line():
    for answer in ("ENOSYS", "EPERM"):
        done = after(*denying(f"pidfd_open={answer}"))
        expect(
            done.returncode == 4
            and b"cannot open a handle of pid" in done.stderr
            and not done.stdout,
            f"{answer}: {done}",
        )
    for limit in range(4, 20):
        done = after("/usr/bin/prlimit", f"--nofile={limit}")
        refused = done.returncode == 4 and b"Too many open files" in done.stderr and not done.stdout
        expect(refused or limit > 6 and done.stdout == b"started\n", f"{limit} descriptors: {done}")


@case
def a_start_that_fails_leaves_no_cgroup():
    helper.needs_cgroup()
    # LeakSanitizer needs a clone.
    done = after("/usr/bin/env", "ASAN_OPTIONS=detect_leaks=0", *denying("clone=EAGAIN"))
    expect(done.returncode == 4 and b"cannot start a guard" in done.stderr, str(done))
    left = list(
        pathlib.Path("/sys/fs/cgroup").rglob(
            f"{os.environ['REAPER_TEST_CGROUP']}/run/orphan-reaper-*"
        )
    )
    expect(not left, f"{left}")


@case
def no_other_process_holds_the_ends_where_no_range_can_be_closed():
    """Before Linux 5.9."""
    read, write = os.pipe()
    running = subprocess.Popen(
        [
            *denying("close_range=ENOSYS"),
            BINARY,
            "run",
            "--",
            "/bin/sh",
            "-c",
            f"exec <&- >&- {write}>&-; exec sleep 60",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=[write],
    )
    os.close(write)
    for end in (running.stdout.fileno(), read):
        ready, _, _ = select.select([end], [], [], 5)
        expect(ready and os.read(end, 1) == b"", "a process has it open")
    running.terminate()
    expect(running.wait(5) == 143, str(running.returncode))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        helper.enter_cgroup()
    sandbox.main(__file__, globals())
