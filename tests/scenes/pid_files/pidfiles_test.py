"""Pid and lock files: what they name, that only provably stale ones go, and that no gateway that
starts meanwhile loses its own."""
import fcntl
import json
import os
import pathlib
import signal
import stat
import subprocess
import time

from harness import actor, layout, roots, sandbox, strangers
from harness.actor import wait_until
from harness.layout import put
from harness.sandbox import PYTHON, case, expect
from harness.stage import Stage

NOBODY = 4_000_000  # a pid that is never given out in a namespace this young
SLOWDOWN = int(os.environ.get("REAPER_SLOWDOWN", "1"))
OLD = time.time() - 300  # before anything here started


def as_user(uid):
    return {"user": uid, "group": uid, "extra_groups": []}


class Homes:
    """The Hermes home of the stage's user, with files as gateways and bridges leave them."""

    def __init__(self):
        self.stage = Stage()
        self.home = self.stage.layout.home / ".hermes"
        self.sleepers = []

    def put(self, name, text, when=None, uid=None):
        path = put(self.home / name, text, uid=self.stage.uid if uid is None else uid)
        layout.own_below(self.home, self.stage.uid)
        if uid is not None:
            os.chown(path, uid, uid)
        if when:
            os.utime(path, (when, when))
        return path

    def gateway_pid(self, name="gateway.pid", pid=NOBODY, **more):
        return self.put(
            name, json.dumps({"pid": pid, "kind": "hermes-gateway", "start_time": None, **more})
        )

    def sleeper(self):
        one = subprocess.Popen(["/bin/sleep", "1000"], **as_user(self.stage.uid))
        self.sleepers.append(one)
        return one.pid

    def pidfiles(self, *arguments, **more):
        result = self.stage.reaper("pidfiles", "--json", *arguments, **more)
        expect(result.json is not None, f"no report: {result.explain()}")
        return result

    def states(self, result):
        base = str(self.home) + "/"
        return {one["path"].removeprefix(base): one["state"] for one in result.json["pidfiles"]}

    def expect_states(self, result, wanted):
        got, base = self.states(result), str(self.home) + "/"
        wrong = {
            name: (got.get(name), state) for name, state in wanted.items() if got.get(name) != state
        }
        listed = [one for one in result.json["pidfiles"] if one["path"].removeprefix(base) in wrong]
        expect(not wrong, f"(got, wanted): {wrong}\n{listed}")

    def expect_clean(self, removed, kept, status=0, *arguments, **more):
        """One run removes these files and leaves those, and its report says so; nothing else is
        left behind."""
        before = {str(path) for path in self.home.rglob("*")}
        result = self.pidfiles("--clean", *arguments, **more)
        expect(result.status == status, f"exit {result.status}, wanted {status}: {result.out}")
        after = {str(path) for path in self.home.rglob("*")}
        gone = {str(self.home / name) for name in removed}
        expect(
            before - after == gone and not after - before,
            f"gone: {before - after}, wanted {gone}; new: {after - before}",
        )
        told = {one["path"] for one in result.json["pidfiles"] if one["removed"]}
        expect(told == gone, f"told {told}, wanted {gone}")
        for name in kept:
            expect(os.path.lexists(self.home / name), f"{name} is gone")
        return result


