"""`run` and signals: the helper gets what is sent to `run`, and stops and goes on as it would
without."""
import os
import pathlib
import pty
import signal
import subprocess
import sys
import time

from harness import actor, helper, sandbox
from harness.actor import wait_until
from harness.helper import BINARY, Host, survivors
from harness.sandbox import PYTHON, case, expect

# Of those that can be caught, all but CHLD, which any parent gets of its own; and one of real time.
EVERY = sorted({*range(1, 32), 40} - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD})
STOPS = (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)


def listener(numbers, to="/dev/stdout"):
    """Writes "ready", and the number of each of these signals that it gets, a line for each. By
    sigwait: one that comes between the last look of the interpreter and pause(2) would not wake
    it."""
    return (
        f"import os, signal\nnumbers = {list(map(int, numbers))}\n"
        f"log = os.open({str(to)!r}, os.O_WRONLY | os.O_CREAT)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, numbers)\nos.write(1, b'ready\\n')\n"
        "while True:\n    os.write(log, b'%d\\n' % signal.sigwait(numbers))\n"
    )


def start(*command, **more):
    running = subprocess.Popen(
        [BINARY, "run", "--grace", "300ms", "--", *command], stdout=subprocess.PIPE, **more
    )
    if command[0] == PYTHON:
        expect(running.stdout.readline() == b"ready\n", "not ready")
    (started,) = wait_until(survivors, "the helper")
    return running, started


def states(*pids):
    return {actor.stat_fields(pid)[0] for pid in pids}


def expect_stopped(*pids):
    wait_until(lambda: states(*pids) == {b"T"}, f"the stop of {pids}", 5)


def expect_going_on(*pids):
    wait_until(lambda: b"T" not in states(*pids), f"{pids} to go on", 5)


def expect_end(running, status):
    running.terminate()
    expect(running.wait(5) == status, str(running.returncode))


# They reach the helper


@case
def signals_pass_once():
    running, _ = start(PYTHON, "-c", listener(EVERY))
    for number in EVERY:
        running.send_signal(number)
        expect(running.stdout.readline() == b"%d\n" % number, f"signal {number}")
    running.send_signal(signal.SIGTERM)
    running.send_signal(signal.SIGUSR1)
    expect(
        {running.stdout.readline(), running.stdout.readline()} == {b"15\n", b"10\n"},
        "one was lost or came twice",
    )
    running.kill()
    running.wait()
    wait_until(lambda: not survivors(), "the end of the helper", 15)


@case
def what_ends_the_helper_is_told():
    for number in (signal.SIGSEGV, signal.SIGPIPE, signal.SIGHUP):
        running, _ = start("/bin/sleep", "60")
        running.send_signal(number)
        expect(running.wait(5) == 128 + number, f"{number.name}: {running.returncode}")


@case
def none_of_many_is_lost():
    """Also while they are not read: the kernel keeps every one of real time."""
    many = 3000
    running, _ = start(
        PYTHON,
        "-c",
        "import os, signal, sys\nsignal.pthread_sigmask(signal.SIG_BLOCK, [40, 10])\n"
        "os.write(1, b'ready\\n')\n"
        "signal.sigwait([10])\ncount = 0\nwhile signal.sigtimedwait([40], 1):\n    count += 1\n"
        "os.write(1, b'%d' % count)\n",
    )
    (guard,) = helper.children_of(running.pid)
    os.kill(guard, signal.SIGSTOP)
    for _ in range(many):
        running.send_signal(40)
    before = actor.stat_fields(running.pid)[11:13]
    time.sleep(0.3)
    expect(
        actor.stat_fields(running.pid)[11:13] == before, "run is busy while the guard reads nothing"
    )
    os.kill(guard, signal.SIGCONT)
    running.send_signal(signal.SIGUSR1)
    said = running.stdout.read()
    expect(said == b"%d" % many, f"{said} of {many}")
    running.wait(5)


