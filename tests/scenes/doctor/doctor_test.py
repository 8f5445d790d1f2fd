"""`doctor`: each thing that is wrong with a machine is found, and the command that it shows mends
it."""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import time

from harness import sandbox
from harness.actor import all_pids, wait_until
from harness.hung import HungMount
from harness.layout import OTHER_UID, UID, own_below, put
from harness.sandbox import PYTHON, case, expect
from harness.stage import Stage
from harness.user_manager import UserManager
from harness.watch import Watch

MS_BIND = 0x1000
MS_REMOUNT = 0x20
SCHEMA = sandbox.HERE.parents[1] / "packaging/schema/orphan-reaper-doctor.schema.json"
RULES = ".config/orphan-reaper/rules.d"
BUILTINS = ("echo", "export", "kill")


def check_schema(value):
    try:
        import jsonschema  # pylint: disable=import-outside-toplevel
    except ImportError:
        return
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(value)


class Machine:
    """A machine with an /etc and crontabs of its own, on which a sweep is scheduled."""

    def __init__(self, scheduled=True):
        etc = pathlib.Path("/var/lib/etc")  # a tmpfs of the case
        shutil.copytree("/etc", etc, symlinks=True)
        sandbox.mount(str(etc), "/etc", "none", MS_BIND)
        self.hide_crontabs()
        self.stage = Stage()
        self.home = self.stage.layout.home
        self.binary = self.stage.layout.binary
        (self.home / ".hermes/config.yaml").touch()
        if scheduled:
            self.schedule("u")

    def hide_crontabs(self):
        folder = pathlib.Path("/var/spool/cron")
        if folder.is_dir():
            sandbox.mount("tmpfs", folder, "tmpfs", data="mode=755")
            (folder / "crontabs").mkdir()
            group = subprocess.run(
                ["stat", "-c", "%g", "/usr/bin/crontab"], capture_output=True, text=True
            ).stdout
            os.chown(folder / "crontabs", 0, int(group or 0))
            (folder / "crontabs").chmod(0o1730)

    def schedule(self, user):
        line = f"*/5 * * * * {user} {self.binary} sweep --quiet\n"
        put(pathlib.Path("/etc/cron.d/orphan-reaper"), line, uid=0)
        self.start_cron()

    def start_cron(self):
        """What a process called cron does otherwise does not matter."""
        script = "open('/proc/self/comm', 'w').write('cron'); import signal; signal.pause()"
        cron = subprocess.Popen([PYTHON, "-c", script])
        comm = pathlib.Path(f"/proc/{cron.pid}/comm")
        wait_until(lambda: comm.read_text() == "cron\n", "cron")

    def doctor(self, *arguments, status=0, **more):
        result = self.stage.reaper("doctor", "--json", *arguments, **more)
        expect(result.json, result.out + result.err)
        check_schema(result.json)
        told = "\n".join(f"{one['status']} {one['message']}" for one in result.json["checks"])
        expect(result.status == status, f"exit {result.status}, wanted {status}:\n{told}")
        expect(result.json["exit_status"] == status, str(result.json["exit_status"]))
        for one in result.json["checks"]:
            expect_runnable(one["fix"])
        return result.json

    def mend(self, fix, uid=UID):
        """Types what it shows."""
        as_root = fix.startswith("sudo ")
        done = subprocess.run(
            ["/bin/sh", "-c", fix.removeprefix("sudo ")],
            capture_output=True,
            text=True,
            check=False,
            user=0 if as_root else uid,
            group=0 if as_root else uid,
            extra_groups=[],
            env={"HOME": str(self.home), "PATH": f"{self.binary.parent}:/usr/bin:/bin:/usr/sbin"},
        )
        expect(done.returncode == 0, f"{fix}: {done.returncode} {done.stdout} {done.stderr}")

    def rule_file(self, text, mode=0o644):
        path = put(self.home / RULES / "own.json", text)
        own_below(self.home / ".config", UID)
        path.chmod(mode)
        return path


def expect_runnable(fix):
    """Its first word is a program of this system, or a word of every shell."""
    if fix is None:
        return
    word = re.sub(r"^\(", "", fix.removeprefix("sudo ")).split()[0]
    known = word in BUILTINS or word == "orphan-reaper"
    place = "/usr/bin:/bin:/usr/sbin:/sbin"
    expect(known or shutil.which(word, path=place), f"there is no {word}, for: {fix}")