@case
def every_file_is_what_it_is():
    scene = Homes()
    home, profile = scene.home, "profiles/work/"
    live = scene.stage.start_host("gateway", [])
    daemon = scene.stage.daemon("daemon", home=home / "memos-plugin")
    scene.stage.orphans([daemon])
    scene.put("memos-plugin/daemon/bridge.pid", str(scene.stage.actors["daemon"].pid))
    scene.put("memos-plugin/daemon/bridge-stdio.pid", str(NOBODY))
    scene.put("memos-plugin/daemon/bridge-stdio-0a5535de20543105363ebdfc.pid", "")
    scene.put(
        "memos-plugin/daemon/headless-bridges.json",
        json.dumps({"bridges": [{"pid": NOBODY, "parentPid": 1}]}),
    )
    scene.gateway_pid(pid=live.pid, start_time=int(actor.stat_fields(live.pid)[19]))
    scene.gateway_pid("profiles/dead/gateway.pid")
    scene.put("profiles/bare/gateway.pid", str(NOBODY))
    sleeper = scene.sleeper()
    started = int(actor.stat_fields(sleeper)[19])
    scene.gateway_pid("profiles/other/gateway.pid", pid=sleeper)  # it may have written that
    os.utime(scene.gateway_pid("profiles/other-later/gateway.pid", pid=sleeper), (OLD, OLD))
    scene.gateway_pid("profiles/other-free/gateway.pid", pid=sleeper)
    scene.put("profiles/other-free/gateway.lock", "")
    scene.gateway_pid("profiles/exact/gateway.pid", pid=sleeper, start_time=started)
    os.utime(home / "profiles/exact/gateway.pid", (OLD, OLD))  # a clock says nothing against ticks
    scene.gateway_pid("profiles/exact-free/gateway.pid", pid=sleeper, start_time=started)
    scene.put("profiles/exact-free/gateway.lock", "")
    # The clock may have been stepped since.
    scene.put("profiles/later/gateway.pid", str(live.pid), when=OLD)
    scene.put("profiles/later-free/gateway.pid", str(live.pid), when=OLD)
    scene.put("profiles/later-free/gateway.lock", "")
    scene.gateway_pid("profiles/hundredths/gateway.pid", pid=live.pid, start_time=int(OLD * 100))
    scene.gateway_pid("profiles/elsewhere/gateway.pid", pid=live.pid, hermes_home=str(home))
    scene.put("profiles/garbage/gateway.pid", "\x00\xff")
    scene.put(profile + "memos-plugin/daemon/bridge.pid", f"{NOBODY}\n4711\n")
    scene.put("whatsapp/session/bridge.pid", str(NOBODY))
    scene.put("profiles/locked/gateway.lock", "")
    scene.gateway_pid("profiles/locked/gateway.pid")
    lock = open(home / "profiles/locked/gateway.lock", "r+")
    fcntl.flock(lock, fcntl.LOCK_EX)
    scene.put("profiles/free/gateway.lock", "")
    scene.put("profiles/free/gateway.pid", "", when=OLD)
    scene.put("profiles/starting/gateway.lock", "")
    scene.put("profiles/starting/gateway.pid", "")
    states = {
        "gateway.pid": "live",
        "memos-plugin/daemon/bridge.pid": "live",
        "memos-plugin/daemon/bridge-stdio.pid": "stale",
        "memos-plugin/daemon/bridge-stdio-0a5535de20543105363ebdfc.pid": "malformed",
        "memos-plugin/daemon/headless-bridges.json": "stale",
        "profiles/dead/gateway.pid": "stale",
        "profiles/bare/gateway.pid": "stale",
        "profiles/other/gateway.pid": "foreign",
        "profiles/other-later/gateway.pid": "stale",
        "profiles/other-free/gateway.pid": "stale",
        "profiles/other-free/gateway.lock": "foreign",
        "profiles/exact/gateway.pid": "live",
        "profiles/exact-free/gateway.pid": "live",
        "profiles/exact-free/gateway.lock": "foreign",
        "profiles/later/gateway.pid": "foreign",
        "profiles/later-free/gateway.pid": "stale",
        "profiles/later-free/gateway.lock": "foreign",
        "profiles/hundredths/gateway.pid": "foreign",
        "profiles/elsewhere/gateway.pid": "foreign",
        "profiles/garbage/gateway.pid": "malformed",
        profile + "memos-plugin/daemon/bridge.pid": "foreign",
        "whatsapp/session/bridge.pid": "foreign",
        "profiles/locked/gateway.lock": "locked",
        "profiles/locked/gateway.pid": "locked",
        "profiles/free/gateway.lock": "foreign",
        "profiles/free/gateway.pid": "stale",
        "profiles/starting/gateway.lock": "foreign",
        "profiles/starting/gateway.pid": "malformed",
    }
    removed = [
        "memos-plugin/daemon/bridge-stdio.pid",
        "memos-plugin/daemon/headless-bridges.json",
        *(
            f"profiles/{name}/gateway.pid"
            for name in ("dead", "bare", "other-later", "other-free", "later-free", "free")
        ),
    ]
    listed = scene.pidfiles()
    scene.expect_states(listed, states)
    expect(listed.status == 1 and len(listed.json["pidfiles"]) == len(states), listed.out)
    for one in listed.json["pidfiles"]:
        # This is a container: what holds it outside is not seen.
        unseen = one["path"].endswith("free/gateway.lock")
        expect(
            not unseen
            or (
                one["lock"]["state"],
                "whether one outside of it does is not known" in one["reason"],
            )
            == ("unknown", True),
            str(one),
        )
    plan = {one["path"] for one in listed.json["pidfiles"] if one["action"] == "remove"}
    expect(plan == {str(home / name) for name in removed}, f"{plan}")
    dry = scene.pidfiles("--clean", "--dry-run")
    expect(dry.status == 1 and scene.states(dry) == scene.states(listed), dry.out)
    scene.expect_clean(removed, [name for name in states if name not in removed])
    scene.expect_clean([], [])
    history = [
        json.loads(line)
        for line in (scene.stage.layout.home / ".local/state/orphan-reaper/history.jsonl")
        .read_text()
        .splitlines()
    ]
    for name in removed:
        events = [
            (one["event"], one.get("result"))
            for one in history
            if one.get("path") == str(home / name)
        ]
        expect(events == [("remove", None), ("removed", "removed")], f"{name}: {events}")
    scene.stage.expect_alive(["gateway", "daemon"], silent=["gateway"])


