"""Before an update: what leaked goes, what is in the way is named, and the update starts only when
nothing is."""
import json
import os
import pty
import signal
import subprocess
import time

from harness import layout, product, sandbox
from harness.actor import all_pids, read_bytes, wait_until
from harness.layout import put
from harness.sandbox import PYTHON, case, expect
from harness.stage import Stage

QUICK = ("--min-age", "1ms", "--settle", "200ms", "--grace", "1s")
HERMES = [PYTHON, "-B", "-m", "hermes_cli.main"]
NOBODY = 4_000_000


class Install:
    """A stage whose Hermes has a virtual environment, and a file that an update would leave
    behind."""

    def __init__(self):
        self.stage = Stage()
        self.hermes, self.home = self.stage.layout.hermes, self.stage.layout.home / ".hermes"
        self.python = self.hermes / "venv/bin/python"
        put(self.hermes / "venv/pyvenv.cfg", "home = /usr/bin\n")
        self.python.parent.mkdir()
        self.python.symlink_to(PYTHON)
        self.updated = self.stage.run / "updated"

    def preflight(self, *arguments, **more):
        quick = QUICK if "--min-age" not in arguments else QUICK[2:]
        result = self.stage.reaper("preflight", "--json", *quick, *arguments, **more)
        expect(result.json is not None, result.explain())
        expect(result.json["ready"] == (result.status == 0), result.explain())
        return result

    def expect_ready(self, *arguments, **more):
        result = self.preflight(*arguments, **more)
        expect(
            result.status == 0 and result.json["obstacles"] == [],
            f"{result.explain()}\n{result.json['obstacles']}",
        )
        return result

    def expect_blocked(self, wanted, *arguments, status=6, **more):
        """wanted: kind -> names of the processes, or pids."""
        result = self.preflight(*arguments, "--", "/usr/bin/touch", str(self.updated), **more)
        obstacles = result.json["obstacles"]
        got = sorted((one["kind"], sorted(one["pids"])) for one in obstacles)
        pids = {
            kind: [self.stage.actors[one].pid if isinstance(one, str) else one for one in whom]
            for kind, whom in wanted.items()
        }
        expect(
            got == sorted((kind, sorted(whom)) for kind, whom in pids.items()),
            f"{got}, wanted {pids}\n{obstacles}",
        )
        expect(
            result.status == status, f"exit {result.status}, wanted {status}: {result.explain()}"
        )
        expect(all(one["detail"] and one["help"] for one in obstacles), f"{obstacles}")
        expect(not self.updated.exists(), "the update was started although something is in the way")
        return result

    def user(self, name, *argv, **more):
        """A program of the user's, which nothing of Hermes started."""
        child = self.stage.child(name, argv, self.stage.layout.home)
        environment = {
            **child["env"],
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.stage.layout.home),
            **more.pop("env", {}),
        }
        one = subprocess.Popen(
            list(map(str, argv)),
            env=environment,
            stdin=subprocess.DEVNULL,
            user=self.stage.uid,
            group=self.stage.uid,
            extra_groups=[],
            start_new_session=True,
            cwd=child["cwd"],
            **more,
        )
        self.stage.hosts[name] = one
        return self.stage.know(name, one.pid)

    def text(self, *arguments, **more):
        return self.stage.reaper("preflight", *QUICK, *arguments, **more)


@case
def nothing_is_in_the_way():
    install = Install()
    install.expect_ready()
    told = install.text()
    expect(
        told.status == 0 and told.out.startswith("ready: nothing is in the way of an update\n"),
        told.out,
    )
    quiet = install.text("--quiet")
    expect(quiet.status == 0 and quiet.out == "", quiet.out)


