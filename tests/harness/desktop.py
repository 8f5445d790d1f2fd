"""A session bus of a user, with or without a desktop that shows notifications."""
import json
import os
import shutil
import subprocess

from . import sandbox
from .actor import wait_until
from .sandbox import PROGRAMS, PYTHON

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"


class Desktop:
    """A session bus of the user, and on it what shows notifications, if wanted."""

    def __init__(self, stage, shows=True):
        self.stage = stage
        for program in ("dbus-daemon", "busctl"):
            if not shutil.which(program):
                raise sandbox.Skip(f"needs {program}")
        imports = subprocess.run([PYTHON, "-c", "import dbus, gi"], capture_output=True)
        if imports.returncode != 0:
            raise sandbox.Skip("needs python3-dbus and python3-gi")
        self.runtime = stage.layout.base / "runtime"
        self.runtime.mkdir(mode=0o700)
        os.chown(self.runtime, stage.uid, stage.uid)
        self.file = self.runtime / "told"
        self.address = f"unix:path={self.runtime}/bus"
        self.bus = self.start("dbus-daemon", "--session", "--nofork", f"--address={self.address}")
        wait_until((self.runtime / "bus").exists, "the bus")
        if shows:
            self.daemon = self.start(PYTHON, "-B", PROGRAMS / "notification_daemon.py", self.file)
            wait_until(self.owns_the_name, "what shows notifications")

    def start(self, *argv, env=None):
        return subprocess.Popen(
            [str(word) for word in argv],
            stdin=subprocess.DEVNULL,
            user=self.stage.uid,
            group=self.stage.uid,
            extra_groups=[],
            cwd="/",
            stderr=subprocess.DEVNULL,
            env={**self.environment(), "PATH": "/usr/bin:/bin", **(env or {})},
        )

    def busctl(self, *arguments):
        return subprocess.run(
            ["busctl", "--user", *arguments],
            capture_output=True,
            text=True,
            user=self.stage.uid,
            group=self.stage.uid,
            extra_groups=[],
            env={**self.environment(), "PATH": "/usr/bin:/bin"},
        )

    def owns_the_name(self):
        return NAME in self.busctl("list", "--acquired", "--no-pager").stdout

    def told(self):
        lines = self.file.read_text().splitlines() if self.file.exists() else []
        return [json.loads(line) for line in lines]

    def environment(self):
        return {"DBUS_SESSION_BUS_ADDRESS": self.address}

    def methods(self):
        """Of its interface: name -> signatures of what it takes and gives back."""
        shown = self.busctl("introspect", "--no-pager", "--no-legend", NAME, PATH, NAME)
        lines = [line.split() for line in shown.stdout.splitlines()]
        return {line[0]: line[2:4] for line in lines if line[1:2] == ["method"]}