@case
def homes_that_are_asked_for_or_served():
    scene = Homes()
    elsewhere = scene.stage.layout.base / "elsewhere"
    for folder in (elsewhere / "a", elsewhere / "b"):
        put(folder / "gateway.pid", str(NOBODY))
        layout.own_below(elsewhere, scene.stage.uid)
    scene.gateway_pid()
    paths = lambda result: [one["path"] for one in result.json["pidfiles"]]
    expect(paths(scene.pidfiles()) == [str(scene.home / "gateway.pid")], "the usual home")
    expect(
        paths(scene.pidfiles("--home", str(elsewhere / "a"))) == [str(elsewhere / "a/gateway.pid")],
        "--home",
    )
    asked = scene.pidfiles(env={"HERMES_HOME": str(elsewhere / "b")})
    expect(str(elsewhere / "b/gateway.pid") in paths(asked), f"HERMES_HOME: {paths(asked)}")
    scene.stage.start_host(
        "host", [scene.stage.worker("worker", env={"HERMES_HOME": str(elsewhere / "a")})]
    )
    served = scene.pidfiles()
    expect(str(elsewhere / "a/gateway.pid") in paths(served), f"served: {paths(served)}")
    link = scene.stage.layout.base / "link"
    link.symlink_to(elsewhere / "b")
    twice = scene.pidfiles("--home", str(link), "--home", str(elsewhere / "b"))
    expect(len(paths(twice)) == 1, f"one file twice: {paths(twice)}")
    everybody = scene.pidfiles("--all-users", uid=0)
    expect(str(scene.home / "gateway.pid") in paths(everybody), f"--all-users: {paths(everybody)}")
    for name in ("usage", "nowhere"):
        expect(
            scene.stage.reaper("pidfiles", "--home", f"/{name}").status == 2,
            "a home that is not there",
        )


@case
def a_live_update_pauses_every_removal():
    scene = Homes()
    scene.gateway_pid("profiles/work/gateway.pid")
    scene.put("memos-plugin/daemon/bridge.pid", str(NOBODY))
    marker = scene.put(".hermes-update-in-progress", f"{os.getpid()}\n{int(time.time())}\n")
    expect(scene.pidfiles().status == 1, "a listing is none that is blocked")
    result = scene.expect_clean([], [], status=6)
    for more in (
        ["--home", str(scene.home / "profiles/work")],
        ["--home", str(scene.home / "memos-plugin")],
    ):
        expect(
            scene.pidfiles("--clean", *more).status == 6,
            f"{more}: an update of one home is one of all",
        )
    paused = [
        one
        for one in result.json["pidfiles"]
        if any(e["code"] == "update.running" for e in one["evidence"])
    ]
    expect(len(paused) == 3, f"{paused}")
    marker.write_text(f"{NOBODY}\n1\n")
    scene.expect_clean([], [], status=6)  # in a pid namespace of its own it may be one outside
    os.utime(marker, (time.time() - 1201,) * 2)
    scene.expect_clean(
        [
            "profiles/work/gateway.pid",
            "memos-plugin/daemon/bridge.pid",
            ".hermes-update-in-progress",
        ],
        [],
    )


def end_container(container, name):
    container.kill()
    container.wait()
    wait_until(lambda: not actor.named(name), f"{name} to be gone with its container")


@case
def a_daemon_in_a_container_keeps_the_file_that_has_its_number_there():
    homes = Homes()
    stage, data = homes.stage, homes.home / "memos-plugin"
    homes.put("memos-plugin/daemon/bridge-stdio.pid", str(NOBODY))
    daemon = stage.daemon("d", home=data)
    burn = 'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i+1)); done; "$@"; true'
    inside = [
        "unshare",
        "--pid",
        "--fork",
        "--mount-proc",
        "--kill-child",
        "sh",
        "-c",
        burn,
        "sh",
        *map(str, daemon["argv"]),
    ]
    container = subprocess.Popen(
        inside,
        cwd=daemon["cwd"],
        stdin=subprocess.DEVNULL,
        env={**daemon["env"], "HOME": str(stage.layout.home), "PATH": "/usr/bin:/bin"},
    )
    wait_until((stage.run / "d.ready").exists, "the daemon is there")
    number = (stage.run / "d.ready").read_text().strip()
    expect(not os.path.exists(f"/proc/{number}"), f"{number} is a process here, too")
    homes.put("memos-plugin/daemon/bridge.pid", number)
    file, stale = "memos-plugin/daemon/bridge.pid", "memos-plugin/daemon/bridge-stdio.pid"
    homes.expect_states(homes.pidfiles(), {file: "foreign", stale: "stale"})
    homes.expect_clean([stale], [file])
    end_container(container, "d")
    homes.expect_clean([file], [])