def find(report, name):
    found = [one for one in report["checks"] if one["id"] == name]
    expect(len(found) == 1, f"{name} is there {len(found)} times")
    return found[0]


def expect_check(report, name, status, says=""):
    one = find(report, name)
    expect(one["status"] == status and says in one["message"], f"wanted {status} {says!r}: {one}")
    return one


def listing(folder):
    return sorted(
        (str(path), path.lstat().st_mtime_ns, path.lstat().st_mode) for path in folder.rglob("*")
    )


@case
def a_machine_in_order():
    """For its user and for root; and nothing is changed or left."""
    machine = Machine()
    before = listing(machine.home), sorted(all_pids())
    report = machine.doctor("--strict")
    expect(report["summary"]["warn"] == report["summary"]["fail"] == 0, str(report["summary"]))
    expect(report["user"] == "u", report["user"])
    expect_check(report, "schedule", "ok", "/etc/cron.d/orphan-reaper sweeps")
    expect_check(report, "home", "ok", str(machine.home / ".hermes"))
    text = machine.stage.reaper("doctor").out
    expect(text.endswith("\nthis machine is in order\n"), text)
    expect("FAIL" not in text and "WARN" not in text and "->" not in text, text)
    quiet = machine.stage.reaper("doctor", "--quiet", "--strict")
    expect((quiet.status, quiet.out, quiet.err) == (0, "", ""), quiet.explain())
    after = listing(machine.home), sorted(all_pids())
    expect(after == before, f"changed: {set(map(str, after)) ^ set(map(str, before))}")
    of_root = machine.doctor(uid=0, home=machine.stage.layout.base / "home/root")
    expect_check(of_root, "rights", "ok", "root")
    expect_check(of_root, "schedule", "ok")
    expect(of_root["user"] == "root", of_root["user"])
    of_user = machine.doctor("--user", "u", uid=0)
    expect(of_user["user"] == "u", of_user["user"])
    expect_check(of_user, "home", "ok", str(machine.home / ".hermes"))


@case
def output_goes_to_a_file():
    machine = Machine()
    path = machine.stage.run / "doctor.json"
    done = machine.stage.reaper("doctor", "--json", "-o", str(path))
    expect((done.status, done.out) == (0, ""), done.explain())
    check_schema(json.loads(path.read_text()))
    full = machine.stage.reaper("doctor", "-o", "/dev/full")
    expect(full.status == 4 and "/dev/full" in full.err, full.explain())
    wrong = machine.stage.reaper("doctor", "--user", "nobody-of-that-name")
    expect(wrong.status == 2 and "no such user" in wrong.err, wrong.explain())
    for arguments in (["doctor", "now"], ["doctor", "--dry-run"], ["doctor", "--format", "html"]):
        expect(machine.stage.reaper(*arguments).status == 2, str(arguments))
    strict = machine.stage.reaper("report", "--strict")
    expect(strict.status == 2 and "--strict is for doctor" in strict.err, strict.explain())


@case
def nothing_sweeps_by_itself():
    machine = Machine(scheduled=False)
    report = machine.doctor()
    missing = expect_check(report, "schedule", "warn", "nothing sweeps by itself")
    machine.doctor("--strict", status=1)
    quiet = machine.stage.reaper("doctor", "--quiet", "--strict")
    expect(quiet.status == 1 and quiet.out.count("\n") == 1, quiet.explain())
    expect("-> " + missing["fix"] in machine.stage.reaper("doctor").out, "the command")
    if not shutil.which("crontab"):
        raise sandbox.Skip("there is no crontab here")
    machine.mend(missing["fix"])
    expect_check(machine.doctor(), "schedule", "warn", "crontab of u has a line that sweeps, but")
    machine.start_cron()
    expect_check(machine.doctor("--strict"), "schedule", "ok", "crontab of u sweeps")
    # Root reads it without that program, and finds no line of its own.
    expect_check(machine.doctor("--user", "u", uid=0), "schedule", "ok", "crontabs/u sweeps")


