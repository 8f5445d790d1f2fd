"""Whoever else takes the locks of a sweep."""
import subprocess

from . import layout
from .sandbox import PYTHON


class Stranger:
    """A process of another user that does `body`, and then sleeps."""

    def __init__(self, body):
        code = f"{body}\nprint(flush=True)\nimport time\ntime.sleep(60)"
        self.process = subprocess.Popen([PYTHON, "-c", code], user=layout.OTHER_UID, group=layout.OTHER_UID, extra_groups=[],
                                        stdout=subprocess.PIPE)
        self.process.stdout.read(1)

    @property
    def pid(self):
        return self.process.pid

    def leave(self):
        self.process.kill()
        self.process.wait()


def lock_home(home, kind="LOCK_EX"):
    return Stranger(f"import fcntl, os\nfcntl.flock(os.open({str(home)!r}, os.O_RDONLY), fcntl.{kind})")


def take_name(uid, answers=True):
    listen = "s.listen()" if answers else ""
    return Stranger(f"import socket\ns = socket.socket(socket.AF_UNIX)\ns.bind('\\0orphan-reaper/sweep/{uid}')\n{listen}")