@case
def a_gateway_in_a_container_keeps_its_file_where_there_is_no_lock():
    homes = Homes()
    stage = homes.stage
    burn = 'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i+1)); done; "$@"; true'
    gateway = [PYTHON, "-B", "-m", "hermes_cli.main", "gateway", "run"]
    inside = [
        "unshare",
        "--pid",
        "--fork",
        "--mount-proc",
        "--kill-child",
        "sh",
        "-c",
        burn,
        "sh",
        *gateway,
    ]
    wish = json.dumps({"name": "g", "dir": str(stage.run), "children": []})
    container = subprocess.Popen(
        inside,
        cwd=stage.layout.hermes,
        stdin=subprocess.DEVNULL,
        env={
            "HOST": wish,
            "STANDIN_NAME": "g",
            "HOME": str(stage.layout.home),
            "PATH": "/usr/bin:/bin",
        },
    )
    wait_until((stage.run / "g.ready").exists, "the gateway is there")
    number = (stage.run / "g.ready").read_text().strip()
    expect(not os.path.exists(f"/proc/{number}"), f"{number} is a process here, too")
    homes.put("gateway.pid", number)
    homes.put("profiles/locked/gateway.pid", number)
    homes.put("profiles/locked/gateway.lock", "")
    homes.expect_states(
        homes.pidfiles(), {"gateway.pid": "foreign", "profiles/locked/gateway.pid": "stale"}
    )
    homes.expect_clean(["profiles/locked/gateway.pid"], ["gateway.pid"])
    end_container(container, "g")
    homes.expect_clean(["gateway.pid"], [])


@case
def what_a_run_that_was_cut_off_has_taken_aside():
    """Stale: it goes. Of a process that lives: it is in its place again, unless a newer one is
    there."""
    scene = Homes()
    live = scene.stage.start_host("gateway", [])
    daemon = scene.stage.daemon("daemon", home=scene.home / "memos-plugin")
    scene.stage.orphans([daemon])
    bridge = "memos-plugin/daemon/bridge.pid"
    aside = scene.put(bridge + ".taken-aside.77", str(scene.stage.actors["daemon"].pid))
    scene.put("gateway.pid.taken-aside.7.taken-aside.8.1", str(live.pid))
    scene.put("memos-plugin/daemon/bridge-stdio-1.pid.taken-aside.7", str(NOBODY))
    scene.put(
        "memos-plugin/daemon/headless-bridges.json.taken-aside.7",
        json.dumps({"bridges": [{"pid": NOBODY, "parentPid": 1}]}),
    )
    scene.gateway_pid("profiles/dead/gateway.pid.taken-aside.7")
    scene.gateway_pid("profiles/newer/gateway.pid.taken-aside.7")
    scene.gateway_pid("profiles/taken/gateway.pid.taken-aside.7", pid=live.pid)
    for name in ("newer", "taken"):
        scene.gateway_pid(f"profiles/{name}/gateway.pid", pid=live.pid)
    scene.gateway_pid("profiles/held/gateway.pid.taken-aside.7")
    scene.put("profiles/held/gateway.lock", "")
    lock = open(scene.home / "profiles/held/gateway.lock", "r+")
    fcntl.flock(lock, fcntl.LOCK_EX)  # about to make its own
    for name in ("link", "hard", "fifo", "foreign"):
        scene.put(
            f"profiles/{name}/gateway.pid.taken-aside.7"
            if name == "foreign"
            else f"profiles/{name}/keep",
            str(live.pid),
        )
    os.chown(
        scene.home / "profiles/foreign/gateway.pid.taken-aside.7",
        layout.OTHER_UID,
        layout.OTHER_UID,
    )
    (scene.home / "profiles/link/gateway.pid.taken-aside.7").symlink_to(aside)
    os.link(
        scene.home / "profiles/hard/keep", scene.home / "profiles/hard/gateway.pid.taken-aside.7"
    )
    os.mkfifo(scene.home / "profiles/fifo/gateway.pid.taken-aside.7", 0o600)
    names = lambda: {
        str(path.relative_to(scene.home)) for path in scene.home.rglob("*") if not path.is_dir()
    }
    before = names()
    listed = scene.pidfiles()
    expect(names() == before, "a listing changes nothing")
    scene.expect_states(
        listed,
        {
            bridge + ".taken-aside.77": "live",
            "gateway.pid.taken-aside.7.taken-aside.8.1": "live",
            "profiles/dead/gateway.pid.taken-aside.7": "stale",
            "profiles/held/gateway.pid.taken-aside.7": "locked",
            **{
                f"profiles/{name}/gateway.pid.taken-aside.7": "foreign"
                for name in ("link", "hard", "fifo", "foreign")
            },
        },
    )
    gone = {
        "memos-plugin/daemon/bridge-stdio-1.pid.taken-aside.7",
        "memos-plugin/daemon/headless-bridges.json.taken-aside.7",
        "profiles/dead/gateway.pid.taken-aside.7",
        "profiles/newer/gateway.pid.taken-aside.7",
    }
    moved = {
        bridge + ".taken-aside.77": bridge,
        "gateway.pid.taken-aside.7.taken-aside.8.1": "gateway.pid",
    }
    cleaned = scene.pidfiles("--clean")
    expect(names() == before - gone - set(moved) | set(moved.values()), f"{names() ^ before}")
    outcomes = {
        one["path"].removeprefix(str(scene.home) + "/"): one["outcome"]["result"]
        for one in cleaned.json["pidfiles"]
        if one.get("outcome")
    }
    expect(
        outcomes
        == {
            **{name: "removed" for name in gone},
            **{name: "put_back" for name in moved},
            "profiles/taken/gateway.pid.taken-aside.7": "changed",
        },
        f"{outcomes}",
    )
    scene.expect_states(scene.pidfiles(), {bridge: "live", "gateway.pid": "live"})
    expect(cleaned.status == 0, f"exit {cleaned.status}")