@case
def a_line_of_cron_counts_for_its_user():
    machine = Machine()
    report = machine.doctor(uid=OTHER_UID, home=machine.stage.layout.base / "home/v", status=1)
    expect_check(report, "schedule", "warn", "nothing sweeps")
    put(pathlib.Path("/etc/cron.d/orphan-reaper"), "* * * * * u orphan-reaper report\n", uid=0)
    expect_check(machine.doctor(), "schedule", "warn", "nothing sweeps")
    others = "# * * * * * u orphan-reaper sweep\n"
    lines = put(pathlib.Path("/etc/cron.d/orphan-reaper"), others, uid=0)
    fix = find(machine.doctor(uid=0), "schedule")["fix"]
    expect(fix == "orphan-reaper schedule install --system --cron --user root", str(fix))
    refused = machine.stage.reaper(*fix.split()[1:], uid=0)
    expect(refused.status == 3 and lines.read_text() == others, refused.explain())
    lines.unlink()
    machine.mend(fix, uid=0)
    expect_check(machine.doctor(uid=0), "schedule", "ok", "/etc/cron.d/orphan-reaper sweeps")


@case
def a_line_of_cron_that_runs_nothing():
    machine = Machine()
    binary, lines = machine.binary, pathlib.Path("/etc/cron.d/orphan-reaper")

    def expect_line(text, status, says):
        put(lines, text + "\n", uid=0)
        return expect_check(machine.doctor(), "schedule", status, says)

    gone = expect_line("* * * * * u /opt/gone/orphan-reaper sweep", "warn", "is gone or cannot")
    expect(gone["fix"] == "orphan-reaper schedule install", str(gone))
    plain = put(machine.stage.run / "orphan-reaper", "")
    expect_line(f"* * * * * u {plain} sweep", "warn", f"{plain} is gone or cannot be run")
    expect_line(f"* * * * * u echo do not run {binary} sweep", "warn", "nothing sweeps")
    expect_line("* * * * * u orphan-reaper sweep", "warn", "is gone or cannot be run")
    expect_line(f"PATH={binary.parent}\n* * * * * u orphan-reaper sweep", "ok", "sweeps by itself")
    expect_line(f"* * * * * u nice -n 9 {binary} sweep", "ok", "sweeps by itself")


@case
def proc_hides_others():
    machine = Machine()
    for how in ("invisible", "noaccess"):
        sandbox.mount("proc", "/proc", "proc", MS_REMOUNT, f"hidepid={how}")
        hidden = expect_check(machine.doctor(status=1), "proc", "fail", "process 1 among them")
        text = machine.stage.reaper("doctor").out
        expect("FAIL  proc: " in text and "1 failed, " in text, text)
        # A unit has a /proc of its own, which no mount of the machine changes.
        unit = machine.doctor(status=1, env={"SYSTEMD_EXEC_PID": "1"})
        expect_check(unit, "proc", "fail", "ProtectProc=default")
        machine.mend(hidden["fix"])
        expect_check(machine.doctor(), "proc", "ok")
    sandbox.mount("proc", "/proc", "proc", MS_REMOUNT, "hidepid=invisible")
    expect_check(machine.doctor(uid=0), "proc", "ok")  # root sees through it


@case
def processes_cannot_be_looked_at():
    """Another pid namespace's /proc is of no use; the other checks are made all the same."""
    machine = Machine()
    report = machine.doctor(status=4, before=["unshare", "--pid", "--fork", "--kill-child"], uid=0)
    expect_check(report, "proc", "fail", "could not be looked at")
    expect_check(report, "pidfd", "skip")
    expect_check(report, "rules", "ok")
    expect_check(report, "history", "ok")


@case
def no_process_can_be_started():
    """As at the limit of ulimit -u: what is not known is not called wrong."""
    machine = Machine()
    # A sanitizer looks for leaks of memory by a process of its own.
    alone = ["env", "LSAN_OPTIONS=detect_leaks=0", "prlimit", "--nproc=1"]
    report = machine.doctor(status=4, before=alone)
    expect_check(report, "proc", "fail", "copy of this program")
    expect_check(report, "around", "fail", "nothing else could be looked at")
    expect(not [one for one in report["checks"] if one["id"] == "schedule"], str(report["checks"]))
    quiet = machine.stage.reaper("doctor", "-q", before=alone)
    expect(quiet.status == 4 and quiet.out.startswith("proc: "), quiet.explain())


