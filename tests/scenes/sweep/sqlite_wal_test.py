"""A process that works on its database is waited for; one that only holds a lock is not. With a
real WAL of more than 600 MB."""
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from harness import sandbox
from harness.actor import read_bytes, wait_until
from harness.layout import own_below, put
from harness.sandbox import PYTHON, case, expect
from harness.stage import Stage

WAL_BYTES = 620 * 1024 * 1024
MIB = 1024 * 1024


def make_wal(folder):
    """A database whose whole content is still in its WAL, as a killed process leaves it."""
    code = f"""
import os, sqlite3
connection = sqlite3.connect({str(folder / "memos.db")!r}, isolation_level=None)
for pragma in ("journal_mode=WAL", "wal_autocheckpoint=0", "synchronous=OFF"):
    connection.execute("PRAGMA " + pragma)
connection.execute("CREATE TABLE t(b)")
for _ in range({WAL_BYTES // MIB}):
    connection.execute("INSERT INTO t VALUES(?)", (os.urandom({MIB}),))
os._exit(0)
"""
    subprocess.run([PYTHON, "-c", code], check=True)
    (folder / "memos.db-shm").unlink()


def wal_size(folder):
    wal = folder / "memos.db-wal"
    return wal.stat().st_size if wal.exists() else 0


def write_locks(pid):
    """Ranges that it holds a write lock on, from outside, as safety.md F25 has it."""
    found = []
    for number in os.listdir(f"/proc/{pid}/fdinfo"):
        for line in read_bytes(f"/proc/{pid}/fdinfo/{number}").decode().splitlines():
            if line.startswith("lock:") and " WRITE " in line:
                found.append(tuple(line.split()[-2:]))
    return found


class Scene:
    def __init__(self, mode, copy=True):
        self.stage = Stage()
        self.folder = pathlib.Path(os.environ["REAPER_SCRATCH"]) / f"{mode}-{time.monotonic_ns()}"
        self.folder.mkdir()
        if copy:
            for name in ("memos.db", "memos.db-wal"):
                subprocess.run(
                    ["cp", "--reflink=auto", self.folder.parent / name, self.folder / name],
                    check=True,
                )
        else:
            with sqlite3.connect(self.folder / "memos.db") as connection:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("CREATE TABLE t(b)")
            connection.close()
        own_below(self.folder, self.stage.uid)
        os.sync()  # so that no copy of ours is still on its way to the disk
        body = self.stage.layout.lib / "standin_database.py"
        put(self.stage.layout.hermes / "tui_gateway/slash_worker.py", body.read_text())
        self.stage.orphans(
            [self.stage.worker("holder", database=str(self.folder / "memos.db"), mode=mode)]
        )
        self.holder = self.stage.actors["holder"]

    def sweep(self, grace="500ms", cap="120s"):
        began = time.monotonic()
        result = self.stage.reaper(
            "sweep",
            "--json",
            "--min-age",
            "1ms",
            "--settle",
            "1ms",
            "--grace",
            grace,
            "--grace-cap",
            cap,
            timeout=100,
        )
        self.seconds = time.monotonic() - began
        outcome = result.outcome(self.holder.pid)
        expect(outcome, result.explain())
        left = wal_size(self.folder) // MIB
        print(
            f"     {outcome['result']} after {outcome['took_ms']:.0f} ms, WAL {left} MB left",
            flush=True,
        )
        return outcome

    def clean(self):
        shutil.rmtree(self.folder)


def is_whole(folder):
    with sqlite3.connect(folder / "memos.db") as connection:
        rows = connection.execute("SELECT count(*) FROM t").fetchone()[0]
    connection.close()
    return rows == WAL_BYTES // MIB


@case(timeout=150)
def recovery_is_waited_for():
    scene = Scene("recover")
    wait_until(lambda: write_locks(scene.holder.pid), "the recovery")
    outcome = scene.sweep(grace="200ms")
    expect(outcome["result"] == "ended_on_term", str(outcome))
    expect(outcome["took_ms"] > 200, f"it ended within its grace, so this shows nothing: {outcome}")
    expect(
        wal_size(scene.folder) == 0 and is_whole(scene.folder),
        f"WAL of {wal_size(scene.folder)} bytes left",
    )
    scene.clean()


@case(timeout=150)
def closing_checkpoint_is_waited_for():
    scene = Scene("close")
    outcome = scene.sweep(grace="200ms")
    expect(outcome["result"] == "ended_on_term", str(outcome))
    expect(outcome["took_ms"] > 200, f"it ended within its grace, so this shows nothing: {outcome}")
    expect(
        wal_size(scene.folder) == 0 and is_whole(scene.folder),
        f"WAL of {wal_size(scene.folder)} bytes left",
    )
    scene.clean()


@case(timeout=150)
def control_a_fixed_grace_leaves_the_wal():
    """What the two cases above save: the same moment, but TERM, 0.2 s, KILL."""
    scene = Scene("recover")
    wait_until(lambda: write_locks(scene.holder.pid), "the recovery")
    scene.holder.send(signal.SIGTERM)
    time.sleep(0.2)
    scene.holder.send(signal.SIGKILL)
    expect(scene.holder.wait_ended(), "it died")
    expect(
        wal_size(scene.folder) >= 600 * 1000 * 1000, f"WAL of {wal_size(scene.folder)} bytes left"
    )
    scene.clean()


@case
def stuck_lock_of_an_idle_process_is_not_waited_for():
    scene = Scene("idle", copy=False)
    expect(write_locks(scene.holder.pid), "the scene: no write lock is held")
    outcome = scene.sweep(grace="500ms", cap="60s")
    expect(outcome["result"] == "ended_on_kill", str(outcome))
    expect(500 <= outcome["took_ms"] < 4000, f"grace and a look or two: {outcome}")
    scene.clean()


@case
def stuck_lock_of_a_busy_process_hits_the_cap():
    scene = Scene("busy", copy=False)
    expect(write_locks(scene.holder.pid), "the scene: no write lock is held")
    outcome = scene.sweep(grace="500ms", cap="3s")
    expect(outcome["result"] == "ended_on_kill", str(outcome))
    expect(2900 <= outcome["took_ms"] < 4500, f"the cap is 3 s: {outcome}")
    scene.clean()


def main():
    if sys.argv[1:2] in (["--inside"], ["--list"]) or sandbox.missing_here():
        return sandbox.main(__file__, globals())
    with tempfile.TemporaryDirectory(prefix="reaper-wal-") as scratch:
        if shutil.disk_usage(scratch).free < 4 * WAL_BYTES:
            print(f"SKIP everything: needs {4 * WAL_BYTES // MIB} MB of free space in {scratch}")
            sys.exit(sandbox.SKIP)
        os.chmod(scratch, 0o755)
        os.environ["REAPER_SCRATCH"] = scratch
        make_wal(pathlib.Path(scratch))
        sandbox.main(__file__, globals())


if __name__ == "__main__":
    main()