@case
def an_alarm_from_before_reaches_the_helper():
    began = time.monotonic()
    done = subprocess.run(
        [BINARY, "run", "--", "/bin/sleep", "20"], preexec_fn=lambda: signal.alarm(1), check=False
    )
    expect(done.returncode == 128 + signal.SIGALRM and time.monotonic() - began < 10, str(done))


# Terminals


def terminal(*command):
    pid, master = pty.fork()
    if pid == 0:
        os.environ["PS1"] = "$ "
        os.execv(command[0], list(command))
    return pid, master


def read_until(master, word, seconds=10):
    text, end = b"", time.monotonic() + seconds
    while word not in text:
        expect(time.monotonic() < end, f"no {word!r} in {text!r}")
        text += os.read(master, 4096)
    return text


def everything(master):
    text = b""
    try:
        while True:
            text += os.read(master, 4096)
    except OSError:
        return text


@case
def ctrl_c_arrives_once():
    script = (
        # What print writes can be read before print returns, and it cannot be entered twice.
        "import os, signal\nsignal.signal(2, lambda n, f: os.write(1, b'<INT>\\n'))\n"
        "os.write(1, b'ready\\n')\nwhile True:\n    signal.pause()\n"
    )
    pid, master = terminal(BINARY, "run", "--", PYTHON, "-c", script)
    read_until(master, b"ready")
    for _ in range(3):
        os.write(master, b"\x03")
        said = read_until(master, b"<INT>")
        time.sleep(0.1)
        expect(said.count(b"<INT>") == 1, str(said))
    os.kill(pid, signal.SIGTERM)
    rest = everything(master)
    expect(b"<INT>" not in rest, f"it came twice: {rest}")
    expect(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 143, "status")


@case
def ctrl_z_stops_and_fg_goes_on():
    pid, master = terminal("/bin/bash", "--norc", "--noprofile", "-i")
    read_until(master, b"$ ")
    os.write(master, f"{BINARY} run -- cat\n".encode())
    wait_until(lambda: survivors(), "cat")
    (cat,) = survivors()
    os.write(master, b"one\n")
    read_until(master, b"one\r\none")
    os.write(master, b"\x1a")
    read_until(master, b"Stopped")
    expect(actor.stat_fields(cat)[0] == b"T", "cat is not stopped")
    os.write(master, b"fg\n")
    wait_until(lambda: actor.stat_fields(cat)[0] != b"T", "cat to go on")
    os.write(master, b"two\n")
    read_until(master, b"two\r\ntwo")
    os.write(master, b"\x04")
    wait_until(lambda: not survivors(), "the end of cat")
    os.write(master, b"exit\n")
    os.close(master)
    os.waitpid(pid, 0)


@case
def ctrl_z_stops_only_with_the_helper():
    """That of an editor does something else first, or does not stop at all."""
    pid, master = terminal("/bin/bash", "--norc", "--noprofile", "-i")
    read_until(master, b"$ ")
    file = pathlib.Path("/var/lib/script.py")
    file.write_text(listener([signal.SIGTSTP]))
    os.write(master, f"{BINARY} run -- {PYTHON} {file}\n".encode())
    read_until(master, b"ready")
    for _ in range(2):
        os.write(master, b"\x1a")
        read_until(master, b"20\r\n")
    (started,) = survivors()
    above = actor.parent_of(actor.parent_of(started))
    time.sleep(0.2)
    expect(b"T" not in states(started, above), "a process is stopped")
    os.kill(above, signal.SIGTERM)
    wait_until(lambda: not survivors(), "the end of the helper")
    os.write(master, b"exit\n")
    os.close(master)
    os.waitpid(pid, 0)


