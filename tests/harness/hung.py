"""File systems that stop answering."""
import os
import subprocess

from . import sandbox
from .actor import read_bytes, stat_fields, all_pids
from .sandbox import PYTHON, Skip, expect


class HungMount:
    """`folder` is shown on `place` by programs/hung_fuse.py."""

    def __init__(self, folder, place):
        if not os.path.exists("/dev/fuse"):
            raise Skip("there is no /dev/fuse")
        place.mkdir(parents=True, exist_ok=True)
        self.place = place
        self.server = subprocess.Popen(
            [PYTHON, "-B", str(sandbox.PROGRAMS / "hung_fuse.py"), str(folder), str(place)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        expect(self.server.stdout.readline() == "ready\n", f"{place} is not mounted")

    def say(self, word):
        self.server.stdin.write(word + "\n")
        self.server.stdin.flush()
        expect(self.server.stdout.readline() == "ok\n", f"{self.place} does not obey")

    def hang(self):
        self.say("hang")

    def go(self):
        self.say("go")


def copies_of(binary):
    """Processes of this program that wait for a file system."""
    name = os.path.basename(str(binary)).encode()[:15]
    return [
        pid
        for pid in all_pids()
        if read_bytes(f"/proc/{pid}/comm").strip() == name and stat_fields(pid)[:1] == [b"D"]
    ]