@case
def leaks_end_and_stale_files_go():
    install = Install()
    stage = install.stage
    stage.orphans([stage.bridge("bridge"), stage.worker("worker", ignore_term=True)])
    stage.start_host("gateway", [stage.worker("attached", session="a")])
    stale = put(
        install.home / "gateway.pid",
        json.dumps({"pid": NOBODY, "kind": "hermes-gateway", "start_time": None}),
    )
    dry = install.preflight("--dry-run")
    expect(
        dry.status == 1 and not dry.signalled() and stale.exists() and not dry.json["obstacles"],
        dry.explain(),
    )
    done = install.expect_ready()
    stage.expect_ended(["bridge", "worker"])
    expect(
        sorted(done.signalled()) == sorted(stage.actors[name].pid for name in ("bridge", "worker")),
        done.explain(),
    )
    expect(
        [one["path"] for one in done.json["pidfiles"] if one["removed"]] == [str(stale)],
        f"{done.json['pidfiles']}",
    )
    expect(not stale.exists(), "a stale file is left")
    stage.expect_alive(["gateway", "attached"])
    expect(not install.expect_ready().signalled(), "a second one finds nothing to do")


@case
def leaks_that_would_not_end():
    install = Install()
    stage = install.stage
    stage.orphans([stage.worker("one", session="1"), stage.worker("two", session="2")])
    result = install.preflight("--max-kills", "1", "--", "/usr/bin/touch", str(install.updated))
    expect(result.status == 5 and not result.signalled(), result.explain())
    expect(
        sorted(one["pids"] for one in result.json["obstacles"])
        == sorted([stage.actors[name].pid] for name in ("one", "two")),
        f"{result.json['obstacles']}",
    )
    expect(not install.updated.exists(), "the update was started")
    told = install.text("--max-kills", "1").out
    expect(told.startswith("not ready: 2 things are in the way"), told)
    install.expect_ready()


@case
def leaks_that_are_only_reported():
    install = Install()
    stage = install.stage
    stage.start_host("gateway", [stage.bridge("abandoned", stdio="abandoned")])
    blocked = install.expect_blocked({"leak": ["abandoned"]})
    expect(
        "--reap abandoned" in blocked.json["obstacles"][0]["help"], f"{blocked.json['obstacles']}"
    )
    install.expect_ready("--reap", "abandoned")
    stage.expect_alive(["gateway"])


@case
def what_is_too_young_is_waited_for():
    install = Install()
    stage = install.stage
    stage.orphans([stage.worker("leaked")])
    short = install.expect_blocked({"young": ["leaked"]}, "--min-age", "30s", "--timeout", "2s")
    expect("the time is over: --timeout 2s" in short.json["remarks"], f"{short.json['remarks']}")
    done = install.expect_ready("--min-age", "6s")
    expect(done.signalled() == [stage.actors["leaked"].pid], done.explain())
    stage.expect_ended(["leaked"])


@case
def a_file_that_may_still_be_being_written_is_waited_for():
    """A gateway that was killed before it wrote its pid: no other one starts while the file is
    there."""
    install = Install()
    put(install.home / "gateway.lock", "")
    path = put(install.home / "gateway.pid", "")
    layout.own_below(install.home, install.stage.uid)
    short = install.expect_blocked({"young": []}, "--timeout", "2s").json["obstacles"][0]
    expect(str(path) in short["detail"] and short["user"] == "u" and path.exists(), f"{short}")
    expect("orphan-reaper pidfiles --clean --user u" in short["help"], f"{short}")
    os.utime(path, (time.time() - 57,) * 2)
    done = install.expect_ready()
    expect(
        [one["path"] for one in done.json["pidfiles"] if one["removed"]] == [str(path)],
        f"{done.json['pidfiles']}",
    )
    expect(not path.exists(), "it is left")


def stale_file_of(install):
    """One that the lock decides about."""
    put(install.home / "gateway.lock", "")
    path = put(install.home / "gateway.pid", str(NOBODY))
    layout.own_below(install.home, install.stage.uid)
    return path


@case(alone=True)  # every process that reads /proc/locks waits for them
def a_stranger_that_takes_many_locks():
    """More than 4 MB of them in /proc/locks."""
    install = Install()
    stale = stale_file_of(install)
    folder = install.stage.layout.home.parent / "many"
    folder.mkdir()
    os.chown(folder, layout.OTHER_UID, layout.OTHER_UID)
    take = (
        "import fcntl, os, sys, time\n"
        "files = [os.open(f'{sys.argv[1]}/{n}', os.O_RDWR | os.O_CREAT, 0o600) for n in "
        "range(900)]\n"
        "for one in files:\n    for n in range(100): fcntl.lockf(one, fcntl.LOCK_EX, 1, 2 * n)\n"
        "print(flush=True)\ntime.sleep(99)\n"
    )
    other = subprocess.Popen(
        [PYTHON, "-c", take, str(folder)],
        stdout=subprocess.PIPE,
        user=layout.OTHER_UID,
        group=layout.OTHER_UID,
        extra_groups=[],
    )
    other.stdout.readline()
    try:
        expect(len(read_bytes("/proc/locks")) > 4 * 1024 * 1024, "the locks are not many")
        install.expect_ready()
        expect(not stale.exists(), "it is left")
    finally:
        other.kill()
        other.wait()