@case
def what_is_planted_is_neither_followed_nor_removed_nor_waited_for():
    scene = Homes()
    uid, home = scene.stage.uid, scene.home
    precious = put(
        scene.stage.layout.base / "precious/gateway.pid", str(NOBODY), uid=layout.OTHER_UID
    )
    names = [
        f"profiles/{name}"
        for name in (
            "link",
            "dangling",
            "fifo",
            "device",
            "hard",
            "folder",
            "foreign",
            "large",
            "lock-link",
            "lock-fifo",
        )
    ]
    for name in names:
        scene.put(f"{name}/keep", "")
    (home / "profiles/link/gateway.pid").symlink_to(precious)
    (home / "profiles/dangling/gateway.pid").symlink_to("/nowhere")
    os.mkfifo(home / "profiles/fifo/gateway.pid", 0o600)
    os.mknod(home / "profiles/device/gateway.pid", 0o600 | stat.S_IFCHR, os.makedev(1, 3))
    os.link(precious, home / "profiles/hard/gateway.pid")
    (home / "profiles/folder/gateway.pid").mkdir()
    scene.put("profiles/large/gateway.pid", str(NOBODY) + " " * (300 * 1024))
    for name in ("lock-link", "lock-fifo"):
        scene.gateway_pid(f"profiles/{name}/gateway.pid")
    (home / "profiles/lock-link/gateway.lock").symlink_to(precious)
    os.mkfifo(home / "profiles/lock-fifo/gateway.lock", 0o600)
    layout.own_below(home, uid)
    scene.put("profiles/foreign/gateway.pid", str(NOBODY), uid=layout.OTHER_UID)
    elsewhere = put(scene.stage.layout.base / "elsewhere/bridge.pid", str(NOBODY))
    (home / "memos-plugin/daemon").symlink_to(elsewhere.parent)
    (home / "profiles/linked-profile").symlink_to(precious.parent)
    os.lchown(home / "profiles/linked-profile", uid, uid)
    for who, more in ((uid, []), (0, ["--user", "u"]), (0, ["--all-users"])):
        before = sorted(str(path) for path in scene.stage.layout.base.rglob("*"))
        began = time.monotonic()
        result = scene.pidfiles("--clean", *more, uid=who)
        took = time.monotonic() - began
        after = sorted(
            str(path)
            for path in scene.stage.layout.base.rglob("*")
            if "/.local/" not in str(path) and not str(path).endswith("/.local")
        )
        expect(
            after
            == [path for path in before if "/.local/" not in path and not path.endswith("/.local")],
            f"{set(before) ^ set(after)}",
        )
        expect(took < 10, f"it took {took} s")
        wrong = [
            one
            for one in result.json["pidfiles"]
            if one["removed"] or one["state"] not in ("foreign", "malformed")
        ]
        expect(not wrong, f"as {who}: {json.dumps(wrong, indent=1)}")
    expect(
        precious.read_text() == str(NOBODY) and elsewhere.exists(),
        "another user's file was touched",
    )


@case
def root_removes_for_a_user_only_that_users_files():
    scene = Homes()
    scene.gateway_pid()
    scene.put("memos-plugin/daemon/bridge.pid", str(NOBODY), uid=0)
    bridge = "memos-plugin/daemon/bridge.pid"
    scene.expect_clean(["gateway.pid"], [bridge], 0, "--user", "u", uid=0)
    scene.gateway_pid()
    os.chown(scene.home / bridge, 0, 0)
    scene.expect_clean([bridge], ["gateway.pid"], 0, "--home", str(scene.home), uid=0)


