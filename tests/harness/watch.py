"""A running `watch`, as its service manager sees it; and hosts by the dozen for it to watch."""
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time

from .actor import is_there, read_bytes, wait_until
from .product import environment
from .sandbox import PYTHON, expect


def history(stage):
    path = stage.layout.home / ".local/state/orphan-reaper/history.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def signals_to(stage, pid):
    return [
        one["signal"] for one in history(stage) if one["event"] == "signal" and one["pid"] == pid
    ]


class Watch:
    def __init__(self, stage, *arguments, uid=None, env=None, before=(), ready=True):
        self.path = stage.run / f"notify-{time.monotonic_ns()}"
        self.log_path = stage.run / f"watch-{time.monotonic_ns()}.log"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(self.path))
        self.path.chmod(0o666)
        self.socket.setblocking(False)
        self.messages = []
        uid = stage.uid if uid is None else uid
        with open(self.log_path, "w") as log:
            self.process = subprocess.Popen(
                [*before, str(stage.layout.binary), "watch", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env=environment(
                    stage.layout.home, {"NOTIFY_SOCKET": str(self.path), **(env or {})}
                ),
                user=uid,
                group=uid,
                extra_groups=[],
            )
        if ready:
            self.wait_told("READY=1")

    @property
    def pid(self):
        return self.process.pid

    def told(self):
        try:
            while True:
                self.messages.append(self.socket.recv(4096).decode())
        except BlockingIOError:
            return self.messages

    def log(self):
        return self.log_path.read_text(errors="replace")

    def wait_told(self, text, seconds=15.0):
        try:
            wait_until(
                lambda: any(text in message for message in self.told()), f"'{text}'", seconds
            )
        except AssertionError as error:
            raise AssertionError(f"{error}: {self.messages[-5:]} {self.log()[-2000:]}") from None

    def wait_logged(self, text, seconds=15.0):
        try:
            wait_until(lambda: text in self.log(), f"'{text}'", seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}: {self.log()[-2000:]}") from None

    def status(self):
        """The last one that was told."""
        return ([message[7:] for message in self.told() if message.startswith("STATUS=")] or [""])[
            -1
        ]

    def send(self, number):
        self.process.send_signal(number)

    def stop(self, status=0, number=signal.SIGTERM):
        self.send(number)
        ended = self.process.wait(timeout=10)
        expect(ended == status, f"watch ended with {ended}, wanted {status}: {self.log()[-2000:]}")

    def rest(self):
        """Times that it gave the processor away, and was given it."""
        fields = dict(
            line.split(":", 1)
            for line in read_bytes(f"/proc/{self.pid}/status").decode().splitlines()
        )
        return (
            int(fields["voluntary_ctxt_switches"]),
            int(fields["nonvoluntary_ctxt_switches"]),
            int(read_bytes(f"/proc/{self.pid}/schedstat").split()[2]),
        )

    def resident_kb(self):
        fields = dict(
            line.split(":", 1)
            for line in read_bytes(f"/proc/{self.pid}/status").decode().splitlines()
        )
        return int(fields["VmRSS"].split()[0])


class ManyHosts:
    """Each a process of its own with one slash_worker that costs nothing."""

    def __init__(self, stage, count, before=()):
        worker = stage.layout.base / "bin/python3"
        if not worker.exists():
            shutil.copy2(os.environ["REAPER_IDLE"], worker)
        self.folder = stage.run / f"hosts-{time.monotonic_ns()}"
        self.folder.mkdir()
        os.chown(self.folder, stage.uid, stage.uid)
        self.process = subprocess.Popen(
            [
                *before,
                PYTHON,
                "-B",
                str(stage.layout.lib / "many_hosts.py"),
                str(self.folder),
                str(count),
                str(worker),
                "-m",
                "tui_gateway.slash_worker",
                "--session-key",
                "s{n}",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            cwd=stage.layout.hermes,
            env=environment(stage.layout.home),
            user=stage.uid,
            group=stage.uid,
            extra_groups=[],
            start_new_session=True,
            text=True,
            bufsize=1,
        )
        wait_until((self.folder / "ready").exists, "the hosts", 60)
        self.known = []
        self.lines = open(self.folder / "ready")

    def pairs(self):
        """Host and helper, in the order in which they were started."""
        self.read_more()
        return list(self.known)

    def read_more(self):
        self.known += [tuple(map(int, line.split())) for line in self.lines]
        return len(self.known)

    def end(self):
        """All of them, and their helpers, which nothing watches any more."""
        self.process.kill()
        for pids in self.pairs():
            for pid in filter(is_there, pids):
                with contextlib.suppress(ProcessLookupError):  # a helper may end with its host
                    os.kill(pid, signal.SIGKILL)
        wait_until(
            lambda: not any(is_there(pid) for pids in self.pairs() for pid in pids),
            "the end of the hosts",
            30,
        )

    def start(self, number):
        before = self.read_more()
        self.process.stdin.write(f"{number}\n")
        wait_until(lambda: self.read_more() > before, "another host")
        return self.known[-1]
