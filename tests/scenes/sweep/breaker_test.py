"""What a living host starts again after every end is ended three times, in runs of their own, and
then left alone until the host stops; what hosts leave behind that die is ended however often."""
import json
import os
import pathlib
import shutil
import signal
import time

from harness import product, sandbox
from harness.sandbox import case, expect
from harness.stage import Stage

REAP = ("--reap", "abandoned")


def forget(stage, name):
    """One of that name has ended, and another one is to come."""
    for left in stage.run.glob(f"{name}.*"):
        left.unlink()
    return stage.actors.pop(name)


LATE = 8  # seconds: no sweep waits as long


class Scene:
    """A gateway that lost its bridge, and starts it again a while after its end."""

    def __init__(self, homes=("kept",), keepalive=1, folder="", through=()):
        self.stage = Stage()
        self.folder = self.stage.layout.home / folder if folder else None
        if folder:
            self.folder.mkdir()
            os.chown(self.folder, self.stage.uid, self.stage.uid)
        self.late = keepalive >= LATE
        bridges = [self.stage.bridge(name, stdio="abandoned", home=self.folder) for name in homes]
        for name, bridge in zip(homes, bridges):
            if through:
                bridge["argv"][:0] = [*through, "/usr/bin/env", f"STANDIN_NAME={name}"]
                bridge["env"]["STANDIN_NAME"] = "wrapper"
        self.host = self.stage.start_host("gateway", bridges, keepalive=keepalive)
        self.file = self.stage.layout.home / ".local/state/orphan-reaper/history.jsonl"

    def home(self, name):
        return str(self.folder or self.stage.layout.data_home(name))

    def sweep(self, *arguments, **more):
        return self.stage.sweep(*REAP, *arguments, **more)

    def end_once(self, name="kept", *arguments, **more):
        """A sweep that ends it, and sees what comes in its place, unless that is late."""
        first = forget(self.stage, name)
        result = self.sweep("--home", self.home(name), *arguments, **more)
        expect(result.status == (0 if self.late else 5) and first.wait_ended(2), result.explain())
        (self.stage.run / f"{name}.signals").unlink()
        newcomer = self.stage.meet(name)
        seen = result.outcome(first.pid)["respawned_as"]
        expect(
            seen == (None if self.late else newcomer.pid),
            f"{seen} came again, it was {newcomer.pid}",
        )

    def end_thrice(self, name="kept", *arguments):
        for _time in range(3):
            self.end_once(name, *arguments)

    def crash(self, name="kept"):
        """It ends by itself, and is started again."""
        self.stage.actors[name].send(signal.SIGKILL)
        self.stage.actors[name].wait_ended()
        forget(self.stage, name)
        self.stage.meet(name)

    def set_back(self, seconds):
        """What was written down happened so long before."""
        if time.clock_gettime(time.CLOCK_BOOTTIME) < 2 * seconds:
            raise sandbox.Skip(f"needs a machine that has run for {2 * seconds} s")
        ticks = seconds * os.sysconf("SC_CLK_TCK")
        lines = [json.loads(line) for line in self.file.read_text().splitlines()]
        self.file.write_text(
            "".join(json.dumps({**line, "ticks": line["ticks"] - ticks}) + "\n" for line in lines)
        )

    def told(self):
        return (
            f"pid {self.host.pid} (/usr/bin/python3 -B -m hermes_cli.main gateway run) started it "
            f"again within 120 s of "
            "each of 3 ends: end or mend that first"
        )

    def expect_left_alone(self, result, status=5, name="kept", failed=1):
        expect(
            result.status == status, f"exit {result.status}, wanted {status}: {result.explain()}"
        )
        process = result.process(self.stage.actors[name].pid)
        vetoes = [one["detail"] for one in process["evidence"] if one["code"] == "veto.respawns"]
        expect(vetoes == [self.told()], f"{vetoes}, wanted {self.told()}")
        expect((process["verdict"], process["action"]) == ("abandoned", "report"), result.explain())
        if status == 5:
            outcome = process["outcome"]
            expect((outcome["result"], outcome["detail"]) == ("refused", self.told()), str(outcome))
            expect(result.json["summary"]["failed"] == failed, str(result.json["summary"]))
        self.stage.expect_alive([name, "gateway"])