def opt_data(base, uid):
    """A home as the official image has it: no user's recorded one."""
    home = base / "opt/data"
    put(
        home / "gateway.pid",
        json.dumps({"pid": NOBODY, "kind": "hermes-gateway", "start_time": None}),
        uid=uid,
    )
    put(home / "memos-plugin/daemon/bridge.pid", str(NOBODY), uid=uid)
    layout.own_below(home, uid)
    return home


@case
def the_environment_of_root_counts_unless_it_may_be_a_callers():
    scene = Homes()
    uid, base = scene.stage.uid, scene.stage.layout.base
    home = opt_data(base, uid)
    scene.put("gateway.lock", "")
    variables = {
        "HERMES_HOME": (str(home), {"gateway.pid", "memos-plugin/daemon/bridge.pid"}),
        "MEMOS_HOME": (f"{home}/memos-plugin", {"memos-plugin/daemon/bridge.pid"}),
    }
    for name, (value, wanted) in variables.items():
        found = scene.pidfiles(uid=0, home="/root", env={name: value})
        paths = {one["path"].removeprefix(f"{home}/") for one in found.json["pidfiles"]}
        expect(paths == wanted and found.status == 1, f"{name}: {paths}: {found.out}")
        expect(all(one["state"] == "stale" for one in found.json["pidfiles"]), found.out)
        for mark in ("SUDO_UID", "SUDO_USER", "DOAS_USER", "PKEXEC_UID"):
            by_caller = scene.pidfiles("--clean", uid=0, home="/root", env={name: value, mark: "v"})
            expect(
                by_caller.status == 0 and not by_caller.json["pidfiles"], f"{mark}: {by_caller.out}"
            )
        of_other = scene.pidfiles("--clean", "--user", "v", uid=0, home="/root", env={name: value})
        expect(of_other.status == 0 and not of_other.json["pidfiles"], of_other.out)
    by_home = scene.pidfiles(uid=0, home=scene.stage.layout.home)
    expect(
        [one["path"] for one in by_home.json["pidfiles"]] == [str(scene.home / "gateway.lock")],
        by_home.out,
    )
    planted = put(home / "profiles/planted/gateway.pid", str(NOBODY), uid=layout.OTHER_UID)
    os.chown(planted.parent, uid, uid)
    marker = put(home / ".hermes-update-in-progress", str(os.getpid()), uid=uid)
    paused = scene.pidfiles("--clean", uid=0, home="/root", env={"HERMES_HOME": str(home)})
    expect(paused.status == 6 and (home / "gateway.pid").exists(), paused.out)
    marker.unlink()
    scene.stage.orphans([scene.stage.bridge("leaked", home=home / "memos-plugin")])
    swept = scene.stage.sweep(
        uid=0, home="/root", env={"HERMES_HOME": str(home), "MEMOS_HOME": f"{home}/memos-plugin"}
    )
    expect(not swept.processes, f"root asks about root's own: {swept.explain()}")
    told = f"HERMES_HOME is {home}, which belongs to user id {uid}: "
    expect(any(one.startswith(told) for one in swept.json["remarks"]), f"{swept.json['remarks']}")
    cleaned = scene.pidfiles("--clean", uid=0, home="/root", env={"HERMES_HOME": str(home)})
    expect(planted.exists() and not (home / "gateway.pid").exists(), cleaned.out)
    scene.stage.expect_alive(["leaked"])


@case
def root_in_a_container_finds_the_home_that_the_image_names():
    """As `docker exec` starts a command: as root, with the variables of the image, in another root
    and pid namespace."""
    scene = Homes()
    base = scene.stage.layout.base
    root = roots.make_root(scene.stage, "container")
    opt_data(roots.within(root, base), scene.stage.uid)
    inside = [
        "/usr/bin/unshare",
        "--mount",
        "--pid",
        "--fork",
        "--kill-child",
        f"--root={root}",
        "--mount-proc",
    ]
    image = {"HERMES_HOME": f"{base}/opt/data"}
    found = scene.pidfiles(uid=0, home="/root", env=image, before=inside)
    expect(
        found.status == 1
        and [one["state"] for one in found.json["pidfiles"]] == ["stale", "stale"],
        found.explain(),
    )
    cleaned = scene.pidfiles("--clean", uid=0, home="/root", env=image, before=inside)
    expect(cleaned.status == 0 and cleaned.json["summary"]["files_removed"] == 2, cleaned.out)


