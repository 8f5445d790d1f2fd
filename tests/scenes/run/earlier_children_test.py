"""`run` in a process that had children before, as after `job & exec orphan-reaper run ...` in a
shell: they, and what they start, are left alone, whatever becomes of `run`."""
import os
import pathlib
import signal
import subprocess
import sys

from harness import actor, helper, sandbox
from harness.actor import parent_of, wait_until
from harness.helper import BINARY, ours, survivors
from harness.sandbox import case, expect

GO, DAEMON = pathlib.Path("/mnt/go"), pathlib.Path("/mnt/daemon")
# Becomes a daemon's grandparent when it is told.
JOB = f"""
while ! [ -e {GO} ]; do sleep 0.01; done
setsid /bin/sh -c 'sleep 300 & echo $! > {DAEMON}.new; mv {DAEMON}.new {DAEMON}'
exec sleep 200
"""
DEAF = ("/bin/sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done")


def leads_its_session(pid):
    return actor.stat_fields(pid)[3:4] == [str(pid).encode()]


class Entry:
    """A shell that starts a job, and then becomes `run`."""

    def __init__(self, *words, options=("--grace", "500ms")):
        sandbox.mount("tmpfs", "/mnt", "tmpfs", data="mode=755")
        script = '/bin/sh -c "$1" >/dev/null & echo $!; shift; exec "$@"'
        command = [BINARY, "run", *options, "--", *words]
        self.process = subprocess.Popen(
            ["/bin/bash", "-c", script, "-", JOB, *command], stdout=subprocess.PIPE
        )
        self.job = int(self.process.stdout.readline())
        expect(self.process.stdout.readline() == b"ready\n", "not ready")
        (self.guard,) = [pid for pid in ours() if leads_its_session(pid)]
        self.run = parent_of(self.guard)
        self.first = self.process.pid

    def start_daemon(self):
        GO.touch()
        self.daemon = int(wait_until(lambda: actor.read_bytes(DAEMON), "the daemon"))
        wait_until(lambda: parent_of(self.daemon) in (1, self.first, self.run), "the adoption")

    def expect_only_helper_ended(self):
        wait_until(lambda: not survivors() and not ours(), "the end of the helper")
        live = actor.is_there(self.job) and actor.is_there(self.daemon)
        expect(live, "an earlier child was ended")


def killed(which):
    entry = Entry(*DEAF)
    entry.start_daemon()
    os.kill(getattr(entry, which), signal.SIGKILL)
    status = entry.process.wait(10)
    expect(status == (-9 if which == "first" else 137), f"{status}")
    expect(which == "first" or not survivors(), "run returned before its helper had ended")
    entry.expect_only_helper_ended()


@case
def daemon_of_an_earlier_child_lives_when_the_guard_is_killed():
    helper.without_cgroups()
    killed("guard")


@case
def daemon_of_an_earlier_child_lives_when_the_guard_in_a_cgroup_is_killed():
    helper.needs_cgroup()
    killed("guard")


@case
def daemon_of_an_earlier_child_lives_when_run_is_killed():
    killed("run")


@case
def daemon_of_an_earlier_child_lives_when_the_first_process_is_killed():
    killed("first")


@case
def what_the_helper_left_ends_though_there_was_an_earlier_child():
    """Also without the mark of `run`: it is below it, which no process can change."""
    helper.without_cgroups()
    script = "setsid env -i /bin/sleep 301 & wait $!"
    daemon = f"(setsid /bin/sh -c '{script}' &); echo ready; exec sleep 302"
    entry = Entry("/bin/sh", "-c", daemon)
    entry.start_daemon()

    def sleepers():
        lines = {pid: actor.read_bytes(f"/proc/{pid}/cmdline") for pid in actor.all_pids()}
        return [pid for pid, line in lines.items() if line == b"/bin/sleep\x00301\x00"]

    wait_until(sleepers, "what has no mark")
    os.kill(entry.guard, signal.SIGKILL)
    entry.process.wait(10)
    expect(not sleepers(), "it was left")
    entry.expect_only_helper_ended()


@case
def signals_pass_once_and_so_does_the_exit_status():
    traps = "trap 'echo told' USR1; trap 'echo end; exit 5' TERM"
    entry = Entry("/bin/sh", "-c", f"{traps}; echo ready; while :; do sleep 0.01; done")
    entry.process.send_signal(signal.SIGUSR1)
    expect(entry.process.stdout.readline() == b"told\n", "not passed on")
    entry.process.send_signal(signal.SIGTERM)
    expect(entry.process.stdout.read() == b"end\n", "passed on twice, or not at all")
    expect(entry.process.wait(10) == 5, f"{entry.process.returncode}")
    expect(actor.is_there(entry.job), "the earlier child")


def state(pid):
    return actor.stat_fields(pid)[0]


@case
def it_stops_and_goes_on_with_the_helper():
    entry = Entry("/bin/sh", "-c", "echo ready; exec sleep 303")
    (inner,) = [pid for pid in survivors() if parent_of(pid) == entry.guard]
    for _ in range(2):
        os.kill(inner, signal.SIGSTOP)
        for pid in (inner, entry.run, entry.first):
            # pylint: disable=cell-var-from-loop
            wait_until(lambda: state(pid) == b"T", f"the stop of {pid}")
        os.kill(inner, signal.SIGCONT)
        for pid in (inner, entry.run, entry.first):
            wait_until(lambda: state(pid) == b"S", f"{pid} to go on")
    os.kill(inner, signal.SIGSTOP)
    wait_until(lambda: state(entry.first) == b"T", "the stop")
    entry.process.send_signal(signal.SIGCONT)
    for pid in (inner, entry.run, entry.first):
        wait_until(lambda: state(pid) == b"S", f"{pid} to go on")
    os.kill(inner, signal.SIGKILL)
    expect(entry.process.wait(10) == 137, f"{entry.process.returncode}")


@case
def helper_ends_with_its_host():
    """The host is the caller of the shell, which became `run`."""
    host = os.fork()
    if host == 0:
        entry = Entry(*DEAF)
        entry.start_daemon()
        pathlib.Path("/mnt/entry").write_text(f"{entry.job} {entry.daemon}")
        signal.pause()
    entry_file = pathlib.Path(f"/proc/{host}/root/mnt/entry")
    job, daemon = map(int, wait_until(lambda: actor.read_bytes(entry_file), "it").split())
    os.kill(host, signal.SIGKILL)
    os.waitpid(host, 0)
    wait_until(lambda: not survivors() and not ours(), "the end of the helper")
    expect(actor.is_there(job) and actor.is_there(daemon), "an earlier child was ended")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        helper.enter_cgroup()
    sandbox.main(__file__, globals())