@case
def left_alone_after_three_until_the_host_stops():
    scene = Scene()
    scene.end_thrice()
    for _run in range(2):
        scene.expect_left_alone(scene.sweep())
        scene.expect_left_alone(scene.stage.report(*REAP), status=1)
    for result in (scene.stage.report(), scene.stage.sweep()):  # that do not want it anyhow
        scene.expect_left_alone(result, status=1)
        expect(result.outcome(scene.stage.actors["kept"].pid) is None, result.explain())
    scene.stage.kill_host("gateway")
    scene.stage.expect_sweep(scene.sweep(), ["kept"], [])
    expect(scene.stage.report(*REAP).status == 0, "something is left")


@case
def a_new_wrapper_each_time_is_no_new_host():
    for through in (["timeout", "1h"], ["/bin/sh", "-c", 'timeout 1h "$@"; exit 0', "sh"]):
        scene = Scene(through=through)
        scene.end_thrice()
        scene.expect_left_alone(scene.sweep())
        facts = str(scene.stage.run / "facts.json")
        scene.expect_left_alone(scene.stage.report(*REAP, "--facts", facts), status=1)
        again = scene.stage.reaper(
            "report", "--json", "--min-age", "1ms", *REAP, "--from-facts", facts
        )
        scene.expect_left_alone(again, status=1)
        scene.stage.kill_host("gateway")
        scene.stage.expect_sweep(scene.sweep(), ["kept"], [])


@case
def what_crashes_before_the_next_run_has_come_again():
    """Only the sweep that ended the one before has seen it: the next one meets a process that
    started much later."""
    scene = Scene()
    for _time in range(3):
        scene.end_once()
        scene.set_back(70)
        scene.crash()
    scene.expect_left_alone(scene.sweep())
    scene.set_back(1000)  # however long ago
    scene.expect_left_alone(scene.sweep())


@case
def a_home_whose_name_is_no_text():
    scene = Scene(folder=os.fsdecode(b"jos\xe9"))
    scene.end_thrice()
    scene.expect_left_alone(scene.sweep())


@case
def histories_of_one_user_count_together():
    """The administrator's timer keeps one, a user's crontab another one, and a shell that sets
    XDG_STATE_HOME a third."""
    scene = Scene()
    timer = pathlib.Path("/var/lib/orphan-reaper/u")
    other = scene.stage.run / "state"
    timer.parent.chmod(0o755)
    for folder in (timer, other):
        folder.mkdir()
        os.chown(folder, scene.stage.uid, scene.stage.uid)
    states = [{"XDG_STATE_HOME": str(timer)}, {}, {"XDG_STATE_HOME": str(timer)}]
    for env in states:
        scene.end_once(env=env)
    scene.expect_left_alone(scene.sweep())
    scene.expect_left_alone(scene.sweep(env={"XDG_STATE_HOME": str(timer)}))
    scene.expect_left_alone(scene.sweep(env={"XDG_STATE_HOME": str(other)}))
    scene.file.chmod(0)
    os.chown(scene.file, 0, 0)
    report = scene.stage.report(*REAP, env={"XDG_STATE_HOME": str(timer)})
    expect((scene.stage.actors["kept"].pid, "reap") in report.plan(), report.explain())
    expect("history" not in " ".join(report.json["remarks"]), f"{report.json['remarks']}")


@case
def what_comes_again_is_waited_for_and_nothing_else():
    scene = Scene()

    def timed(home):
        began = time.monotonic()
        result = scene.sweep("--home", scene.home(home))
        return result, time.monotonic() - began

    _, took = timed("kept")
    expect(took < 5, f"all had come again, and it went on for {took:.1f} s")
    stage = scene.stage
    stage.start_host("second", [stage.bridge("lost", stdio="abandoned")])
    result, took = timed("lost")
    expect(
        result.status == 0 and took > 6,
        f"a host that starts again within 5 s was not seen: {took:.1f} s",
    )
    stage.orphans([stage.bridge("orphan")])
    result, took = timed("orphan")
    expect(result.status == 0 and took < 4, f"nothing could come again, and it took {took:.1f} s")