@case
def a_rule_file_is_wrong():
    machine = Machine()
    path = machine.rule_file('{"families": {"bridge": {"graze": "1m"}}}')
    wrong = expect_check(machine.doctor(status=1), "rules", "fail", "did you mean 'grace'?")
    expect(wrong["fix"] == f"orphan-reaper rules check {path}", str(wrong))
    check = machine.stage.reaper(*wrong["fix"].split()[1:])
    expect(check.status == 3 and "graze" in check.err, check.explain())
    machine.rule_file('{"families": {"bridge": {"grace": "1m"}}}')
    expect(machine.stage.reaper(*wrong["fix"].split()[1:]).status == 0, "the mended file")
    expect_check(machine.doctor(), "rules", "ok", "1 rule file, valid")
    extra = put(machine.stage.run / "extra.json", "{")
    extra.chmod(0o644)
    expect_check(machine.doctor("--config", str(extra), status=1), "rules", "fail", str(extra))


@case
def a_rule_file_is_not_to_be_trusted():
    machine = Machine()
    path = machine.rule_file("{}", mode=0o666)
    open_one = expect_check(machine.doctor(status=1), "rules", "fail", "by others")
    machine.mend(open_one["fix"])
    expect(path.stat().st_mode & 0o777 == 0o644, oct(path.stat().st_mode))
    expect_check(machine.doctor(), "rules", "ok")
    folder = machine.home / RULES
    folder.chmod(0o777)
    machine.mend(expect_check(machine.doctor(status=1), "rules", "fail", "by others")["fix"])
    expect_check(machine.doctor(), "rules", "ok")
    os.chown(path, OTHER_UID, OTHER_UID)
    foreign = expect_check(machine.doctor(status=1), "rules", "fail", f"user id {OTHER_UID}")
    expect(foreign["fix"] is None, str(foreign))


@case
def the_history_cannot_be_written():
    machine = Machine()
    state = machine.home / ".local"
    state.mkdir()  # root's
    closed = expect_check(machine.doctor(status=1), "history", "fail", f"{state} may not be")
    folder = state / "state/orphan-reaper"
    expect(closed["fix"] == f"sudo install -d -o {UID} -m 700 {folder}", str(closed))
    machine.mend(closed["fix"])
    expect_check(machine.doctor(), "history", "ok")
    expect(state.stat().st_uid == 0, "a folder above it changed hands")
    expect(folder.stat().st_uid == UID and not list(folder.iterdir()), "it was written to")
    state.chmod(0o700)
    closed = expect_check(machine.doctor(status=1), "history", "fail", "may not be")
    expect(closed["fix"] is None, f"of no use to one who may not enter {state}: {closed}")
    state.chmod(0o755)
    file = put(folder / "history.jsonl", "")
    own_below(state, UID)
    expect_check(machine.doctor(), "history", "ok")
    for place, mode in ((file, 0o000), (file, 0o400)):
        place.chmod(mode)
        closed = expect_check(machine.doctor(status=1), "history", "fail", "may not be")
        machine.mend(closed["fix"])
        expect_check(machine.doctor(), "history", "ok")
    file.unlink()
    folder.chmod(0o500)
    machine.mend(expect_check(machine.doctor(status=1), "history", "fail", str(folder))["fix"])
    expect_check(machine.doctor(), "history", "ok")
    file.symlink_to("/dev/null")
    machine.mend(expect_check(machine.doctor(status=1), "history", "fail", "no plain")["fix"])
    expect_check(machine.doctor(), "history", "ok")


@case
def what_is_not_the_users_is_not_given_away():
    machine = Machine()
    home, local = machine.home, machine.home / ".local"
    outside = f"{home}/x/../../../var/lib/foo"
    (home / "x").mkdir()

    def expect_no_fix(says, **more):
        trouble = expect_check(machine.doctor(status=1, **more), "history", "fail", says)
        expect(trouble["fix"] is None, str(trouble))

    for place in ("/nonexistent", "/"):
        expect_no_fix("/ may not be written to", home=place)
    expect_no_fix("/var/lib may not", env={"XDG_STATE_HOME": "/var/lib/foo"})
    expect_no_fix("may not", env={"XDG_STATE_HOME": outside})
    for place in ("/dev/null", "/dev/null/a"):
        expect_no_fix("no plain file", env={"XDG_STATE_HOME": place})
    local.symlink_to("/var/lib")  # where root's own history would be
    expect_no_fix("may not be written to")
    local.unlink()
    local.mkdir()
    os.chown(local, OTHER_UID, OTHER_UID)
    expect_no_fix("may not be written to")


