"""Processes of other users that take the lock of a sweep."""
import os
import signal
import subprocess
import time

from . import layout
from .sandbox import PYTHON, Skip


class Stranger:
    """A process of another user, and all that it starts, which does `body`, and then sleeps."""

    def __init__(self, body):
        code = f"{body}\nprint(flush=True)\nimport time\ntime.sleep(60)"
        self.process = subprocess.Popen(
            [PYTHON, "-c", code],
            user=layout.OTHER_UID,
            group=layout.OTHER_UID,
            extra_groups=[],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        if not self.process.stdout.read(1):
            raise Skip("the stranger could not do it here")

    @property
    def pid(self):
        return self.process.pid

    def leave(self):
        os.killpg(self.pid, signal.SIGKILL)
        self.process.wait()


def lock_home(home, kind="LOCK_EX"):
    return Stranger(
        f"import fcntl, os\nfcntl.flock(os.open({str(home)!r}, os.O_RDONLY), fcntl.{kind})"
    )


def lock_home_and_go(home):
    """The process that took it is gone, and another one has it."""
    stranger = Stranger(
        f"import os\nif os.fork(): os._exit(0)\nimport fcntl\n"
        f"f = os.open({str(home)!r}, os.O_RDONLY)\n"
        "fcntl.flock(f, fcntl.LOCK_EX)\nif os.fork(): os._exit(print(flush=True) or 0)"
    )
    stranger.process.wait()
    return stranger


def lock_home_by_setuid(home):
    """Root, by its looks: su, which waits for a password."""
    stranger = Stranger(
        f"import fcntl, os, time\nf = os.open({str(home)!r}, os.O_RDONLY)\n"
        f"fcntl.flock(f, fcntl.LOCK_EX)\nos.set_inheritable(f, True)\n"
        "r, w = os.pipe()\nos.dup2(r, 0)\nos.set_inheritable(w, True)\nprint(flush=True)\n"
        "os.execv('/bin/su', ['su', '-c', 'true'])"
    )
    time.sleep(0.3)
    return stranger


def lock_twin(path, folder):
    """A file of its own in `folder`, of another file system, with the inode number of `path`."""
    wanted = path.stat().st_ino
    return Stranger(
        f"import fcntl, os\nos.sched_setaffinity(0, [min(os.sched_getaffinity(0))])\n"
        f"for _ in range(400000):\n    f = os.open('{folder}/x', os.O_RDWR | os.O_CREAT, 0o600)\n"
        f"    if os.fstat(f).st_ino == {wanted}: break\n    os.close(f)\n"
        f"    os.unlink('{folder}/x')\nelse: raise SystemExit\nfcntl.flock(f, fcntl.LOCK_EX)"
    )
