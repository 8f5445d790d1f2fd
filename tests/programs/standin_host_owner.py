"""A stand-in for how the one gateway of a user makes itself known: it takes a flock on
host-gateway.lock, and then renames a complete record over host-gateway.json. One that is killed
leaves its record behind.

    standin_host_owner.py FOLDER                  publishes once, and runs until TERM
    standin_host_owner.py FOLDER --race ROUNDS    one owner after the other; see race()
"""
import fcntl
import json
import os
import pathlib
import random
import signal
import sys
import time

LIVED, LOCKED_OUT, LOST = 0, 10, 11


def create_time(pid="self"):
    """As psutil has it."""
    with open("/proc/stat", encoding="ascii") as file:
        boot = next(int(line.split()[1]) for line in file if line.startswith("btime"))
    with open(f"/proc/{pid}/stat", "rb") as file:
        ticks = int(file.read().rpartition(b")")[2].split()[19])
    return boot + ticks / os.sysconf("SC_CLK_TCK")


def record(pid, start, role="gateway", **more):
    return json.dumps(
        {
            "role": role,
            "home": "/h",
            "pid": pid,
            "createTime": start,
            "host": "",
            "port": None,
            "protocolVersion": 1,
            "tokenFingerprint": "",
            "profiles": ["default"],
            "updatedAt": "2026-11-19T00:00:00+00:00",
            **more,
        }
    )


class Owner:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.file = self.folder / "host-gateway.json"

    def publish(self):
        self.lock = open(self.folder / "host-gateway.lock", "a+", encoding="utf-8")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return LOCKED_OUT
        self.said = record(os.getpid(), create_time())
        new = self.file.with_name(f"tmp-{os.getpid()}")
        new.write_text(self.said)
        os.replace(new, self.file)
        return LIVED

    def is_known(self):
        try:
            return self.file.read_text() == self.said
        except OSError:
            return False


def live(folder, looks, ends_badly):
    """One owner in a process of its own: it looks at its record all its life, and ends."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    owner = Owner(folder)
    result = owner.publish()
    if result == LIVED:
        if not all(owner.is_known() for _look in range(looks)):
            os._exit(LOST)
        if ends_badly:
            signal.pidfd_send_signal(os.pidfd_open(os.getpid()), signal.SIGKILL)
        owner.file.unlink()
    os._exit(result)


def race(folder, rounds):
    """Counts how owners fared. cleaned: the record of a killed one was gone before the next one
    came, which it does at any moment that a cleaner may be at work."""
    counts = {"lived": 0, "killed": 0, "locked_out": 0, "lost": 0, "cleaned": 0}
    killed, moments = False, random.Random(7)
    for number in range(rounds):
        if killed:
            time.sleep(moments.uniform(0, 0.06))
        counts["cleaned"] += killed and not os.path.lexists(
            pathlib.Path(folder) / "host-gateway.json"
        )
        result = live(folder, looks=200, ends_badly=number % 2 == 0)
        killed = result == -signal.SIGKILL
        name = {LIVED: "lived", LOCKED_OUT: "locked_out", LOST: "lost"}.get(result, "killed")
        counts[name] += 1
    return counts


def main():
    if sys.argv[2:3] == ["--race"]:
        print(json.dumps(race(sys.argv[1], int(sys.argv[3]))))
        return
    owner = Owner(sys.argv[1])
    owner.publish()  # and keeps its lock
    print(flush=True)
    signal.sigwait([signal.SIGTERM])


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    main()