@case
def locks_that_cannot_be_read():
    install = Install()
    stale = stale_file_of(install)
    unreadable = put(install.stage.run / "unreadable", "")
    unreadable.chmod(0)
    sandbox.mount(str(unreadable), "/proc/locks", "", 4096)  # MS_BIND
    result = install.preflight("--", "/usr/bin/touch", str(install.updated))
    expect(result.status == 4 and stale.exists() and not install.updated.exists(), result.explain())
    told = [one for one in result.json["remarks"] if one.startswith(f"{stale}: ")]
    expect(
        len(told) == 1 and "cannot open /proc/locks: Permission denied" in told[0],
        f"{result.json['remarks']}",
    )


@case
def what_runs_out_of_the_install_is_named():
    """By the name it is called by, by its script, by a module, by a library; and nothing that
    merely talks of the install."""
    install = Install()
    stage, hermes = install.stage, install.hermes
    body = (stage.layout.lib / "standin_worker.py").read_text()
    notes = put(stage.layout.home / "notes.py", body)
    inside = put(hermes / "tools/report.py", body)
    library = put(hermes / "venv/lib/fast.so", "x" * 4096)
    mapping = put(
        stage.layout.home / "mapping.py",
        f"import mmap, time\nfile = open({str(library)!r}, 'rb')\n"
        f"map = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)\ntime.sleep(99)\n",
    )
    install.user("called", install.python, "-B", notes)
    install.user("script", PYTHON, "-B", inside)
    install.user("mapped", PYTHON, "-B", mapping)
    module = install.user("elsewhere", PYTHON, "-B", notes, inside)
    install.user("reader", "/usr/bin/tail", "-f", inside)
    other = subprocess.Popen(
        [str(install.python), "-B", str(notes)],
        user=layout.OTHER_UID,
        group=layout.OTHER_UID,
        extra_groups=[],
        stdin=subprocess.DEVNULL,
        cwd="/",
        env={
            "STANDIN_NAME": "other",
            "STANDIN": json.dumps({"name": "other", "dir": str(stage.run)}),
        },
    )
    stage.know("other", other.pid)
    wait_until(
        lambda: b"fast.so" in read_bytes(f"/proc/{stage.actors['mapped'].pid}/maps"),
        "the library to be mapped",
    )
    result = install.preflight("--", "/usr/bin/touch", str(install.updated))
    got = {pid: one for one in result.json["obstacles"] for pid in one["pids"]}
    wanted = {stage.actors[name].pid: name for name in ("called", "script", "mapped", "other")}
    expect(
        result.status == 6 and set(got) == set(wanted),
        f"{got}, wanted {wanted}, elsewhere {module.pid}",
    )
    expect({one["kind"] for one in got.values()} == {"occupant"}, f"{got}")
    expect(
        got[other.pid]["user"] == "v" and got[stage.actors["called"].pid]["user"] == "u", f"{got}"
    )
    expect(not result.signalled(), result.explain())
    stage.expect_alive(["called", "script", "other"], silent=["called", "script", "other"])
    expect(f"kill {other.pid}" in got[other.pid]["help"], f"{got[other.pid]}")
    told = install.text().out
    expect(f"occupant (pid {other.pid} of v)" in told and "IN THE WAY" in told, told)


@case
def sessions_are_in_the_way_and_gateways_are_not():
    install = Install()
    stage = install.stage
    child = stage.worker("of-gateway", session="g")
    child["argv"][0] = str(install.python)
    stage.start_host(
        "gateway",
        [child],
        kind=[str(install.python), "-B", "-m", "hermes_cli.main", "gateway", "run"],
    )
    install.expect_ready()
    below = stage.worker("of-session", session="s")
    below["argv"][0] = str(install.python)
    stage.start_host("session", [below], kind=[str(install.python), "-B", "-m", "hermes_cli.main"])
    install.expect_blocked({"occupant": ["session"]})
    stage.expect_alive(["gateway", "of-gateway", "session", "of-session"])


