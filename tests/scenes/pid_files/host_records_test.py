"""Records of the one gateway and server of a user: only what is provably left over goes, tokens
are never looked at."""
import contextlib
import fcntl
import json
import os
import subprocess
import sys
import time

from harness import layout, sandbox
from harness.layout import put
from harness.sandbox import PYTHON, case, expect

from pidfiles_test import NOBODY, SLOWDOWN, Homes, as_user

sys.path.insert(0, str(sandbox.SOURCES))
from standin_host_owner import create_time, record  # noqa: E402

GATEWAY, LOCK = "host-gateway.json", "host-gateway.lock"


class Hosts(Homes):
    """The folder of locks and records of the stage's user."""

    def __init__(self):
        super().__init__()
        self.state = self.stage.layout.home / ".local/state"
        self.home = self.state / "hermes/gateway-locks"
        self.home.mkdir(parents=True)
        layout.own_below(self.state.parent, self.stage.uid)

    def record(self, pid, start, name=GATEWAY, **more):
        role = name.removeprefix("host-").partition(".")[0]
        return self.put(name, record(pid, start, role, **more))

    @contextlib.contextmanager
    def locked(self, how, name=LOCK):
        """how: "none", "free" or "held"."""
        if how == "none":
            yield
            return
        with open(self.put(name, ""), "r+", encoding="ascii") as lock:
            if how == "held":
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        (self.home / name).unlink()

    def expect_judged(self, what, state, removed, name=GATEWAY):
        """A listing says so and changes nothing; then --clean removes it, or does not."""
        listed = self.pidfiles()
        got = self.states(listed).get(name)
        expect(got == state, f"{what}: {got}, wanted {state}: {listed.out}")
        self.expect_clean([name] if removed else [], [] if removed else [name])
        (self.home / name).unlink(missing_ok=True)


def with_role(role):
    return f"host-{role}.json", f"host-{role}.lock"


@case
def only_records_without_an_owner_go():
    scene = Hosts()
    sleeper, gateway = scene.sleeper(), scene.stage.start_host("gateway", []).pid
    exact, other = create_time, lambda pid: create_time(pid) - 100
    # pid, its recorded start, role, the lock, state, removed
    table = [
        (NOBODY, None, "gateway", "free", "stale", True),
        (NOBODY, 1.5, "serve", "free", "stale", True),
        (NOBODY, 1.5, "desktop-serve", "free", "stale", True),
        (NOBODY, 1.5, "gateway", "none", "stale", True),
        (NOBODY, 1.5, "gateway", "held", "locked", False),
        (sleeper, exact, "gateway", "free", "live", False),  # whatever it runs
        (sleeper, exact, "serve", "none", "live", False),
        (sleeper, exact, "serve", "held", "live", False),
        (sleeper, other, "gateway", "free", "stale", True),  # re-used
        (sleeper, other, "gateway", "none", "stale", True),
        (sleeper, other, "gateway", "held", "locked", False),
        (sleeper, None, "gateway", "free", "foreign", False),  # it may have written that
        (gateway, exact, "gateway", "none", "live", False),
        (gateway, other, "gateway", "none", "foreign", False),  # the clock may have been stepped
        (gateway, other, "gateway", "free", "stale", True),
        (gateway, other, "desktop-serve", "free", "foreign", False),
    ]
    for pid, start, role, lock, state, removed in table:
        name, lock_name = with_role(role)
        with scene.locked(lock, lock_name):
            scene.record(pid, start(pid) if callable(start) else start, name)
            scene.expect_judged((pid, role, lock, state), state, removed, name)
    for text in (
        "",
        "x",
        str(NOBODY),
        record(NOBODY, 1.5, protocolVersion=2),
        record(NOBODY, "x"),
        record(NOBODY, 1.5, "other"),
    ):
        with scene.locked("free"):
            os.utime(scene.put(GATEWAY, text), (1, 1))
            scene.expect_judged(text, "malformed", False)
    scene.stage.expect_alive(["gateway"], silent=["gateway"])


@case
def several_profiles_of_one_gateway():
    scene = Hosts()
    owner = subprocess.Popen(
        [PYTHON, "-B", str(scene.stage.layout.lib / "standin_host_owner.py"), str(scene.home)],
        stdout=subprocess.PIPE,
        **as_user(scene.stage.uid),
    )
    owner.stdout.readline()
    scene.record(owner.pid, create_time(owner.pid), profiles=["default", "work"])
    result = scene.expect_clean([], [GATEWAY, LOCK])
    told = {one["kind"]: one for one in result.json["pidfiles"]}
    expect(set(told) == {"host-record", "host-lock"}, result.out)
    expect(
        (told["host-record"]["state"], told["host-lock"]["state"]) == ("live", "locked"), result.out
    )
    expect("serves 2 profiles" in told["host-record"]["reason"], result.out)
    owner.kill()
    owner.wait()
    scene.expect_clean([GATEWAY], [LOCK])