@case
def a_folder_that_may_not_be_written_to_is_a_failure():
    scene = Homes()
    path = scene.gateway_pid("profiles/work/gateway.pid")
    os.chown(path.parent, 0, 0)
    path.parent.chmod(0o755)
    result = scene.pidfiles("--clean")
    expect(
        result.status == 5 and result.json["pidfiles"][0]["outcome"]["result"] == "failed",
        result.out,
    )
    path.parent.chmod(0o700)
    result = scene.pidfiles()
    expect(
        result.status == 4 and not result.json["scan"]["complete"],
        f"a folder that cannot be read: {result.out}",
    )


@case
def a_lock_on_another_file_system_is_none_of_a_gateway():
    """Though the file there has the same number."""
    homes = Homes()
    homes.gateway_pid()
    lock = homes.put("gateway.lock", "")
    elsewhere = homes.stage.layout.base / "elsewhere"
    elsewhere.mkdir()
    sandbox.mount("tmpfs", elsewhere, "tmpfs", data="mode=1777")
    strangers.lock_twin(lock, elsewhere)
    homes.expect_clean(["gateway.pid"], ["gateway.lock"])


@case
def a_file_system_that_renames_only_over_what_is_there():
    """As NFS does."""
    scene = Homes()
    live = scene.stage.start_host("gateway", [])
    scene.gateway_pid()
    for name in ("back", "taken"):
        scene.gateway_pid(f"profiles/{name}/gateway.pid.taken-aside.7", pid=live.pid)
    newer = scene.gateway_pid("profiles/taken/gateway.pid", pid=live.pid)
    inode = newer.stat().st_ino
    before = [PYTHON, "-B", str(scene.stage.layout.lib / "deny_calls.py"), "renameat2=EINVAL", "--"]
    result = scene.pidfiles("--clean", before=before)
    left = sorted(str(path.relative_to(scene.home)) for path in scene.home.rglob("gateway.pid*"))
    expect(
        left
        == [
            "profiles/back/gateway.pid",
            "profiles/taken/gateway.pid",
            "profiles/taken/gateway.pid.taken-aside.7",
        ],
        f"{left}",
    )
    expect(result.status == 0 and newer.stat().st_ino == inode, result.out)


@case
def a_stale_file_that_is_locked_is_a_failure():
    scene = Homes()
    path = scene.gateway_pid()
    path.chmod(0o644)
    scene.put("gateway.lock", "")
    program = (
        "import fcntl, sys, time; one = open(sys.argv[1]); fcntl.flock(one, fcntl.LOCK_EX); "
        "print(flush=True); time.sleep(99)"
    )
    other = subprocess.Popen(
        [PYTHON, "-c", program, str(path)], stdout=subprocess.PIPE, **as_user(layout.OTHER_UID)
    )
    other.stdout.readline()
    result = scene.expect_clean([], ["gateway.pid"], status=5)
    told = [one["outcome"]["result"] for one in result.json["pidfiles"] if one.get("outcome")]
    expect(told == ["failed"], f"{told}")
    ready = scene.stage.reaper("preflight", "--json", "--min-age", "1ms", "--settle", "50ms")
    expect(
        ready.status == 5 and [one["kind"] for one in ready.json["obstacles"]] == ["stale_file"],
        ready.out,
    )
    other.kill()
    other.wait()
    scene.expect_clean(["gateway.pid"], ["gateway.lock"])


class CrashLoop:
    """A service manager that starts a gateway again and again."""

    def __init__(self, scene, every):
        self.scene, self.every = scene, every
        self.statuses = []

    def start(self):
        program = str(self.scene.stage.layout.lib / "standin_gateway.py")
        return subprocess.Popen(
            [PYTHON, "-B", program, str(self.scene.home)],
            stderr=subprocess.PIPE,
            **as_user(self.scene.stage.uid),
        )

    def lives(self):
        """One start, as long as it lasts; whether it is still there after `every`."""
        one = self.start()
        try:
            self.statuses.append(one.wait(self.every))
            expect("race lost" in one.stderr.read().decode(), "it died of something else")
            return None
        except subprocess.TimeoutExpired:
            return one


def end_crash_loop(record):
    scene = Homes()
    scene.put("gateway.lock", "")
    scene.put("gateway.pid", record)
    layout.own_below(scene.home, scene.stage.uid)
    loop = CrashLoop(scene, every=1.0 * SLOWDOWN)
    for _start in range(6):
        expect(loop.lives() is None, "it should have died of the stale file")
    expect(loop.statuses == [1] * 6, f"{loop.statuses}")
    scene.expect_clean(["gateway.pid"], ["gateway.lock"])
    gateway = loop.lives()
    expect(gateway is not None, "one run did not end the crash loop")
    scene.expect_clean([], ["gateway.pid", "gateway.lock"])
    scene.expect_states(scene.pidfiles(), {"gateway.pid": "live", "gateway.lock": "locked"})
    gateway.send_signal(signal.SIGTERM)
    gateway.wait(10)
    expect(not (scene.home / "gateway.pid").exists(), "its file did not survive as its own")


