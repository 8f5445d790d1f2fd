"""A process of a scene, known by its name and held by a handle of our own."""
import os
import select
import signal
import time


def read_bytes(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def link_of(path):
    """What it leads to; empty: that cannot be seen."""
    try:
        return os.readlink(path)
    except OSError:
        return ""


def stat_fields(pid):
    return read_bytes(f"/proc/{pid}/stat").rpartition(b")")[2].split()


def is_there(pid):
    """And not just a zombie."""
    return stat_fields(pid)[:1] not in ([], [b"Z"])


def parent_of(pid):
    return int(stat_fields(pid)[1])


def started_epoch(pid):
    """As psutil has it."""
    uptime = float(read_bytes("/proc/uptime").split()[0])
    return time.time() - uptime + int(stat_fields(pid)[19]) / os.sysconf("SC_CLK_TCK")


def all_pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def named(name):
    """Pids whose environment says that they are `name`."""
    mark = b"\0STANDIN_NAME=" + name.encode() + b"\0"
    return [pid for pid in all_pids() if mark in b"\0" + read_bytes(f"/proc/{pid}/environ")]


def wait_until(condition, what, seconds=15.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError(f"waited {seconds} s for {what}")


class Actor:
    def __init__(self, name, pid, run):
        self.name, self.pid, self.run = name, pid, run
        self.handle = os.pidfd_open(pid)
        self.start = stat_fields(pid)[19]

    def alive(self):
        """Not ended, and still the process that it was; a zombie has ended."""
        poller = select.poll()
        poller.register(self.handle, select.POLLIN)
        return not poller.poll(0) and stat_fields(self.pid)[19:20] == [self.start]

    def beats(self):
        """Whether it does its work, not only exists."""
        beat = self.run / f"{self.name}.beat"
        before = read_bytes(beat)
        end = time.monotonic() + 5
        while time.monotonic() < end:
            if read_bytes(beat) not in (b"", before):
                return True
            time.sleep(0.02)
        return False

    def signals(self):
        return read_bytes(self.run / f"{self.name}.signals").decode().split()

    def state(self):
        return stat_fields(self.pid)[0].decode()

    def wait_ended(self, seconds=10.0):
        poller = select.poll()
        poller.register(self.handle, select.POLLIN)
        return bool(poller.poll(seconds * 1000))

    def send(self, number):
        signal.pidfd_send_signal(self.handle, number)