@case
def more_than_one_gateway_of_a_home():
    install = Install()
    stage = install.stage
    stage.start_host("first", [])
    stage.start_host("profile", [], kind=[*HERMES, "--profile", "work", "gateway", "run"])
    stage.start_host("other-home", [], env={"HERMES_HOME": str(stage.layout.home / "second")})
    install.expect_ready()
    stage.start_host("second", [], kind=[*HERMES, "gateway", "run", "--replace"])
    result = install.preflight()
    pids = [one["pids"] for one in result.json["obstacles"] if one["kind"] == "gateways"]
    expect(
        result.status == 6
        and pids == [sorted(stage.actors[name].pid for name in ("first", "second"))],
        f"{result.json['obstacles']}",
    )
    stage.expect_alive(["first", "second", "profile", "other-home"])


@case
def gateways_that_something_wraps():
    """Each is one, of the profile that the gateway itself names."""
    install = Install()
    stage = install.stage
    stamp = put(
        install.hermes / "hermes_cli/stderr_timestamp.py",
        (stage.layout.lib / "standin_host.py").read_text(),
    )
    expect(stamp.exists(), "the wrapper")

    def wrapped(name, *profile):
        inner = stage.child(
            f"{name}-inner",
            [*HERMES, *profile, "gateway", "run"],
            install.hermes,
            env={
                "HOST": json.dumps({"name": f"{name}-inner", "dir": str(stage.run), "children": []})
            },
        )
        stage.start_host(
            name,
            [inner],
            kind=[
                PYTHON,
                "-B",
                "-m",
                "hermes_cli.stderr_timestamp",
                "--error-log",
                "/dev/null",
                "--",
                *HERMES,
                *profile,
                "gateway",
                "run",
            ],
        )

    wrapped("plain")
    wrapped("butler", "--profile", "butler")
    install.expect_ready()
    stage.start_host("second", [], kind=[*HERMES, "--profile", "butler", "gateway", "run"])
    install.expect_blocked({"gateways": ["butler-inner", "second"]})


@case
def a_keepalive_is_waited_for():
    """What starts again within seconds what was ended would be there again while the update
    runs."""
    install = Install()
    stage = install.stage
    stage.start_host("gateway", [stage.bridge("abandoned", stdio="abandoned")], keepalive=True)
    begin = time.monotonic()
    result = install.preflight(
        "--reap", "abandoned", "--timeout", "60s", "--", "/usr/bin/touch", str(install.updated)
    )
    expect(result.status != 0 and not install.updated.exists(), result.explain())
    expect(time.monotonic() - begin < 60, "it was ended and ended again")
    expect(
        "leak" in {one["kind"] for one in result.json["obstacles"]}, f"{result.json['obstacles']}"
    )


def expect_returns(period, *arguments):
    """A host that starts its helper again every so often: not ready, and nothing is started. The
    result."""
    install = Install()
    install.stage.start_host(
        "gateway", [install.stage.bridge("abandoned", stdio="abandoned")], keepalive=period
    )
    result = install.preflight(
        "--reap", "abandoned", *arguments, "--", "/usr/bin/touch", str(install.updated)
    )
    expect(result.status != 0 and not install.updated.exists(), result.explain())
    expect(
        {one["kind"] for one in result.json["obstacles"]} == {"leak"}, f"{result.json['obstacles']}"
    )
    return install, result


@case
def what_may_come_again_after_the_time_is_over():
    install, result = expect_returns(20, "--timeout", "3s")
    told = result.json["obstacles"][0]
    expect(result.status == 6 and told["pids"] == result.signalled(), f"{result.explain()} {told}")
    expect(
        f"explain {install.stage.actors['gateway'].pid}" in told["help"]
        and "--timeout" in told["help"],
        f"{told}",
    )


