"""What a sweep did is written down before it does it: whenever the program is killed, and however
full the disk is."""
import json
import os
import pathlib
import random
import shutil
import subprocess
import time

from harness import sandbox
from harness.actor import wait_until
from harness.sandbox import case, expect
from harness.stage import Stage

FOLDER = pathlib.Path("/var/lib/orphan-reaper")
ROUNDS = 50
SWEEP = ("sweep", "--json", "--min-age", "1ms", "--settle", "50ms", "--grace", "200ms")
NO_STDERR = ("/bin/sh", "-c", 'exec "$@" 2>/dev/full', "sh")


class Scene:
    """Root's workers, which leak; the history is root's, on a disk of the case."""

    def __init__(self):
        self.stage = Stage(uid=0)
        self.made = 0

    def leak(self, deaf=0, polite=1):
        self.made += 1
        names = [f"deaf-{self.made}-{i}" for i in range(deaf)] + [
            f"polite-{self.made}-{i}" for i in range(polite)
        ]
        self.stage.orphans(
            [
                self.stage.worker(name, session=name, ignore_term=name.startswith("deaf"))
                for name in names
            ]
        )
        return [self.stage.actors[name] for name in names]

    def sweep(self, **more):
        return self.stage.reaper(*SWEEP, **more)

    def history(self, *arguments):
        result = self.stage.reaper("history", "--json", *arguments)
        expect(
            result.status == 0 and result.json,
            f"history: {result.status} {result.out} {result.err}",
        )
        return result.json

    def deeds(self):
        found = {}
        for deed in reversed(self.history()["deeds"]):
            found.setdefault(deed["pid"], []).append(deed)
        return found


def lines():
    """What can be read of the file, as any other program reads it."""
    text = (
        (FOLDER / "history.jsonl").read_text(errors="replace")
        if (FOLDER / "history.jsonl").exists()
        else ""
    )
    read = []
    for line in text.splitlines():
        try:
            read.append(json.loads(line))
        except ValueError:
            read.append(None)
    return read


def expect_announced(actors):
    """No process has got a signal of which there is no line."""
    announced = {
        (line["pid"], line["signal"]) for line in lines() if line and line["event"] == "signal"
    }
    for actor in actors:
        got = "TERM" in actor.signals() or not actor.alive()
        expect(
            not got or (actor.pid, "TERM") in announced,
            f"{actor.name} got a TERM that is not in the history",
        )
        killed = actor.name.startswith("deaf") and not actor.alive()
        expect(
            not killed or (actor.pid, "KILL") in announced,
            f"{actor.name} got a KILL that is not in the history",
        )


def expect_accounted_for(actor, deeds):
    """Its end is known, or it is said that it is not."""
    ends = [deed["end"]["result"] for deed in deeds if deed["end"]]
    cut_off = [deed for deed in deeds if deed["cut_off"]]
    expect(len(ends) + len(cut_off) == len(deeds), f"{actor.name}: {deeds}")
    known = [end for end in ends if end.startswith("ended_on_")]
    expect(
        len(known) == 1 or (not known and cut_off), f"{actor.name}: {ends}, {len(cut_off)} cut off"
    )
    return bool(cut_off)


@case(timeout=600)
def killed_at_fifty_moments_of_a_sweep():
    scene = Scene()
    seed = int(time.time())
    moments = random.Random(seed)
    scene.leak(deaf=1, polite=2)
    began = time.monotonic()
    expect(scene.sweep().status == 0, "a sweep that nothing disturbs")
    whole = time.monotonic() - began
    counts = {"seed": seed, "nothing was begun": 0, "cut off": 0, "all was done": 0}
    for _round in range(ROUNDS):
        before = len(lines())
        actors = scene.leak(deaf=1, polite=2)
        sweep = scene.stage.start_reaper(*SWEEP)
        time.sleep(moments.uniform(0, whole))
        sweep.kill()
        sweep.communicate()
        expect_announced(actors)
        begun = len(lines()) > before
        result = scene.sweep()
        expect(result.status == 0, f"the next run did not finish the work: {result.explain()}")
        expect(all(actor.wait_ended(2) for actor in actors), "the next run ended not all")
        deeds = scene.deeds()
        cut_off = [expect_accounted_for(actor, deeds.get(actor.pid, [])) for actor in actors]
        what = "cut off" if any(cut_off) else "all was done" if begun else "nothing was begun"
        counts[what] += 1
        # Beside other scenes a sweep takes now longer, now less long.
        whole *= {"cut off": 1, "all was done": 0.95, "nothing was begun": 1.1}[what]
    print(f"     {counts}", flush=True)
    expect(None not in lines() or scene.history()["unreadable"], "a torn line was not named")
    expect(counts["cut off"] >= 5, f"too few moments were in the middle: {counts}")
    told = scene.stage.reaper("history", "--verbose").out
    told = " ".join(told.split())  # lines are as long as pids are
    expect("cut off in the middle" in told and "what came of it is not" in told, told[:400])