@case
def where_records_are_looked_for():
    scene = Hosts()
    for variable, below in (
        ("HERMES_GATEWAY_LOCK_DIR", ""),
        ("XDG_STATE_HOME", "hermes/gateway-locks"),
    ):
        folder = scene.stage.layout.base / variable
        put(folder / below / GATEWAY, record(NOBODY, 1.5))
        layout.own_below(folder, scene.stage.uid)
        result = scene.pidfiles("--clean", env={variable: str(folder)})
        expect(
            [one["removed"] for one in result.json["pidfiles"]] == [True],
            f"{variable}: {result.out}",
        )
    scene.record(NOBODY, 1.5)
    by_root = scene.pidfiles("--clean", "--user", "u", uid=0)
    expect([one["removed"] for one in by_root.json["pidfiles"]] == [True], by_root.out)


@case
def what_is_planted_is_neither_followed_nor_removed():
    scene = Hosts()
    elsewhere = put(scene.stage.layout.base / "elsewhere", record(NOBODY, 1.5))
    path = scene.home / GATEWAY
    plants = {
        "link": lambda: path.symlink_to(elsewhere),
        "fifo": lambda: os.mkfifo(path),
        "folder": path.mkdir,
        "hard": lambda: os.link(elsewhere, path),
        "foreign": lambda: os.chown(scene.record(NOBODY, 1.5), layout.OTHER_UID, layout.OTHER_UID),
    }
    for what, plant in plants.items():
        plant()
        for who, more in ((scene.stage.uid, []), (0, ["--all-users"])):
            result = scene.pidfiles("--clean", *more, uid=who)
            expect(
                scene.states(result).get(GATEWAY) == "foreign" and os.path.lexists(path),
                f"{what}: {result.out}",
            )
        if what == "folder":
            path.rmdir()
        else:
            path.unlink()
    for what, plant in {
        "link": lambda: (scene.home / LOCK).symlink_to(elsewhere),
        "fifo": lambda: os.mkfifo(scene.home / LOCK),
    }.items():
        scene.record(NOBODY, 1.5)
        plant()
        result = scene.pidfiles("--clean")
        expect(
            scene.states(result).get(GATEWAY) == "foreign" and path.exists(),
            f"lock: {what}: {result.out}",
        )
        expect(result.status == 4, f"a lock that cannot be read is not known: {result.status}")
        (scene.home / LOCK).unlink()
    scene.record(NOBODY, 1.5).chmod(0)
    result = scene.pidfiles("--clean")
    expect(result.status == 4 and path.exists(), f"could not look: {result.out}")
    expect(elsewhere.exists(), "it was followed")


@case
def a_token_is_never_opened():
    scene = Hosts()
    for name in ("host-gateway.token", "host-serve.token"):
        os.mkfifo(scene.home / name, 0o600)
        os.chown(scene.home / name, scene.stage.uid, scene.stage.uid)
    scene.put("host-desktop-serve.token", "secret").chmod(0)
    for role in ("gateway", "serve", "desktop-serve"):
        scene.record(NOBODY, 1.5, f"host-{role}.json")
    trace = scene.stage.run / "trace"
    before = ["strace", "-f", "-qq", "-o", str(trace), "-e", "trace=%file,%desc"]
    scene.pidfiles(before=before)
    result = scene.pidfiles("--clean", before=before + ["-A"])
    expect(result.json["summary"]["files_removed"] == 3, result.out)
    calls = trace.read_text(errors="replace").splitlines()
    expect(any("host-gateway.json" in call for call in calls), "nothing was traced")
    touched = [
        call for call in calls if "host-" in call and ".token" in call and "getdents" not in call
    ]
    expect(not touched, f"{touched}")
    expect(
        {path.name for path in scene.home.iterdir()}
        == {f"host-{role}.token" for role in ("gateway", "serve", "desktop-serve")},
        "a token is gone",
    )


@case
def what_a_run_that_was_cut_off_has_taken_aside():
    scene = Hosts()
    sleeper = scene.sleeper()
    scene.record(sleeper, create_time(sleeper), GATEWAY + ".taken-aside.7")
    scene.record(NOBODY, 1.5, "host-serve.json.taken-aside.7.1")
    result = scene.pidfiles("--clean")
    expect({path.name for path in scene.home.iterdir()} == {GATEWAY}, result.out)
    expect(scene.states(scene.pidfiles()) == {GATEWAY: "live"}, "it is in its place again")