@case
def a_keepalive_without_a_history_is_given_up():
    install, result = expect_returns(1, "--no-history", "--timeout", "60s")
    expect(len(result.signalled()) == 3, result.explain())
    told = [one for one in result.json["obstacles"] if "after each of 3 ends" in one["detail"]]
    expect(
        len(told) == 1 and f"explain {install.stage.actors['gateway'].pid}" in told[0]["help"],
        f"{result.json['obstacles']}",
    )


@case
def what_came_again_once_is_ended_as_well():
    install = Install()
    stage = install.stage
    stage.start_host("gateway", [stage.bridge("abandoned", stdio="abandoned")], keepalive=1)
    preflight = stage.start_reaper(
        "preflight",
        "--json",
        *QUICK,
        "--reap",
        "abandoned",
        "--",
        "/usr/bin/touch",
        str(install.updated),
    )
    history = stage.layout.home / ".local/state/orphan-reaper/history.jsonl"
    wait_until(lambda: b'"respawned"' in read_bytes(history), "it to come again")
    stage.kill_host("gateway")
    result = product.finish(preflight, 30)
    expect(result.status == 0 and install.updated.exists(), result.explain())
    expect(len(result.signalled()) == 2, result.explain())


@case
def what_cannot_be_known_is_not_ready():
    install = Install()
    for path in (install.hermes, install.hermes.parent / "moved"):
        if path.exists():
            path.rename(install.hermes.parent / "moved")
    result = install.preflight("--", "/usr/bin/touch", str(install.updated))
    expect(result.status == 4 and not install.updated.exists(), result.explain())
    expect(
        any("no install of Hermes was found" in one for one in result.json["remarks"]),
        f"{result.json['remarks']}",
    )


@case
def without_a_home_to_lock_it_goes_on_and_says_so():
    install = Install()
    install.stage.layout.home.chmod(0o311)  # it cannot be opened
    result = install.preflight("--", "/usr/bin/touch", str(install.updated))
    expect(install.updated.exists(), result.explain())
    expect(
        sum("another sweep may be at work" in one for one in result.json["remarks"]) == 1,
        f"{result.json['remarks']}",
    )


@case
def a_user_whose_own_sweep_is_at_work():
    """Root's preflight waits for it, and names it; meanwhile that user's timer does not interfere
    with root's command, though it may be the first sweep ever."""
    install = Install()
    stage = install.stage
    stage.orphans([stage.worker("deaf", ignore_term=True)])
    one = stage.start_reaper("sweep", "--min-age", "1ms", "--settle", "200ms", "--grace", "3s")
    wait_until(lambda: stage.actors["deaf"].signals(), "the user's sweep to signal")
    result = install.preflight("--all-users", "--lock-wait", "0s", uid=0)
    told = [
        (two["kind"], two["pids"], two["user"])
        for two in result.json["obstacles"]
        if two["kind"] == "sweep"
    ]
    expect(
        result.status == 5 and told == [("sweep", [one.pid], "u")], f"{result.json['obstacles']}"
    )
    product.finish(one, 30)
    script = f"echo > {stage.run}/running; sleep 3"
    root = product.start(
        [
            str(stage.layout.binary),
            "preflight",
            "--all-users",
            *QUICK,
            "--",
            "/bin/sh",
            "-c",
            script,
        ],
        0,
        stage.layout.home,
    )
    wait_until((stage.run / "running").exists, "root's command to run")
    stage.orphans([stage.worker("leaked")])
    timer = stage.sweep("--lock-wait", "0s")
    expect(timer.status == 5 and not timer.signalled(), timer.explain())
    expect(product.finish(root, 10).status == 0, "root's command")


@case
def an_update_that_runs_already():
    install = Install()
    stage = install.stage
    stage.orphans([stage.worker("leaked")])
    updater = install.user(
        "updater",
        *HERMES,
        "update",
        env={
            "HOST": json.dumps({"name": "updater", "dir": str(stage.run), "children": []}),
            "PYTHONPATH": str(install.hermes),
        },
    )
    stage.meet("updater")
    install.expect_blocked({"update": ["updater"]})
    stage.expect_ended(["leaked"])
    marker = put(
        install.home / ".hermes-update-in-progress", f"{updater.pid}\n{int(time.time())}\n"
    )
    stage.orphans([stage.worker("spared")])
    marked = install.expect_blocked({"update": ["updater"], "leak": ["spared"]})
    expect(not marked.signalled(), marked.explain())
    updater.send(signal.SIGKILL)
    stage.hosts["updater"].wait()
    # Here not every process of the machine is seen.
    outside = install.expect_blocked({"update": [], "leak": ["spared"]})
    expect("20 minutes" in str(outside.json["obstacles"]), f"{outside.json['obstacles']}")
    os.utime(marker, (time.time() - 1201,) * 2)
    install.expect_ready()
    stage.expect_ended(["spared"])