@case
def a_process_with_its_pid_is_not_the_sweep_that_was_killed():
    scene = Scene()
    scene.leak(deaf=1, polite=0)
    sweep = scene.stage.start_reaper(*SWEEP[:-1], "30s")
    wait_until(lambda: any(line and line["event"] == "signal" for line in lines()), "a signal")
    expect(not scene.history()["deeds"][0]["cut_off"], "it is still at it")
    sweep.kill()
    sweep.communicate()
    with open("/proc/sys/kernel/ns_last_pid", "w") as last:
        last.write(str(sweep.pid - 1))
    stranger = subprocess.Popen(["/bin/sleep", "100"])
    expect(stranger.pid == sweep.pid, f"{stranger.pid} is not {sweep.pid}")
    expect(scene.history()["deeds"][0]["cut_off"], "a stranger was taken for the sweep")
    stranger.kill()
    stranger.wait()


@case
def every_signal_is_on_the_disk_before_it_is_sent():
    if not shutil.which("strace"):
        raise sandbox.Skip("needs strace")
    scene = Scene()
    actors = scene.leak(deaf=1, polite=2)
    log = scene.stage.run / "strace.log"
    strace = [
        "strace",
        "-y",
        "-qq",
        "-o",
        str(log),
        "-e",
        "trace=write,fdatasync,pidfd_send_signal",
    ]
    result = scene.sweep(before=strace, env={"ASAN_OPTIONS": "detect_leaks=0"})
    expect(result.status == 0 and all(actor.wait_ended(2) for actor in actors), result.explain())
    written = flushed = signals = 0
    for line in log.read_text().splitlines():
        written += line.startswith("write(") and "history.jsonl>" in line
        if line.startswith("fdatasync(") and "history.jsonl>" in line:
            flushed = written
        if line.startswith("pidfd_send_signal(") and ("SIGTERM" in line or "SIGKILL" in line):
            signals += 1
            expect(
                flushed == written >= signals,
                f"signal {signals} before its line was on the disk: {log.read_text()}",
            )
    expect(signals == 4, f"{signals} signals, wanted three TERM and a KILL")


class SmallDisk:
    """Of 1 MB, for the history alone, and full but for `room` bytes."""

    def __init__(self):
        sandbox.mount("tmpfs", FOLDER, "tmpfs", data="size=1m,mode=700")
        self.ballast = FOLDER / "ballast"

    def fill(self):
        with open(self.ballast, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass
        free = os.statvfs(FOLDER)
        expect(free.f_bavail == 0, f"{free.f_bavail} blocks are free")

    def clear(self):
        self.ballast.unlink()


@case
def a_full_disk_stops_no_sweep_and_hides_nothing():
    scene, disk = Scene(), SmallDisk()
    disk.fill()
    actors = scene.leak(polite=2)
    result = scene.sweep()
    expect(result.status == 0 and all(actor.wait_ended(2) for actor in actors), result.explain())
    for actor in actors:
        expect(
            f"orphan-reaper: TERM to pid {actor.pid} " in result.err,
            f"the user was not told of {actor.pid}: {result.err}",
        )
        expect(
            f"orphan-reaper: pid {actor.pid}: ended on TERM after " in result.err,
            f"nor of its end: {result.err}",
        )
    remarks = " ".join(result.json["remarks"])
    expect(
        "the history cannot be written" in remarks and "No space left on device" in remarks, remarks
    )


@case
def a_limit_of_file_sizes_is_as_a_full_disk():
    scene = Scene()
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "history.jsonl").write_text("{}\n" * 2000)
    actors = scene.leak(polite=2)
    result = scene.sweep(before=("/bin/sh", "-c", 'ulimit -f 2; exec "$@"', "sh"))
    expect(result.status == 0 and all(actor.wait_ended(2) for actor in actors), result.explain())
    remarks = " ".join(result.json["remarks"])
    expect("the history cannot be written" in remarks and "File too large" in remarks, remarks)