@case
def a_path_that_is_not_shown_as_it_is():
    machine = Machine()
    for name in ("\u00e9", "a\x1b[2Jb", "a\nb"):
        state = machine.home / name
        folder = state / "orphan-reaper"
        folder.mkdir(parents=True)
        own_below(state, UID)
        folder.chmod(0o500)
        env = {"XDG_STATE_HOME": str(state)}
        closed = expect_check(machine.doctor(status=1, env=env), "history", "fail", "may not be")
        expect(closed["fix"] is None, str(closed))
        text = machine.stage.reaper("doctor", env=env).out
        expect("->" not in text and text.isascii() and "\x1b" not in text, text)
    path = put(machine.home / RULES / "\u00e9.json", "{}")
    own_below(machine.home / ".config", UID)
    path.chmod(0o666)
    closed = expect_check(machine.doctor(status=1), "rules", "fail", "by others")
    expect(closed["fix"] is None, str(closed))


@case
def no_room_for_the_history():
    machine = Machine()
    state = machine.home / ".local/state"
    state.mkdir(parents=True)
    sandbox.mount("tmpfs", state, "tmpfs", data=f"mode=755,uid={UID},size=16k")
    expect_check(machine.doctor(), "history", "ok")
    try:
        (state / "filler").write_bytes(b"x" * 65536)
    except OSError:
        pass
    expect_check(machine.doctor(status=1), "history", "fail", "no room left")
    (state / "filler").unlink()
    sandbox.mount("tmpfs", state, "tmpfs", flags=MS_REMOUNT | 1)  # MS_RDONLY
    expect_check(machine.doctor(status=1), "history", "fail", "read-only")


@case(lazy=True)
def process_1_does_not_reap():
    machine = Machine()
    expect_check(machine.doctor(), "init", "ok")
    command = ["sh", "-c", "sleep 3.5 >/dev/null 2>&1 & echo $!"]
    pid = int(subprocess.check_output(command, user=UID, group=UID, extra_groups=[]))
    stat = pathlib.Path(f"/proc/{pid}/stat")
    wait_until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "Z", "its end")
    lazy = expect_check(machine.doctor(), "init", "warn", "docker run --init")
    expect(lazy["facts"]["zombies"] == 1, str(lazy))
    machine.doctor("--strict", status=1)


@case
def homes_that_are_none():
    machine = Machine()
    empty = machine.home / "empty"
    empty.mkdir()
    report = machine.doctor("--home", str(empty))
    expect_check(report, "home", "warn", "holds nothing")
    gone = machine.home / "gone"
    both = machine.doctor(env={"HERMES_HOME": str(gone)})["checks"]
    told = [one["message"] for one in both if one["id"] == "home" and one["status"] == "warn"]
    expect(told == [f"{gone}, which HERMES_HOME names, is not there"], str(told))
    hermes = machine.home / ".hermes"
    hermes.chmod(0o000)
    machine.mend(expect_check(machine.doctor(), "home", "warn", "may not be read")["fix"])
    expect_check(machine.doctor(), "home", "ok")


@case
def another_program_of_that_name():
    machine = Machine()
    folder = machine.home / "bin"

    def put_program(text, owner=UID):
        path = put(folder / "orphan-reaper", text, uid=owner)
        os.chown(folder, UID, UID)
        path.chmod(0o755)
        return path

    def told(status, says, **more):
        path = f"{folder}:/usr/bin:/bin:{machine.binary.parent}"
        began = time.monotonic()
        report = machine.doctor(env={"PATH": path}, **more)
        expect(time.monotonic() - began < 20, "it took too long")
        return expect_check(report, "program", status, says)

    path = put_program("#!/bin/sh\necho orphan-reaper 0.0.1\n")
    told("warn", f"{path} is in PATH too, version 0.0.1")
    put_program("#!/bin/sh\nexec sleep 1000\n")
    told("warn", "does not say which version")
    expect(not [pid for pid in all_pids() if is_sleep(pid)], "it was left")
    marker = machine.stage.run / "asked"
    put_program(f"#!/bin/sh\ntouch {marker}\necho orphan-reaper 0.0.1\n", owner=OTHER_UID)
    told("warn", "others can change it")
    told("warn", "others can change it", uid=0)
    expect(not marker.exists(), "another user's program was run")
    shutil.copy2(machine.binary, path)
    os.chown(path, UID, UID)
    told("ok", "in PATH too")


