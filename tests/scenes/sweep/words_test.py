"""What the program says to people, in scenes where it once said something wrong."""
import json
import os
import socket
import subprocess
import time

from harness import layout, sandbox
from harness.actor import stat_fields, wait_until
from harness.layout import put
from harness.sandbox import PYTHON, case, expect
from harness.stage import Stage

# A helper of python's whose main thread has ended, while another one works on.
HEADLESS = """
import ctypes, sys, threading
threading.Thread(target=sys.stdin.read).start()
ctypes.CDLL(None).pthread_exit(None)
"""


@case
def a_main_thread_that_ended_while_others_work_is_not_called_dead():
    stage = Stage()
    child = stage.child("headless", [PYTHON, "-c", HEADLESS], stage.layout.hermes)
    host = stage.start_host("gateway", [child], lost=["headless"])
    pid = wait_until(
        lambda: [
            int(name)
            for name in os.listdir("/proc")
            if name.isdigit() and stat_fields(int(name))[1] == str(host.pid).encode()
        ],
        "the helper",
    )[0]
    wait_until(
        lambda: stat_fields(pid)[0] == b"Z" and int(stat_fields(pid)[17]) > 1,
        "its main thread to end",
    )
    report = stage.report()
    one = report.process(pid)
    expect(one and (one["verdict"], one["action"]) == ("unknown", "report"), report.explain())
    expect(report.status == 4, f"what it is cannot be seen: {report.explain()}")
    for words in (
        ["report"],
        ["explain", str(pid)],
        ["sweep", "--settle", "0s", "--min-age", "0s"],
    ):
        told = stage.reaper(*words).out
        expect("its main thread has ended and others work on" in told and "dead" not in told, told)
    expect(os.path.exists(f"/proc/{pid}"), "it was ended")


@case
def one_word_turns_a_sweep_into_a_report():
    stage = Stage()
    stage.orphans([stage.bridge("leaked")])
    line = [
        "--min-age",
        "0s",
        "--settle",
        "0s",
        "--no-history",
        "--grace",
        "1s",
        "--max-kills",
        "3",
        "--lock-wait",
        "0s",
    ]
    for words in (["report", *line], line, ["report", *line, "--dry-run"]):
        report = stage.reaper(*words)
        expect(
            report.status == 1 and not report.err and report.out.startswith("1 leaked helper"),
            report.explain(),
        )
    stage.expect_alive(["leaked"])
    swept = stage.reaper("sweep", *line)
    expect(swept.status == 0, swept.explain())
    stage.expect_ended(["leaked"])


@case
def what_is_merely_too_young_is_told():
    stage = Stage()
    stage.orphans([stage.bridge("leaked")])
    stage.start_host(
        "gateway", [stage.bridge("attached"), stage.bridge("abandoned", stdio="abandoned")]
    )
    for command in (["report"], ["sweep", "--settle", "1ms"]):
        result = stage.reaper(*command)
        expect(
            result.status == 0
            and result.out.startswith("nothing leaked; 2 helpers are too young to be judged\n"),
            result.explain(),
        )
    stage.expect_alive(["leaked", "gateway", "attached", "abandoned"])


@case
def why_it_is_abandoned_is_told():
    stage = Stage()
    stage.start_host("gateway", [stage.bridge("abandoned", stdio="abandoned")])
    why = " is alive, but no process holds the other end of its stdin or stdout"
    for command in (["report"], ["sweep", "--dry-run", "--settle", "0s", "--reap", "abandoned"]):
        result = stage.reaper(*command, "--min-age", "0s")
        expect(
            why in " ".join(result.out.split()) and "no evidence" not in result.out,
            result.explain(),
        )
        expect(" --min-age 0s" in result.out, result.out)


@case
def a_quiet_cleaning_says_what_it_could_not_look_at():
    stage = Stage()
    folder = stage.layout.home / ".hermes/profiles/closed"
    put(folder / "gateway.pid", json.dumps({"pid": 4_000_000}))
    os.chown(folder, 0, 0)
    folder.chmod(0o700)
    result = stage.reaper("pidfiles", "--clean", "-q")
    expect(
        result.status == 4 and str(folder) in result.out and result.out.count("\n") == 1,
        result.explain(),
    )