def as_another(stage, name, argv, uid):
    """Of another user, whose executable and working directory are not shown: this one's is the
    install."""
    host = {"name": name, "dir": str(stage.run), "children": []}
    environment = {
        "HOST": json.dumps(host),
        "STANDIN_NAME": name,
        "HOME": "/",
        "PATH": "/usr/bin:/bin",
        "HERMES_HOME": str(stage.layout.home / ".hermes"),
    }
    stage.hosts[name] = subprocess.Popen(
        list(map(str, argv)),
        cwd=stage.layout.hermes,
        env=environment,
        stdin=subprocess.DEVNULL,
        user=uid,
        group=uid,
        extra_groups=[],
    )
    return stage.meet(name)


@case
def of_other_users_the_command_line_tells():
    """Root sees all of it; the user is told that not all of it was seen."""
    install = Install()
    stage, v = install.stage, layout.OTHER_UID
    host = (stage.layout.lib / "standin_host.py").read_text()
    elsewhere = stage.layout.base / "elsewhere/venv/bin/python"
    put(elsewhere.parent.parent / "pyvenv.cfg", "home = /usr/bin\n")
    elsewhere.parent.mkdir()
    elsewhere.symlink_to(PYTHON)
    remark = "processes of others only the command line could be looked at"
    told = install.expect_ready()
    expect(sum(remark in one for one in told.json["remarks"]) == 1, f"{told.json['remarks']}")
    told = install.expect_ready("--user", "u", uid=0)
    expect(not any(remark in one for one in told.json["remarks"]), f"{told.json['remarks']}")

    as_another(stage, "script", [PYTHON, "-B", put(install.hermes / "tools/report.py", host)], v)
    install.expect_blocked({"occupant": ["script"]})
    install.expect_blocked({"occupant": ["script"]}, "--user", "u", uid=0)
    stage.kill_host("script")

    as_another(stage, "of-v", [*HERMES, "update"], v)  # v has no business in u's install
    as_another(stage, "of-root", [elsewhere, "-B", "-m", "hermes_cli.main", "update"], 0)
    install.expect_ready()
    stage.kill_host("of-v")
    stage.kill_host("of-root")
    as_another(stage, "updater", [*HERMES, "update"], 0)
    install.expect_blocked({"update": ["updater"]})
    install.expect_blocked({"update": ["updater"]}, "--user", "u", uid=0)
    stage.kill_host("updater")
    as_another(stage, "updater", [install.python, "-B", "-m", "hermes_cli.main", "update"], 0)
    install.expect_blocked({"update": ["updater"]})
    stage.kill_host("updater")

    as_another(stage, "roots", [*HERMES, "gateway", "run"], 0)
    install.expect_ready()
    stage.start_host("gateway", [])
    result = install.expect_blocked({"gateways": ["roots"]})
    expect(
        "sudo orphan-reaper preflight" in result.json["obstacles"][0]["help"],
        f"{result.json['obstacles']}",
    )


@case
def a_stale_file_that_cannot_be_removed():
    install = Install()
    path = put(install.home / "profiles/work/gateway.pid", str(NOBODY))
    layout.own_below(install.home, install.stage.uid)
    os.chown(path.parent, 0, 0)
    path.parent.chmod(0o755)
    result = install.expect_blocked({"stale_file": []}, status=5)
    told = result.json["obstacles"][0]
    expect(str(path) in told["detail"] and told["user"] == "u", f"{told}")
    expect(told["help"] == "sudo orphan-reaper pidfiles --clean --user u", f"{told}")
    text = install.text().out
    expect(
        text.startswith("not ready: 1 thing is in the way") and "stale_file (of u)" in text, text
    )
    expect("exit status 5: something that should have ended or been removed was not" in text, text)
    cleaned = install.stage.reaper(*told["help"].split()[2:], uid=0)  # the command that helps
    expect(cleaned.status == 0 and not path.exists(), cleaned.explain())
    install.expect_ready()