def is_sleep(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes() == b"sleep\x001000\x00"
    except OSError:
        return False


@case
def a_watch_of_a_replaced_program():
    machine = Machine(scheduled=False)
    expect_check(machine.doctor(), "watch", "skip")
    watch = Watch(machine.stage)
    expect_check(machine.doctor(), "watch", "ok", f"pid {watch.pid} ")
    other = machine.binary.with_name("new")
    shutil.copy2(machine.binary, other)
    os.rename(other, machine.binary)
    old = expect_check(machine.doctor(), "watch", "warn", "was replaced since it started")
    expect(old["fix"] == f"kill {watch.pid}; orphan-reaper watch", str(old))
    expect_check(machine.doctor(), "schedule", "ok", "watch (pid")
    watch.stop()
    expect_check(machine.doctor(), "watch", "skip")


@case
def a_watch_of_a_container():
    """It shares the home, and sees none of these processes."""
    machine = Machine(scheduled=False)
    user = f"setpriv --reuid {machine.stage.uid} --regid {machine.stage.uid} --clear-groups"
    watch = Watch(
        machine.stage,
        uid=0,
        before=["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
        + ["/bin/sh", "-c", f'{user} "$@"; exit', "-"],
    )
    expect_check(machine.doctor(), "watch", "skip")
    expect_check(machine.doctor(), "schedule", "warn")
    watch.process.kill()
    watch.process.wait()


@case
def another_users_processes():
    machine = Machine()
    refused = machine.doctor("--user", "v", status=1)
    rights = expect_check(refused, "rights", "fail", "processes of v")
    again = rights["fix"].removeprefix("sudo orphan-reaper ").split()
    expect_check(machine.doctor(*again[1:], uid=0), "rights", "ok")


@case
def a_home_that_hangs():
    machine = Machine()
    behind = machine.stage.layout.base / "behind"
    behind.mkdir()
    own_below(behind, UID)
    place = machine.home / ".local"
    mount = HungMount(behind, place)
    mount.hang()
    began = time.monotonic()
    report = machine.doctor(status=1)
    expect(time.monotonic() - began < 40, "it took too long")
    expect_check(report, "history", "fail", "did not answer")
    expect_check(report, "readable", "warn", str(place))
    expect_check(report, "schedule", "ok")
    mount.go()


def units(manager, *names, start="sweep --quiet"):
    folder = sandbox.HERE.parents[1] / "packaging/systemd"
    for name in names:
        source = folder / name
        text = source.read_text() if source.exists() else (folder / f"{name}.in").read_text()
        program = f"ExecStart={manager.stage.layout.binary} {start}"
        manager.unit(name, re.sub(r"ExecStart=.*", program, text))


def show(machine, manager, *words):
    """systemctl, as the user has it."""
    return subprocess.run(
        ["/usr/bin/systemctl", "--user", *words],
        env={"XDG_RUNTIME_DIR": str(manager.runtime), "PATH": "/usr/bin:/bin"},
        user=machine.stage.uid,
        group=machine.stage.uid,
        extra_groups=[],
        capture_output=True,
        text=True,
        check=False,
    )


@case(timeout=120)
def a_timer_of_the_user_manager():
    machine = Machine(scheduled=False)
    manager = UserManager(machine.stage)
    units(manager, "orphan-reaper.timer", "orphan-reaper.service")
    manager.start()
    wait_until(lambda: (manager.runtime / "systemd/private").exists(), manager.log, 30)
    wait_until(lambda: show(machine, manager, "show").returncode == 0, manager.log, 30)
    installed = expect_check(machine.doctor(), "schedule", "warn", "nothing sweeps by itself")
    expect(installed["fix"] == "systemctl --user enable --now orphan-reaper.timer", str(installed))
    of_root = machine.doctor("--user", "u", uid=0)
    unknown = expect_check(of_root, "schedule", "skip", "systemd of u answers only that user")
    machine.mend(unknown["fix"], uid=0)
    begun = show(machine, manager, "start", "orphan-reaper.timer")
    expect(begun.returncode == 0, begun.stderr)
    report = machine.doctor()
    timer = expect_check(report, "schedule", "ok", "orphan-reaper.timer sweeps by itself")
    expect(timer["facts"]["user_manager"] == "answered", str(timer))
    expect(timer["facts"]["by"] == ["orphan-reaper.timer"], str(timer))
    expect_check(report, "linger", "warn", "when u logs out")
    expect_check(report, "last_sweep", "skip")
    # Hardening needs what a namespace of a test may not have.
    units(manager, "orphan-reaper.timer")
    manager.unit(
        "orphan-reaper.service",
        "[Unit]\nDefaultDependencies=no\n[Service]\nType=oneshot\nSuccessExitStatus=1\n"
        f"ExecStart={machine.binary} sweep --quiet\n",
    )
    show(machine, manager, "daemon-reload")
    ran = show(machine, manager, "start", "orphan-reaper.service")
    expect(ran.returncode == 0, ran.stderr + manager.log())
    expect_check(machine.doctor(), "last_sweep", "ok", "with exit status 0")
    machine.rule_file("{")
    failed = show(machine, manager, "start", "orphan-reaper.service")
    expect(failed.returncode != 0, "a sweep by broken rules")
    report = machine.doctor(status=1)
    expect_check(report, "schedule", "fail", "exit-code, exit status 3")
    (machine.home / RULES / "own.json").unlink()
    for starts in ("report --quiet", "sweep --dry-run"):
        units(manager, "orphan-reaper.service", start=starts)
        show(machine, manager, "daemon-reload")
        show(machine, manager, "reset-failed")
        idle = expect_check(machine.doctor(), "schedule", "warn", "timer runs, but sweeps nothing")
        expect(idle["facts"]["by"] == [], str(idle))


@case
def a_manager_that_does_not_answer():
    machine = Machine(scheduled=False)
    sandbox.mount("tmpfs", "/run", "tmpfs", data="mode=755")
    runtime = pathlib.Path(f"/run/user/{UID}/systemd")
    runtime.mkdir(parents=True)
    own_below(pathlib.Path("/run/user"), UID)
    script = (
        "import signal, socket, sys; one = socket.socket(socket.AF_UNIX);"
        "one.bind(sys.argv[1]); one.listen(); print('ready', flush=True); signal.pause()"
    )
    silent = subprocess.Popen(
        [PYTHON, "-c", script, str(runtime / "private")],
        stdout=subprocess.PIPE,
        text=True,
        user=UID,
        group=UID,
        extra_groups=[],
    )
    expect(silent.stdout.readline() == "ready\n", "the socket")
    began = time.monotonic()
    report = machine.doctor()
    expect(time.monotonic() - began < 20, "it took too long")
    expect_check(report, "schedule", "skip", "did not answer")
    left = [
        pid for pid in all_pids() if "systemctl" in pathlib.Path(f"/proc/{pid}/comm").read_text()
    ]
    expect(not left, f"left: {left}")
    silent.send_signal(signal.SIGKILL)


def cpu_seconds(stage, *arguments):
    """Of it and of all that it starts."""

    def so_far():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before = so_far()
    stage.reaper(*arguments)
    return so_far() - before


@case(alone=True)
def it_costs_at_most_three_reports():
    machine = Machine()
    stage = machine.stage
    idle = os.environ["REAPER_IDLE"]
    crowd = [subprocess.Popen([idle], user=OTHER_UID, group=OTHER_UID) for _ in range(145)]
    stage.orphans([stage.bridge(f"bridge-{number}") for number in range(4)])
    report, doctor = [], []
    for _round in range(15):
        report.append(cpu_seconds(stage, "report"))
        doctor.append(cpu_seconds(stage, "doctor"))
    ratio = sum(sorted(doctor)[:8]) / sum(sorted(report)[:8])
    print(f"     {len(all_pids())} processes: {ratio:.2f} times the CPU time of a report")
    expect(ratio <= 3, f"{ratio:.2f} times the cost of a report")
    expect(all(one.poll() is None for one in crowd), "the crowd")


if __name__ == "__main__":
    sandbox.main(__file__, globals())