@case
def the_crash_loop_of_launchd_ends_with_one_run():
    end_crash_loop(
        json.dumps(
            {"pid": NOBODY, "kind": "hermes-gateway", "argv": ["hermes"], "start_time": None}
        )
    )


@case
def the_crash_loop_of_systemd_ends_with_one_run():
    # The pid was given out again.
    sleeper = subprocess.Popen(["/bin/sleep", "1000"], **as_user(layout.UID))
    end_crash_loop(
        json.dumps(
            {"pid": sleeper.pid, "kind": "hermes-gateway", "argv": ["hermes"], "start_time": 1}
        )
    )


class Race:
    """Starters in many homes, and cleaners that run all the time."""

    def __init__(self, cleaner):
        self.scene = Homes()
        self.cleaner = cleaner
        self.homes = []
        self.starters = []

    def home(self):
        path = self.scene.home / f"profiles/race{len(self.homes)}"
        path.mkdir(parents=True)
        layout.own_below(self.scene.home, self.scene.stage.uid)
        self.homes.append(path)
        return path

    def start(self, home, rounds, alone, **more):
        wish = {"rounds": rounds, "alone": alone, "clean": self.cleaner(self.scene, home), **more}
        argv = [
            PYTHON,
            "-B",
            str(self.scene.stage.layout.lib / "standin_gateway.py"),
            str(home),
            "--race",
            json.dumps(wish),
        ]
        self.starters.append(
            subprocess.Popen(
                argv,
                stdout=subprocess.PIPE,
                env=self.environment(),
                **as_user(self.scene.stage.uid),
            )
        )

    def environment(self):
        return {"HOME": str(self.scene.stage.layout.home), "PATH": "/usr/bin:/bin"}

    def run(self, seconds):
        """Cleaners run until every starter is done. Returns the sums of what the starters
        counted."""
        end = time.monotonic() + seconds
        loops = [
            subprocess.Popen(
                [
                    "/bin/sh",
                    "-c",
                    'while :; do "$@" >/dev/null 2>&1; done',
                    "loop",
                    *self.cleaner(self.scene, home),
                ],
                **as_user(self.scene.stage.uid),
                env=self.environment(),
            )
            for home in self.homes[:2]
        ]
        sums = {}
        for starter in self.starters:
            out, _err = starter.communicate(timeout=max(1.0, end - time.monotonic()))
            for key, number in json.loads(out).items():
                sums[key] = sums.get(key, 0) + number
        for loop in loops:
            loop.kill()
            loop.wait()
        return sums


def product(scene, home):
    return [
        str(scene.stage.layout.binary),
        "pidfiles",
        "--clean",
        "--quiet",
        "--no-history",
        "--home",
        str(home),
    ]


NAIVE = """
import json, os, sys, time
path = sys.argv[1] + "/gateway.pid"
try:
    pid = json.load(open(path))["pid"]
    if not os.path.exists(f"/proc/{pid}"):
        time.sleep(0.02)
        os.unlink(path)
except (OSError, ValueError):
    pass
"""


def naive(_scene, home):
    return [PYTHON, "-B", "-c", NAIVE, str(home)]


@case(timeout=250)
def ten_thousand_starters_against_the_cleaner():
    rounds = 1250 // SLOWDOWN**2  # under sanitizers, the machine is as busy as it is slow
    race = Race(product)
    for _home in range(4):  # each with one starter: nothing but a cleaner can be in its way
        race.start(race.home(), rounds, alone=True)
    contended = [race.home() for _home in range(2)]
    for home in contended * 2:
        race.start(home, rounds, alone=False)
    began = time.monotonic()
    sums = race.run(seconds=240)
    print(f"     {sums} in {time.monotonic() - began:.0f} s", flush=True)
    expect(sums["rounds"] >= 8 * rounds, f"{sums}")
    expect(sums["lost"] == 0, f"a live gateway lost its file: {sums}")
    expect(sums["blocked_twice"] == 0, f"a stale file blocked a start twice: {sums}")
    expect(
        sums["killed"] > rounds // 4 and sums["blocked"] > 0 and sums["lived"] > rounds,
        f"too little happened: {sums}",
    )
    left = [
        str(path)
        for home in race.homes
        for path in home.iterdir()
        if path.name not in ("gateway.pid", "gateway.lock")
    ]
    expect(not left, f"left behind: {left}")


@case
def control_a_cleaner_that_looks_and_removes_takes_live_files():
    race = Race(naive)
    for _starter in range(3):
        race.start(
            race.homes[0] if race.homes else race.home(), 200, alone=False, looks=1000, kill_every=2
        )
    sums = race.run(seconds=60)
    expect(sums["lost"] > 0, f"the race proves nothing: {sums}")


if __name__ == "__main__":
    sandbox.main(__file__, globals())