@case
def storms_and_several_gateways_are_told():
    scene = Hosts()
    stage, now = scene.stage, time.time()
    hermes = stage.layout.home / ".hermes"
    stage.start_host("gateway", [])  # without unit, terminal and parent: as it should be
    log = put(
        hermes / "gateway-starts.log", "".join(f"{now - ago}\n" for ago in (90, 60, 30, 20, 10))
    )
    commands = (
        ["report", "--json"],
        ["pidfiles", "--json"],
        ["preflight", "--json", "--settle", "50ms"],
    )
    remarks = lambda command: stage.reaper(*command).json["remarks"]
    for command in commands:
        expect(
            not any("gateway" in one for one in remarks(command)), f"{command}: {remarks(command)}"
        )
    report = stage.report()
    stage.expect_verdicts(report, {"gateway": ("designated", "keep")})
    log.write_text(log.read_text() + f"{now}\n")
    for command in commands:
        told = f"the gateway of {hermes} has started 6 times within 120 seconds ({log})"
        expect(told in remarks(command), f"{command}: {remarks(command)}")
    log.unlink()
    os.mkfifo(log)
    stage.start_host("second", [])
    pids = sorted(stage.actors[name].pid for name in ("gateway", "second"))
    told = f"{hermes} has 2 gateways: pids {pids[0]}, {pids[1]}"
    expect(told in remarks(commands[0]), f"{remarks(commands[0])}")
    stage.expect_alive(["gateway", "second"], silent=["gateway", "second"])


NAIVE = """
import json, os, sys, time
path = sys.argv[1] + "/host-gateway.json"
try:
    pid = json.load(open(path))["pid"]
    if not os.path.exists(f"/proc/{pid}"):
        time.sleep(0.02)
        os.unlink(path)
except (OSError, ValueError):
    pass
"""


def race(scene, cleaner, rounds):
    environment = {"HOME": str(scene.stage.layout.home), "PATH": "/usr/bin:/bin"}
    loop = ["/bin/sh", "-c", 'while :; do "$@" >/dev/null 2>&1; done', "loop", *cleaner]
    loops = [
        subprocess.Popen(loop, env=environment, **as_user(scene.stage.uid)) for _loop in range(2)
    ]
    program = str(scene.stage.layout.lib / "standin_host_owner.py")
    owners = subprocess.run(
        [PYTHON, "-B", program, str(scene.home), "--race", str(rounds)],
        stdout=subprocess.PIPE,
        check=True,
        **as_user(scene.stage.uid),
    )
    for one in loops:
        one.kill()
        one.wait()
    return json.loads(owners.stdout)


@case
def owners_that_start_while_the_cleaner_runs():
    scene = Hosts()
    rounds = 300 // SLOWDOWN
    began = time.monotonic()
    counts = race(
        scene,
        [str(scene.stage.layout.binary), "pidfiles", "--clean", "--quiet", "--no-history"],
        rounds,
    )
    print(f"     {counts} in {time.monotonic() - began:.0f} s", flush=True)
    expect(counts["lost"] == 0, f"a live owner lost its record: {counts}")
    expect(
        counts["killed"] > rounds // 3 and counts["lived"] > rounds // 3,
        f"too little happened: {counts}",
    )
    in_time = counts["cleaned"] > 0 or SLOWDOWN > 1  # a slow one may always come too late
    expect(in_time, f"the cleaner was never in time: {counts}")
    expect(counts["locked_out"] <= rounds // 20, f"the cleaner kept owners from starting: {counts}")


@case
def owners_that_start_while_the_cleaner_is_about_to_rename():
    """A control that it would be seen: each rename comes 20 ms after the last look. An owner that
    finds its lock shared meanwhile comes again, as a supervised one does."""
    scene = Hosts()
    slow = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=renameat2:delay_enter=20000"]
    counts = race(
        scene,
        [*slow, str(scene.stage.layout.binary), "pidfiles", "--clean", "--quiet", "--no-history"],
        600,
    )
    print(f"     {counts}", flush=True)
    expect(counts["lost"] == 0, f"a live owner lost its record: {counts}")
    expect(counts["cleaned"] > 0 and counts["lived"] > 20, f"too little happened: {counts}")


@case
def control_a_cleaner_that_looks_and_removes_takes_live_records():
    scene = Hosts()
    counts = race(scene, [PYTHON, "-B", "-c", NAIVE, str(scene.home)], 150)
    expect(counts["lost"] > 0, f"the race proves nothing: {counts}")


if __name__ == "__main__":
    sandbox.main(__file__, globals())