@case
def a_full_disk_and_closed_outputs_stop_the_sweep():
    scene, disk = Scene(), SmallDisk()
    disk.fill()
    actors = scene.leak(polite=2)
    result = scene.sweep(before=NO_STDERR)
    expect(result.status == 5, f"exit status {result.status}: {result.explain()}")
    expect(
        all(result.outcome(actor.pid)["result"] == "refused" for actor in actors), result.explain()
    )
    scene.stage.expect_alive([actor.name for actor in actors])
    expect(not scene.deeds(), "what was not done is in the history")


@case
def a_line_that_the_disk_cut_short_is_named_and_takes_no_other_with_it():
    scene, disk = Scene(), SmallDisk()
    actors = scene.leak()
    expect(scene.sweep().status == 0, "a sweep with room")
    disk.fill()
    for _attempt in range(12):
        if None in lines():
            break
        actors += scene.leak()
        expect(scene.sweep().status == 0, "a sweep without room")
    expect(lines()[-1] is None, "the last line is whole: there was too much room")
    torn = len(lines())
    whole = [line for line in lines() if line]
    disk.clear()
    last = scene.leak()[0]
    expect(scene.sweep().status == 0, "a sweep with room again")
    expect([line for line in lines() if line][: len(whole)] == whole, "lines were lost")
    expect(
        [line["event"] for line in lines()[torn:]] == ["signal", "ended"],
        f"glued: {lines()[torn:]}",
    )
    report = scene.history()
    expect(
        report["unreadable"]
        == [{"file": str(FOLDER / "history.jsonl"), "line": torn, "why": "cut short"}],
        str(report["unreadable"]),
    )
    expect(
        scene.deeds()[last.pid][0]["end"]["result"] == "ended_on_term",
        "the one after it is not whole",
    )
    told = scene.stage.reaper("history").out
    expect(f"line {torn} was skipped: it is cut short" in " ".join(told.split()), told)


@case
def what_is_shown_can_be_checked_by_hand():
    scene = Scene()
    actor = scene.leak()[0]
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    namespace = os.stat(f"/proc/{actor.pid}/ns/pid").st_ino
    inode = os.fstat(actor.handle).st_ino
    start = int(actor.start)
    expect(scene.sweep().status == 0, "a sweep")
    deed = scene.deeds()[actor.pid][0]
    last = {f"{inode}", f"t{start}"}  # the second before Linux 6.9
    expect(
        deed["identity"].rpartition(":")[0] == f"{boot}:{namespace}:{actor.pid}", deed["identity"]
    )
    expect(deed["identity"].rpartition(":")[2] in last, f"{deed['identity']}, not {last}")
    expect(
        deed["start_ticks"] == start
        and deed["family"] == "slash_worker"
        and deed["user"] == "root",
        str(deed),
    )
    expect(deed["rss_bytes"] > 1_000_000 and deed["reason"] and deed["argv"], str(deed))
    told = scene.stage.reaper("history").out
    expect(deed["identity"] in told and "1 helper ended in the last 7d" in told, told)
    chart = subprocess.run(
        [
            "/usr/bin/script",
            "-qec",
            f"stty cols 100; {scene.stage.layout.binary} history",
            "/dev/null",
        ],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={"HOME": "/root", "PATH": "/usr/bin:/bin", "TERM": "xterm"},
        check=True,
    ).stdout
    expect("####" in chart and "####" not in told, f"a chart is for a terminal: {chart}")


@case
def each_user_has_an_own_history():
    stage = Stage()
    stage.orphans([stage.worker("leaked")])
    state = stage.layout.home / "state"
    env = {"XDG_STATE_HOME": str(state)}
    expect(stage.sweep(env=env).status == 0, "a sweep")
    file = state / "orphan-reaper/history.jsonl"
    expect(
        file.stat().st_mode & 0o777 == 0o600 and file.stat().st_uid == stage.uid,
        oct(file.stat().st_mode),
    )
    shown = stage.reaper("history", "--json", env=env).json
    expect(
        shown["summary"]["ended"] == 1 and shown["folder"] == str(file.parent),
        str(shown["summary"]),
    )
    expect(
        stage.reaper("history", "--json").json["summary"]["ended"] == 0, "the other folder has none"
    )
    file.chmod(0)
    os.chown(file, 0, 0)
    refused = stage.reaper("history", env=env)
    expect(refused.status == 4 and "Permission denied" in refused.err, refused.err)


if __name__ == "__main__":
    sandbox.main(__file__, globals())