@case
def what_holds_a_deleted_log():
    install = Install()
    stage = install.stage
    wal = put(install.home / "state.db-wal", "wal")
    elsewhere = put(stage.layout.home / "notes.db-wal", "wal")
    hold = put(
        stage.layout.home / "hold.py",
        "import sys, time\nkept = open(sys.argv[1], 'rb')\nprint(flush=True)\ntime.sleep(99)\n",
    )
    for name, path in (("holder", wal), ("other", elsewhere)):
        one = install.user(name, PYTHON, "-B", hold, path, stdout=subprocess.PIPE)
        stage.hosts[name].stdout.read(1)
        expect(one.alive(), name)
    stage.start_host("gateway", [], open=str(wal))
    wal.unlink()
    elsewhere.unlink()
    result = install.preflight()
    got = {pid: one["kind"] for one in result.json["obstacles"] for pid in one["pids"]}
    expect(
        result.status == 6
        and got == {stage.actors[name].pid: "deleted_database" for name in ("holder", "gateway")},
        f"{result.json['obstacles']}",
    )


@case
def from_inside_of_hermes():
    """A session's terminal runs it: the session is not counted, and it says so."""
    install = Install()
    stage = install.stage
    wish = json.dumps(
        {
            "name": "session",
            "dir": str(stage.run),
            "children": [
                {
                    "argv": [
                        "/bin/sh",
                        "-c",
                        (
                            f"{stage.layout.binary} preflight --json {' '.join(QUICK)} > "
                            f"{stage.run}/told; echo $? > {stage.run}/status"
                        ),
                    ],
                    "env": {"STANDIN_NAME": "shell"},
                    "cwd": "/",
                    "stdio": "detached",
                    "after": 0,
                }
            ],
        }
    )
    environment = {
        "HOST": wish,
        "STANDIN_NAME": "session",
        "HOME": str(stage.layout.home),
        "PATH": "/usr/bin:/bin",
    }
    stage.hosts["session"] = subprocess.Popen(
        [str(install.python), "-B", "-m", "hermes_cli.main"],
        cwd=install.hermes,
        env=environment,
        stdin=subprocess.DEVNULL,
        user=stage.uid,
        group=stage.uid,
        extra_groups=[],
        start_new_session=True,
    )
    status = wait_until(
        lambda: (stage.run / "status").exists() and (stage.run / "status").read_text(),
        "it to be done",
    )
    told = json.loads((stage.run / "told").read_text())
    expect(status == "0\n" and told["ready"], f"{status} {told['obstacles']}")
    expect(
        any("runs inside of Hermes (session, pid" in one for one in told["remarks"]),
        f"{told['remarks']}",
    )


def signals_in(status):
    """Without those that the C library keeps to itself, 32 and 33."""
    return [int(line.split()[1], 16) & ~(3 << 31) for line in status.splitlines()]


@case
def the_command_runs_in_its_place():
    install = Install()
    stage = install.stage
    ran = stage.reaper(
        "preflight", *QUICK, "--quiet", "--", "/bin/sh", "-c", "echo out; echo error >&2; exit 7"
    )
    expect((ran.status, ran.out, ran.err) == (7, "out\n", "error\n"), ran.explain())
    expect(
        stage.reaper("preflight", *QUICK, "--", "no-such-program").status == 127,
        "status of a program that is not there",
    )
    expect(
        stage.reaper("preflight", *QUICK, "--", "/etc/passwd").status == 126,
        "status of what is no program",
    )
    dashed = stage.reaper("preflight", "--quiet", *QUICK, "--", "/bin/echo", "--json", "--", "-x")
    expect(dashed.out == "--json -- -x\n", dashed.out)
    dry = stage.reaper(
        "preflight", *QUICK, "--dry-run", "--", "/usr/bin/touch", str(install.updated)
    )
    expect(dry.status == 0 and not install.updated.exists(), dry.explain())
    signals = ["/bin/grep", "-E", "SigBlk|SigIgn", "/proc/self/status"]
    direct = product.run(signals, stage.uid, stage.layout.home)
    masked = stage.reaper("preflight", "--quiet", *QUICK, "--", *signals)
    expect(signals_in(masked.out) == signals_in(direct.out), f"{masked.out}, directly {direct.out}")


