"""A host that starts one helper through `run`, and what can be seen of the processes between
them."""
import os
import signal
import subprocess

from . import actor, sandbox
from .actor import wait_until

BINARY = os.environ.get("ORPHAN_REAPER", "")
TREE = 6  # processes of programs/stubborn_tree.py


def survivors():
    """Every process that carries the mark of `run`."""
    return [
        pid
        for pid in actor.all_pids()
        if b"\0ORPHAN_REAPER=v1:" in b"\0" + actor.read_bytes(f"/proc/{pid}/environ")
    ]


def children_of(parent):
    return [
        pid for pid in actor.all_pids() if actor.stat_fields(pid)[1:2] == [str(parent).encode()]
    ]


def without_cgroups():
    """No hierarchy can be found in this mount namespace any more."""
    sandbox.mount("tmpfs", "/sys/fs/cgroup", "tmpfs", data="mode=755")


def enter_cgroup():
    """So that what `run` makes lies below a cgroup that the sandbox removes."""
    for folder in sandbox.make_cgroup("run"):
        if os.path.exists(folder + "/cgroup.kill"):
            with open(folder + "/cgroup.procs", "w") as file:
                file.write(str(os.getpid()))


def needs_cgroup():
    if os.environ["REAPER_TEST_CGROUP"].encode() not in actor.read_bytes("/proc/self/cgroup"):
        raise sandbox.Skip("no cgroup of version 2 can be made here")


def ours():
    """Processes of `run` that have not ended."""
    return [
        pid
        for pid in actor.all_pids()
        if actor.read_bytes(f"/proc/{pid}/cmdline").startswith(f"{BINARY}\0run\0".encode())
    ]


class Host:
    """A process of its own, which can be killed; the helper's stdout and stderr come here."""

    def __init__(self, *words, options=(), new_session=False, leads=True, uid=0, before=()):
        out, helpers_out = os.pipe()
        err, helpers_err = os.pipe()
        told, tell = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            if leads:
                os.setsid()
            if uid:
                os.setgroups([])
                os.setresgid(uid, uid, uid)
                os.setresuid(uid, uid, uid)
                # PR_SET_DUMPABLE, as a program that was started by that user.
                sandbox.libc.prctl(4, 1, 0, 0, 0)
            command = [
                *map(str, before),
                BINARY,
                "run",
                "--verbose",
                *options,
                "--",
                *map(str, words),
            ]
            run = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=helpers_out,
                stderr=helpers_err,
                start_new_session=new_session,
                cwd="/",
            )
            os.write(tell, str(run.pid).encode())
            while True:
                signal.pause()
        for fd in (helpers_out, helpers_err, tell):
            os.close(fd)
        self.out, self.err = os.fdopen(out, "rb"), os.fdopen(err, "rb")
        self.run = int(os.read(told, 20))
        os.close(told)
        self.handle = os.pidfd_open(self.pid)
        self.run_handle = os.pidfd_open(self.run)
        self.said = self.err.readline().decode()
        sandbox.expect(" ends with pid " in self.said, self.said)
        self.helper = int(self.said.split()[2])
        (self.guard,) = children_of(self.run)
        self.guard_handle = os.pidfd_open(self.guard)

    def meet_tree(self):
        sandbox.expect(self.out.readline() == b"ready\n", "the tree did not grow")
        # The middle of a double fork may still be on its way out.
        wait_until(lambda: len(survivors()) == TREE, f"{TREE} processes: {survivors()}", 10)

    def kill(self, handle=None):
        """As `kill -9` does; the host, when no other process is named."""
        signal.pidfd_send_signal(self.handle if handle is None else handle, signal.SIGKILL)

    def expect_gone(self, seconds=10):
        """No process of the helper is left, and none of ours."""
        wait_until(lambda: not survivors(), f"the end of {survivors()}", seconds)
        for pid, name in ((self.guard, "the guard"), (self.run, "run")):
            # pylint: disable=cell-var-from-loop
            wait_until(lambda: not actor.is_there(pid), f"the end of {name}", 2)
        wait_until(lambda: not ours(), f"the end of every process of run {self.run}", 2)
