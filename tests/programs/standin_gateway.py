"""A stand-in for how a Hermes gateway claims its home: it sees what runs, takes a flock on
gateway.lock, then makes gateway.pid with O_CREAT|O_EXCL; where the file is there it gives up. On a
clean end it releases the lock and then removes the file, if it is its own.

    standin_gateway.py HOME                     start once, run until TERM
    standin_gateway.py HOME --race ...          see race()
"""
import fcntl
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

LIVED, LOCK_HELD, FILE_EXISTS, LOST = 0, 10, 11, 12


def start_ticks(pid="self"):
    with open(f"/proc/{pid}/stat", "rb") as file:
        return int(file.read().rpartition(b")")[2].split()[19])


class Gateway:
    def __init__(self, home):
        self.home = pathlib.Path(home)
        self.pid_file, self.lock_file = self.home / "gateway.pid", self.home / "gateway.lock"

    def record(self):
        return json.dumps(
            {
                "pid": os.getpid(),
                "kind": "hermes-gateway",
                "argv": sys.argv,
                "start_time": start_ticks(),
                "hermes_home": str(self.home),
                "token": time.monotonic_ns(),
            }
        )

    def start(self):
        self.lock = open(self.lock_file, "a+", encoding="utf-8")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return LOCK_HELD
        record = self.record()
        self.lock.seek(0)
        self.lock.truncate()
        self.lock.write(record)
        self.lock.flush()
        try:
            file = os.open(self.pid_file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
        except FileExistsError:
            self.lock.close()
            return FILE_EXISTS
        with os.fdopen(file, "w") as out:
            out.write(record)
        self.said, self.inode = record, os.stat(self.pid_file).st_ino
        return LIVED

    def has_file(self):
        try:
            return (
                os.stat(self.pid_file).st_ino == self.inode
                and self.pid_file.read_text() == self.said
            )
        except OSError:
            return False

    def stop(self):
        self.lock.close()
        try:
            if json.loads(self.pid_file.read_text())["pid"] == os.getpid():
                self.pid_file.unlink()
        except (OSError, ValueError):
            pass


def live(home, looks, ends_badly):
    """One gateway in a process of its own: it looks at its file all its life, and ends."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    gateway = Gateway(home)
    result = gateway.start()
    if result == LIVED:
        if not all(gateway.has_file() for _look in range(looks)):
            os._exit(LOST)
        if ends_badly:
            signal.pidfd_send_signal(os.pidfd_open(os.getpid()), signal.SIGKILL)
        gateway.stop()
    os._exit(result)


def said(home):
    try:
        return (pathlib.Path(home) / "gateway.pid").read_text()
    except OSError:
        return None


def race(home, rounds, clean, alone, looks=20, kill_every=8):
    """Starts one gateway after the other; some are killed, and some look longer than others. One
    that is blocked lets the cleaner run once, and starts again. Alone: no other starter has this
    home, so the same file must not block it twice, and nothing but a cleaner can have the lock."""
    counts = {
        "rounds": 0,
        "lived": 0,
        "killed": 0,
        "blocked": 0,
        "locked_out": 0,
        "lost": 0,
        "blocked_twice": 0,
    }
    number, blocker, tries = 0, None, 0
    while counts["rounds"] < rounds:
        number += 1
        before = said(home)
        result = live(
            home, looks * (10 if number % 10 == 0 else 1), ends_badly=number % kill_every == 0
        )
        counts["rounds"] += 1
        if result == LOST:
            counts["lost"] += 1
        elif result in (LOCK_HELD, FILE_EXISTS):
            counts["locked_out" if result == LOCK_HELD else "blocked"] += 1
            if result == FILE_EXISTS and alone and before is not None and before == blocker:
                counts["blocked_twice"] += 1
            if result == FILE_EXISTS:
                blocker = before
            tries += 1
            if clean and (alone or tries % 4 == 0):
                subprocess.run(
                    clean, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
                )
            continue
        counts["killed" if result == -signal.SIGKILL else "lived"] += 1
    return counts


def main():
    home = sys.argv[1]
    if sys.argv[2:3] == ["--race"]:
        wish = json.loads(sys.argv[3])
        print(json.dumps(race(home, **wish)))
        return 0
    gateway = Gateway(home)
    result = gateway.start()
    if result != LIVED:
        print(
            "PID file race lost to another gateway instance"
            if result == FILE_EXISTS
            else "the lock is held",
            file=sys.stderr,
        )
        return 1
    (gateway.home / "ready").write_text(str(os.getpid()))
    signal.sigwait([signal.SIGTERM])
    gateway.stop()
    return 0


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    sys.exit(main())