@case
def what_ends_it_ends_the_command():
    install = Install()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        one = install.stage.start_reaper("preflight", "--quiet", *QUICK, "--", "/bin/sleep", "98")
        sleeper = wait_until(
            lambda: [
                pid
                for pid in all_pids()
                if read_bytes(f"/proc/{pid}/cmdline") == b"/bin/sleep\0" b"98\0"
            ],
            "the command to run",
        )
        one.send_signal(number)
        expect(product.finish(one, 10).status == 128 + number, f"after {number}")
        expect(not os.path.exists(f"/proc/{sleeper[0]}"), "the command is left")


@case
def a_command_that_outlives_its_terminal_may():
    """As `hermes update` does, which ignores what a closed terminal sends to all of its
    processes."""
    install = Install()
    flag = install.stage.run / "go"
    script = (
        f"trap '' HUP; echo > {install.stage.run}/running; while [ ! -e {flag} ]; do sleep 0.05; "
        f"done; exit 7"
    )
    one = install.stage.start_reaper("preflight", "--quiet", *QUICK, "--", "/bin/sh", "-c", script)
    wait_until((install.stage.run / "running").exists, "the command to run")
    one.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    expect(one.poll() is None, "it was cut off")
    flag.touch()
    expect(product.finish(one, 10).status == 7, "its exit status")


@case
def a_terminal_that_hangs_up_is_told_to_the_command():
    """Where preflight leads the session, no other process is told."""
    install = Install()
    stage = install.stage
    told = stage.run / "told"
    command = [
        str(stage.layout.binary),
        "preflight",
        "--quiet",
        *QUICK,
        "--",
        "/bin/sh",
        "-c",
        f"trap 'echo > {told}; exit' HUP; echo > {stage.run}/running; while :; do sleep 0.1; done",
    ]
    pid, terminal = pty.fork()
    if pid == 0:
        os.setgroups([])
        os.setresgid(stage.uid, stage.uid, stage.uid)
        os.setresuid(stage.uid, stage.uid, stage.uid)
        os.execve(command[0], command, product.environment(stage.layout.home))
    wait_until((stage.run / "running").exists, "the command to run")
    os.close(terminal)
    wait_until(told.exists, "that the command is told", 10)
    os.waitpid(pid, 0)


@case
def no_sweep_interferes_meanwhile():
    """Not while the command runs, and no longer, whatever it leaves behind."""
    install = Install()
    stage = install.stage
    flag = stage.run / "go"
    script = (
        f"echo > {stage.run}/running; while [ ! -e {flag} ]; do sleep 0.05; done; "
        "setsid sleep 97 < /dev/null > /dev/null 2>&1 &\nexit 0"
    )
    one = stage.start_reaper("preflight", *QUICK, "--", "/bin/sh", "-c", script)
    wait_until((stage.run / "running").exists, "the command to run")
    stage.orphans([stage.worker("leaked")])
    timer = stage.sweep("--lock-wait", "0s")
    expect(timer.status == 5 and not timer.signalled(), timer.explain())
    second = install.preflight("--lock-wait", "0s")
    expect(
        second.status == 5 and "sweep" in {one["kind"] for one in second.json["obstacles"]},
        f"{second.json['obstacles']}",
    )
    flag.touch()
    expect(product.finish(one, 10).status == 0, "the command's status")
    stage.expect_sweep(stage.sweep("--lock-wait", "0s"), ["leaked"], [])


@case
def an_interrupt_starts_nothing():
    install = Install()
    stage = install.stage
    stage.orphans([stage.worker("leaked")])
    one = stage.start_reaper(
        "preflight", "--min-age", "60s", "--", "/usr/bin/touch", str(install.updated)
    )
    time.sleep(1)
    one.send_signal(signal.SIGINT)
    result = product.finish(one, 5)
    expect(result.status == 130 and not install.updated.exists(), result.explain())


if __name__ == "__main__":
    sandbox.main(__file__, globals())