@case
def a_terminal_that_hangs_up_tells_the_helper_once():
    """The kernel tells the leader of the session alone, which is `run`: as where tmux or a terminal
    emulator starts it."""
    log = pathlib.Path("/var/lib/signals")
    told = []
    for before in ([], [BINARY, "run", "--grace", "300ms", "--"]):
        log.write_text("")
        pid, master = terminal(*before, PYTHON, "-c", listener((1, 18), log))
        read_until(master, b"ready")
        os.close(master)
        wait_until(lambda: len(log.read_text().split()) >= 2, "HUP and CONT", 5)
        time.sleep(0.2)
        told.append(sorted(log.read_text().split()))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    expect(told[0] == told[1] == ["1", "18"], f"{told[0]} without run, {told[1]} with it")
    wait_until(lambda: not survivors(), "the end of the helper")
    pid, master = terminal(BINARY, "run", "--", "/bin/sh", "-c", "echo ready; exec sleep 60")
    read_until(master, b"ready")
    os.close(master)
    expect(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 128 + signal.SIGHUP, "status")


@case
def a_terminal_whose_shell_ends_tells_the_helper_once():
    """It is in the group in the foreground then, as `run` is, and both are told."""
    log = pathlib.Path("/var/lib/signals")
    file = pathlib.Path("/var/lib/script.py")
    file.write_text(listener([1], log))
    pid, master = terminal(
        "/bin/sh", "-c", f"{BINARY} run --parent {os.getpid()} -- {PYTHON} {file}; true"
    )
    read_until(master, b"ready")
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    time.sleep(0.5)
    expect(log.read_text().split() == ["1"], log.read_text())


# It is stopped, and goes on


@case
def what_stops_a_job_stops_the_helper_as_well():
    """Sent to `run` alone, by a process. It has a parent in another group of the session, as a
    shell's jobs have."""
    running, sleeper = start("/bin/sleep", "60", process_group=0)
    for number in STOPS:
        running.send_signal(number)
        expect_stopped(running.pid, sleeper)
        expect(
            os.waitid(os.P_PID, running.pid, os.WSTOPPED).si_status == number,
            "the host sees another signal",
        )
        running.send_signal(signal.SIGCONT)
        expect_going_on(running.pid, sleeper)
    expect_end(running, 143)


@case
def a_helper_that_is_not_stopped_does_not_stop_run():
    for action in ("signal.SIG_IGN", "lambda number, frame: None"):
        running, deaf = start(
            PYTHON,
            "-c",
            f"import os, signal\nfor n in {list(map(int, STOPS))}:\n"
            f"    signal.signal(n, {action})\n"
            "os.write(1, b'ready\\n')\nwhile True:\n    signal.pause()\n",
            process_group=0,
        )
        for number in STOPS:
            running.send_signal(number)
        time.sleep(0.3)
        expect(b"T" not in states(running.pid, deaf), "a process is stopped")
        expect_end(running, 143)


@case
def what_stops_nothing_in_an_orphaned_group_does_not_stop_run():
    """As Hermes starts its workers: no process of the session could let them go on."""
    running, sleeper = start("/bin/sleep", "60", start_new_session=True)
    for number in STOPS:
        running.send_signal(number)
    time.sleep(0.3)
    expect(b"T" not in states(running.pid, sleeper), "a process is stopped")
    expect_end(running, 143)


@case
def what_the_caller_ignores_stops_run_where_it_stops_the_helper():
    running, stopped = start(
        PYTHON,
        "-c",
        "import os, signal\nsignal.signal(20, signal.SIG_DFL)\nos.write(1, b'ready\\n')\n"
        "signal.pause()",
        process_group=0,
        preexec_fn=lambda: signal.signal(signal.SIGTSTP, signal.SIG_IGN),
    )
    running.send_signal(signal.SIGTSTP)
    expect_stopped(running.pid, stopped)
    running.send_signal(signal.SIGCONT)
    expect_going_on(running.pid, stopped)
    expect_end(running, 143)


@case
def stopping_the_helper_alone_stops_run_and_both_go_on():
    running, sleeper = start("/bin/sleep", "60", start_new_session=True)
    for _ in range(2):
        os.kill(sleeper, signal.SIGSTOP)
        expect_stopped(running.pid, sleeper)
        os.kill(sleeper, signal.SIGCONT)
        expect_going_on(running.pid, sleeper)
    expect_end(running, 143)