@case
def an_interrupt_ends_that_wait():
    stage = Stage()
    stage.start_host("gateway", [stage.bridge("lost", stdio="abandoned")])
    sweep = stage.start_reaper(
        "sweep", *REAP, "--json", "--min-age", "1ms", "--settle", "50ms", "--grace", "1s"
    )
    expect(stage.actors["lost"].wait_ended(), "it was not ended")
    time.sleep(1)
    began = time.monotonic()
    sweep.send_signal(signal.SIGINT)
    result = product.finish(sweep, 10)
    expect(time.monotonic() - began < 2 and result.status == 130, result.explain())
    expect(result.outcome(stage.actors["lost"].pid)["result"] == "ended_on_term", result.explain())


@case
def every_command_tells_it():
    scene = Scene()
    scene.end_thrice()
    kept = scene.stage.actors["kept"].pid
    swept = scene.stage.reaper("sweep", *REAP, "--min-age", "1ms", "--settle", "50ms", "--quiet")
    expect(
        swept.status == 5 and "1 left alone: started again after each end" in swept.out,
        swept.explain(),
    )
    for command in (["sweep", "--settle", "50ms"], ["report"], ["explain", str(kept)]):
        told = scene.stage.reaper(*command, *REAP, "--min-age", "1ms")
        expect(scene.told() in " ".join(told.out.split()), told.out)
    deeds = scene.stage.reaper("history", "--json").json["deeds"]
    again = [deed["respawned"]["host"] for deed in deeds]
    command = ["/usr/bin/python3", "-B", "-m", "hermes_cli.main", "gateway", "run"]
    expect([host["pid"] for host in again] == [scene.host.pid] * 3, str(again))
    expect([host["argv"] for host in again] == [command] * 3, str(again))
    expect([deed["host"]["pid"] for deed in deeds] == [scene.host.pid] * 3, "what had started it")
    told = " ".join(scene.stage.reaper("history").out.split())
    expect(f"started again by pid {scene.host.pid} ({' '.join(command)})" in told, told)


@case
def facts_tell_it_to_another_machine():
    scene = Scene()
    scene.end_thrice()
    facts = str(scene.stage.run / "facts.json")
    seen = scene.stage.report(*REAP, "--facts", facts)
    scene.file.unlink()
    again = scene.stage.reaper("report", "--json", "--min-age", "1ms", *REAP, "--from-facts", facts)
    scene.expect_left_alone(again, status=1)
    expect(
        [one["evidence"] for one in again.processes] == [one["evidence"] for one in seen.processes],
        "not the same",
    )


@case
def what_writes_nothing_reads_all_the_same():
    """Nor does the sweep that ended it notice what comes: that is for later runs."""
    scene = Scene(keepalive=LATE)
    scene.end_thrice()
    before = scene.file.read_bytes()
    scene.expect_left_alone(scene.sweep("--dry-run"))
    scene.expect_left_alone(scene.sweep("--no-history"))
    scene.expect_left_alone(scene.stage.report(*REAP), status=1)
    expect(scene.file.read_bytes() == before, "something was written")
    scene.expect_left_alone(scene.sweep())
    noted = scene.file.read_bytes()
    expect(
        noted.startswith(before) and noted.count(b'"respawned_as"') == 3,
        "the last one was not noted",
    )
    scene.expect_left_alone(scene.sweep())
    expect(scene.file.read_bytes() == noted, "noted twice")


@case
def another_home_and_another_host_are_not_affected():
    scene = Scene(("kept", "other"))
    scene.end_thrice()
    stage = scene.stage
    stage.start_host("second", [stage.bridge("theirs", home=scene.home("kept"), stdio="abandoned")])
    result = scene.sweep()
    expect(
        sorted(result.signalled())
        == sorted(stage.actors[name].pid for name in ("other", "theirs")),
        result.explain(),
    )
    stage.expect_ended(["other", "theirs"])
    scene.expect_left_alone(result, failed=2)  # "other" came again