@case
def an_update_that_may_not_begin_is_said_not_to_have_begun():
    stage = Stage()
    hermes = [PYTHON, "-B", "-m", "hermes_cli.main"]
    put(stage.layout.hermes / "venv/pyvenv.cfg", "home = /usr/bin\n")
    for name in ("one", "two"):
        stage.start_host(name, [], kind=[*hermes, "gateway", "run"])
    command = ["--settle", "0s", "--", "/usr/bin/touch", str(stage.run / "updated")]
    for quiet in ([], ["-q"], ["--dry-run"]):
        result = stage.reaper("preflight", *quiet, *command)
        expect(
            result.status == 6 and "the command was not started" in result.out.splitlines()[0],
            result.explain(),
        )
        expect(quiet == ["-q"] or "hermes_cli.main gateway run\n" in result.out, result.out)
    unwritten = stage.reaper("preflight", "-o", "/proc/none/report", *command)
    expect(
        unwritten.status == 4 and unwritten.err.endswith("the command was not started\n"),
        unwritten.explain(),
    )
    expect(not (stage.run / "updated").exists(), "the command was started")


@case
def a_full_disk_is_called_that():
    stage = Stage()
    full = stage.run / "full"
    full.mkdir()
    sandbox.mount("tmpfs", full, "tmpfs", data=f"size=4k,nr_inodes=3,mode=1777,uid={stage.uid}")
    (full / "filler").write_bytes(b"x" * 4096)
    for place in ("/dev/full", str(full / "report")):
        for words in (
            ["report", "--facts", place],
            ["report", "-o", place],
            ["history", "-o", place],
        ):
            result = stage.reaper(*words)
            expect(
                result.status == 4 and "No space left on device" in result.err,
                f"{words}: {result.explain()}",
            )
    (full / "last").write_bytes(b"")
    for words in (
        ["report", "--facts", str(full / "report")],
        ["report", "-o", str(full / "report")],
    ):
        result = stage.reaper(*words)
        expect(
            result.status == 4 and "No space left on device" in result.err,
            f"{words}: {result.explain()}",
        )
    stage.orphans([stage.bridge("leaked")])
    swept = stage.reaper(
        "sweep", "--min-age", "0s", "--settle", "0s", env={"XDG_STATE_HOME": str(full)}
    )
    said = swept.out + swept.err
    expect("No space left on device" in said and "File exists" not in said, swept.explain())


@case
def an_ordinary_user_with_an_odd_home():
    """Closed folders and homes that are none: it reports, or says which folder it could not
    read."""
    stage = Stage()
    sandbox.mount("tmpfs", "/root", "tmpfs", data="mode=700")
    stranger = 54321  # the password file does not have it
    homes = {
        "unset": [],
        "not there": ["HOME=/nonexistent"],
        "the root": ["HOME=/"],
        "empty": ["HOME="],
        "relative": ["HOME=x"],
    }
    for name, home in homes.items():
        for uid in (layout.UID, stranger):
            before = ["/usr/bin/env", "-i", *home]
            for words in (["report"], ["sweep", "--settle", "0s"], ["pidfiles"], ["rules"]):
                result = stage.reaper(*words, uid=uid, before=before)
                expect(
                    result.status == 0 and not result.err,
                    f"{name}, {uid}, {words}: {result.explain()}",
                )
            past = stage.reaper("history", uid=uid, before=before)
            expect(past.status == 0 or "HOME" in past.err, f"{name}, {uid}: {past.explain()}")
    closed = stage.reaper("report", uid=stranger, home="/root")
    expect(
        closed.status == 3 and "/root/.config" in closed.err and "HOME" in closed.err,
        closed.explain(),
    )


@case
def a_failure_is_said_while_the_journal_can_ask_of_which_unit_it_is():
    """journald looks at the process when it reads a line; here it is slow to read."""
    stage = Stage()
    broken = stage.layout.base / "broken.json"
    broken.write_text('{"families": 1}')
    own, journal = socket.socketpair()
    status = os.fstat(journal.fileno())
    began = time.monotonic()
    process = subprocess.Popen(
        [stage.layout.binary, "sweep", "--quiet", "--config", broken],
        stderr=journal,
        env={**os.environ, "JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"},
    )
    journal.close()
    expect(process.wait() == 3, f"exit status {process.returncode}")
    took = time.monotonic() - began
    expect(took >= 1, f"it ended after {took} s, and nobody had read why")
    expect(b"broken.json:1:" in own.recv(4096), "another failure")


if __name__ == "__main__":
    sandbox.main(__file__, globals())