@case
def a_helper_that_goes_on_gets_cont_once():
    running, stopped = start(PYTHON, "-c", listener([signal.SIGCONT]), process_group=0)
    for _ in range(3):
        running.send_signal(signal.SIGTSTP)
        expect_stopped(running.pid, stopped)
        running.send_signal(signal.SIGCONT)
        expect_going_on(running.pid, stopped)
        time.sleep(0.1)
    expect_end(running, 143)
    said = running.stdout.read()
    expect(said == b"18\n" * 3, str(said))


@case
def stopped_and_continued_at_once_nothing_stays_stopped():
    running, sleeper = start("/bin/sleep", "60", process_group=0)
    for turn in range(300):
        running.send_signal(signal.SIGTSTP)
        time.sleep(turn % 30 / 10_000)
        running.send_signal(signal.SIGCONT)
        time.sleep(turn % 7 / 10_000)
    expect_going_on(running.pid, sleeper)
    for turn in range(300):
        os.kill(sleeper, signal.SIGTSTP)
        time.sleep(turn % 30 / 10_000)
        os.kill(sleeper, signal.SIGCONT)
        time.sleep(turn % 7 / 10_000)
    expect_going_on(running.pid, sleeper)
    expect_end(running, 143)


@case
def one_that_ends_while_it_is_stopped_is_told():
    for script in ("echo ready; kill -STOP $$", "setsid sleep 60 & echo ready; kill -STOP $$"):
        running = subprocess.Popen(
            [BINARY, "run", "--grace", "300ms", "--", "/bin/sh", "-c", script],
            stdout=subprocess.PIPE,
        )
        expect(running.stdout.readline() == b"ready\n", "not ready")
        (guard,) = helper.children_of(running.pid)
        (started,) = [pid for pid in helper.children_of(guard)]
        expect_stopped(running.pid, started)
        os.kill(started, signal.SIGKILL)
        expect(running.wait(5) == 137, str(running.returncode))
    wait_until(lambda: not survivors(), "the end of the rest")


# Stopping is no way to be left behind


@case
def host_killed_while_both_are_stopped():
    host = Host("/bin/sleep", "60", options=("--grace", "300ms"))
    os.kill(host.helper, signal.SIGSTOP)
    expect_stopped(host.run, host.helper)
    host.kill()
    host.expect_gone()


@case
def host_killed_while_the_guard_is_stopped():
    host = Host("/bin/sleep", "60", options=("--grace", "300ms"))
    os.kill(host.guard, signal.SIGSTOP)
    expect_stopped(host.guard)
    host.kill()
    host.expect_gone()


@case
def run_killed_while_the_guard_is_stopped():
    host = Host("/bin/sleep", "60", options=("--grace", "300ms"))
    os.kill(host.guard, signal.SIGSTOP)
    expect_stopped(host.guard)
    host.kill(host.run_handle)
    host.expect_gone()


# Run is not in the way


@case
def run_does_not_keep_the_working_directory():
    sandbox.mount("tmpfs", "/mnt", "tmpfs")
    folder = pathlib.Path("/mnt/folder")
    folder.mkdir()
    running = subprocess.Popen(
        [BINARY, "run", "--", "/bin/sh", "-c", "pwd; cd /; exec sleep 60"],
        cwd=folder,
        stdout=subprocess.PIPE,
    )
    expect(running.stdout.readline() == b"/mnt/folder\n", "the helper starts elsewhere")
    # In the middle of execve it shows no environment.
    (started,) = wait_until(survivors, "the helper")
    wait_until(lambda: actor.read_bytes(f"/proc/{started}/comm") == b"sleep\n", "sleep")
    said = wait_until(
        lambda: subprocess.run(["/bin/umount", "/mnt"], capture_output=True, check=False).returncode
        == 0,
        "umount",
        3,
    )
    expect(said, "busy")
    expect_end(running, 143)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        helper.enter_cgroup()
    sandbox.main(__file__, globals())