@case
def a_history_that_is_gone_or_unreadable_is_no_breaker():
    scene = Scene()
    scene.end_thrice()
    scene.expect_left_alone(scene.sweep())
    scene.file.chmod(0)
    os.chown(scene.file, 0, 0)
    report = scene.stage.report(*REAP)
    expect((scene.stage.actors["kept"].pid, "reap") in report.plan(), report.explain())
    expect(
        "the history cannot be read" in " ".join(report.json["remarks"]),
        str(report.json["remarks"]),
    )
    scene.file.unlink()
    scene.end_once()


@case
def a_torn_line_hides_no_other():
    scene = Scene()
    scene.end_thrice()
    with open(scene.file, "a") as file:
        file.write('{"schema":"orphan-reaper/history/1","at":"20')
    scene.expect_left_alone(scene.sweep())


@case
def the_older_file_counts_as_well():
    scene = Scene()
    scene.end_once()
    scene.end_once()
    scene.file.rename(f"{scene.file}.1")
    scene.end_once()
    scene.expect_left_alone(scene.sweep())


@case
def what_one_dead_host_after_the_other_leaves_is_ended_each_time():
    stage = Stage()
    for _time in range(10):
        stage.orphans([stage.bridge("left")])
        result = stage.sweep()
        left = forget(stage, "left")
        expect(result.status == 0 and left.wait_ended(2), result.explain())
        expect(result.outcome(left.pid)["respawned_as"] is None, result.explain())


@case
def a_daemon_without_a_known_starter():
    """It outlives what starts it, so no host can be named; and it is left alone for a while all
    the same."""
    stage = Stage()
    home = stage.layout.data_home("home")
    stage.orphans([stage.daemon("daemon", home=home, port=18800)])
    for _time in range(3):
        stage.orphans([stage.daemon("wedged", home=home)])
        stage.expect_sweep(stage.sweep(), ["wedged"], ["daemon"])
        forget(stage, "wedged")
        stage.orphans([stage.bridge("session", home=home)])  # that no process starts again
        stage.expect_sweep(stage.sweep(), ["session"], ["daemon"])
        forget(stage, "session")
    stage.orphans([stage.daemon("wedged", home=home)])
    result = stage.sweep()
    process = result.process(stage.actors["wedged"].pid)
    vetoes = [one["detail"] for one in process["evidence"] if one["code"] == "veto.respawns"]
    expect(
        result.status == 5 and len(vetoes) == 1 and process["verdict"] == "superseded",
        result.explain(),
    )
    expect(
        vetoes[0].startswith("an unknown process started it again within 120 s of each of 3 ends"),
        vetoes[0],
    )
    stage.expect_alive(["wedged", "daemon"])
    told = " ".join(stage.reaper("history").out.split())
    expect("started again by an unknown process" in told, told)


@case
def the_history_is_read_only_where_it_can_matter():
    if not shutil.which("strace"):
        raise sandbox.Skip("needs strace")
    stage = Stage()
    log = stage.run / "strace.log"
    strace = ["strace", "-f", "-qq", "-o", str(log), "-e", "trace=%file"]

    def reads(command, *arguments):
        command(*arguments, before=strace, env={"ASAN_OPTIONS": "detect_leaks=0"})
        return log.read_text().count('/history.jsonl"')

    stage.orphans([stage.bridge("orphan")])
    stage.start_host("gateway", [stage.bridge("attached")])
    expect(reads(stage.report) == 0, "nothing that is leaked could be started again")
    stage.start_host("other", [stage.bridge("left", stdio="abandoned")])
    expect(reads(stage.report) == 1, "something could")
    expect(reads(stage.sweep, *REAP, "--dry-run") == 1, "once, however often it looks")


if __name__ == "__main__":
    sandbox.main(__file__, globals())
