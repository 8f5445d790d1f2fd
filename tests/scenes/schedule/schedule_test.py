"""`schedule` where no systemd runs, with the crontab(1) of the machine; and what it refuses. With
systemd: tests/system/booted/schedule."""

import concurrent.futures
import contextlib
import copy
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess

import jsonschema

from harness import product, sandbox
from harness.actor import wait_until
from harness.layout import own_below, put
from harness.sandbox import case, expect
from harness.stage import Stage

SCHEMA = jsonschema.Draft202012Validator(
    json.loads(
        (
            sandbox.HERE.parents[1] / "packaging/schema/orphan-reaper-schedule.schema.json"
        ).read_text()
    )
)
OWN = '# mine\n\nMAILTO=""\n*/5 * * * *\ttrue % "\u00e4"\n'
BEGIN, END = "# orphan-reaper begin\n", "# orphan-reaper end\n"
SPOOL = "/var/spool/cron"
CRON_FILE = pathlib.Path("/etc/cron.d/orphan-reaper")


class Schedule:
    """A user u without systemd, whose crontab is kept in a spool of this case."""

    def __init__(self):
        self.stage = Stage()
        self.home = self.stage.layout.home
        hide("/run")
        for folder in (SPOOL, CRON_FILE.parent):
            if os.path.isdir(folder):
                hide(folder)

    def use_real_crontab(self):
        if not shutil.which("crontab"):
            raise sandbox.Skip("needs crontab(1), of the package cron")
        spool = pathlib.Path(SPOOL, "crontabs")
        spool.mkdir()
        shutil.chown(spool, 0, os.stat(shutil.which("crontab")).st_gid)
        spool.chmod(0o1730)

    def crontab(self, text=None):
        """Of u; writes it where `text` is given."""
        words = ["crontab", "-u", "u", "-l" if text is None else "-"]
        done = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
        return done.stdout

    def stand_in(self, name, script):
        """A program of that name comes first in the path of what is started by `run`."""
        path = put(self.home / "bin" / name, f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def pretend_manager(self):
        """What says that a manager of u runs, and the environment that leads there."""
        put(self.home / "runtime/systemd/private", "")
        own_below(self.home / "runtime", self.stage.uid)
        return {"XDG_RUNTIME_DIR": str(self.home / "runtime")}

    def run(self, *words, status=0, uid=None, env=None):
        path = {"PATH": f"{self.home}/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        env = {**path, **(env or {})}
        done = self.stage.reaper("schedule", *words, uid=uid, env=env)
        expect(done.status == status, f"{words}: wanted {status}: {done.out}{done.err}")
        return done

    def status(self, status, **more):
        said = self.run("status", "--json", status=status, **more).json
        SCHEMA.validate(said)
        return said

    def install_elsewhere(self, path):
        """The program at another path, as u's."""
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(self.stage.layout.binary, path)
        own_below(self.home, self.stage.uid)
        return path


def hide(folder):
    sandbox.mount("tmpfs", folder, "tmpfs", data="mode=755")


def files_below(*folders):
    """Every path with what it holds, to be compared."""
    found = {}
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            found[str(path)] = path.read_bytes() if path.is_file() else None
    return found


@case
def a_line_in_the_crontab_of_the_user():
    one = Schedule()
    one.use_real_crontab()
    expect(one.status(1)["scheduled"] == [], "something is scheduled")
    for own in (OWN, ""):
        if own:
            one.crontab(own)
        said = one.run("install", "--every", "10m").out
        program = one.stage.layout.binary
        line = f"*/10 * * * * {program} sweep --quiet\n"
        expect(one.crontab() == own + BEGIN + line + END, one.crontab())
        expect("schedule: every 10m, by the user crontab of u" in said, said)
        expect("  ok    a report ran as u just now: exit status 0" in said, said)
        expect("  WARN  no cron daemon was seen" in said, said)
        one.run("install", "--report-only")
        line = f"*/5 * * * * {program} report --quiet\n"
        expect(one.crontab() == own + BEGIN + line + END, one.crontab())
        (found,) = one.status(0)["scheduled"]
        wanted = {"kind": "user crontab", "command": f"{program} report --quiet"}
        expect(found == {**found, **wanted}, str(found))
        one.run("remove")
        expect(one.crontab() == own, one.crontab())
        expect(one.run("remove").out == "nothing was scheduled\n", "a second removal")
        one.crontab("")


@case
def a_line_that_is_switched_off_and_a_program_that_others_can_change():
    """As they became since install."""
    one = Schedule()
    one.use_real_crontab()
    one.run("install")
    program = one.stage.layout.binary
    folder = program.parent
    mode = folder.stat().st_mode
    folder.chmod(0o777)
    said = one.run("status", status=1).out
    expect(f"{folder} can be written by others" in said, said)
    folder.chmod(mode)
    one.run("status")
    one.crontab(one.crontab().replace("*/5 *", "#*/5 *"))
    expect("nothing is scheduled" in one.run("status", status=1).out, "it is switched off")
    one.run("remove")
    expect(one.crontab() == "", one.crontab())


@case
def lines_in_the_crontab_of_the_system():
    one = Schedule()
    one.use_real_crontab()
    refused = one.run("install", "--system", "--user", "u", status=2)
    expect("needs root" in refused.err, refused.err)
    expect("--user NAME" in one.run("install", "--system", uid=0, status=2).err, "")
    one.run("install", "--system", "--user", "nobody-of-that-name", uid=0, status=2)
    # As sudo leaves it: the rules of root are not those that cron's command reads.
    root = one.stage.layout.base / "home/root"
    put(root / ".config/orphan-reaper/rules.d/broken.json", "{", uid=0)
    sudo = {"HOME": str(root), "XDG_CONFIG_HOME": str(root / ".config")}
    for name in ("u", "v"):
        said = one.run("install", "--system", "--user", name, uid=0, env=sudo).out
        expect(f"a report ran as {name} just now" in said, said)
    lines = CRON_FILE.read_text().splitlines()
    program = one.stage.layout.binary
    expect(lines[0] == "# Written by orphan-reaper schedule install", str(lines))
    expect(lines[1] == f"*/5 * * * * u {program} sweep --quiet", str(lines))
    expect(len(lines) == 3 and oct(CRON_FILE.stat().st_mode) == "0o100644", str(lines))
    (found,) = one.status(0, env={"SUDO_USER": "v"})["scheduled"]
    expect(found["kind"] == "system crontab", str(found))
    one.run("remove", "--system", "--user", "u", uid=0)
    expect(CRON_FILE.read_text().splitlines() == [lines[0], lines[2]], CRON_FILE.read_text())
    one.run("remove", "--system", uid=0, env={"SUDO_USER": "v"})
    expect(not CRON_FILE.exists(), "a line was left")
    CRON_FILE.write_text("# of the administrator\n")
    refused = one.run("install", "--system", "--user", "u", uid=0, status=3)
    expect("was not written by install" in refused.err, refused.err)
    one.run("remove", "--system", "--user", "u", uid=0)
    expect(CRON_FILE.read_text() == "# of the administrator\n", CRON_FILE.read_text())


@case
def two_installs_for_the_system_lose_no_line():
    one = Schedule()
    one.use_real_crontab()
    turn = pathlib.Path("/run/orphan-reaper-schedule")
    turn.mkdir(mode=0o700)
    words = ("install", "--system", "--user")
    with concurrent.futures.ThreadPoolExecutor() as at_once:
        with lock_of(turn):
            second = at_once.submit(one.run, *words, "v", uid=0)
            wait_until(lambda: waits_for(turn), "the second install waits", 30)
            line = f"*/5 * * * * u {one.stage.layout.binary} sweep --quiet"
            CRON_FILE.write_text(f"# Written by orphan-reaper schedule install\n{line}\n")
        second.result(60)
        lines = CRON_FILE.read_text().splitlines()
        expect([text.split()[5] for text in lines[1:]] == ["u", "v"], str(lines))
        with lock_of(turn):
            one.run("install", "--system", "--user", "u", "--dry-run", uid=0)
            one.status(0)


@contextlib.contextmanager
def lock_of(folder):
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def waits_for(folder):
    """Another process has it open."""
    links = pathlib.Path("/proc").glob("[1-9]*/fd/*")
    return any(
        readlink(link) == str(folder) and link.parts[2] != str(os.getpid()) for link in links
    )


def readlink(link):
    try:
        return os.readlink(link)
    except OSError:
        return ""


@case
def a_dry_run_shows_all_and_writes_nothing():
    one = Schedule()
    one.use_real_crontab()
    one.crontab(OWN)
    before = files_below(one.home, SPOOL, CRON_FILE.parent)
    said = one.run("install", "--dry-run").out
    expect(said.startswith("run crontab -\n    # mine\n"), said)
    expect(one.run("remove", "--dry-run").out == "nothing is to be done\n", "of a removal")
    said = one.run("install", "--system", "--user", "u", "--dry-run", uid=0).out
    expect(said.startswith(f"write {CRON_FILE}\n    # Written by orphan-reaper"), said)
    expect(files_below(one.home, SPOOL, CRON_FILE.parent) == before, "something was written")


@case
def programs_that_will_be_gone_or_changed_are_refused():
    one = Schedule()
    one.use_real_crontab()
    hide("/var/tmp")
    one.stage.layout.binary.chmod(0o755)
    cases = {
        "a cache of npx": one.home / ".npm/_npx/ab/node_modules/.bin/orphan-reaper",
        "a cache of bunx": one.home / "bunx-1000-orphan-reaper@latest/orphan-reaper",
        "a temporary folder": pathlib.Path("/var/tmp/u/orphan-reaper"),
        "the build folder": one.home / "project/build/agent/orphan-reaper",
        "can be written by others": one.home / "shared/orphan-reaper",
        "replaced or removed": one.home / "old/orphan-reaper",
    }
    put(one.home / "project/build/CMakeCache.txt", "")
    for why, path in cases.items():
        one.install_elsewhere(path)
        one.stage.layout.binary = path
        path.parent.chmod(0o777 if "others" in why else 0o755)
        if "removed" in why:
            one.stage.reaper = started_deleted(one, path)
        done = one.run("install", "--cron", status=3)
        expect(why in done.err and not done.out, f"{why}: {done.err}")
    expect(not one.crontab(), one.crontab())


def started_deleted(one, path):
    """Starts the program by a descriptor, when it has no name any more."""

    def reaper(*words, uid=None, env=None):
        del uid
        fd = os.open(path, os.O_PATH)
        path.unlink()
        try:
            done = subprocess.run(
                [f"/proc/self/fd/{fd}", *words],
                pass_fds=[fd],
                user=one.stage.uid,
                group=one.stage.uid,
                extra_groups=[],
                capture_output=True,
                text=True,
                check=False,
                env={"HOME": str(one.home), **env},
            )
        finally:
            os.close(fd)
        return product.Result(done.returncode, done.stdout, done.stderr)

    return reaper


@case
def what_cannot_be_looked_at_is_not_nothing():
    one = Schedule()
    one.stand_in("crontab", 'echo "You (u) are not allowed to use this program" >&2; exit 1')
    said = one.status(4)
    expect("not allowed" in json.dumps(said["checks"]), str(said))
    expect("not allowed" in one.run("install", status=4).err, "of install")
    expect("not allowed" in one.run("remove", status=4).err, "of remove")
    one.stand_in("crontab", 'echo "no crontab for u" >&2; exit 1')
    environment = one.pretend_manager()
    one.stand_in("systemctl", 'echo "Failed to connect to bus" >&2; exit 1')
    said = one.status(4, env=environment)
    expect("Failed to connect to bus" in json.dumps(said["checks"]), str(said))
    expect("Failed to connect" in one.run("remove", status=4, env=environment).err, "of remove")
    expect("Failed to connect" in one.run("install", status=4, env=environment).err, "of install")


@case
def what_no_manager_can_take_back_is_told():
    """It was enabled, and the user's manager does not run now."""
    one = Schedule()
    wants = one.home / ".config/systemd/user/timers.target.wants"
    wants.mkdir(parents=True)
    (wants / "orphan-reaper.timer").symlink_to("/usr/lib/systemd/user/orphan-reaper.timer")
    refused = one.run("remove", status=4)
    expect("log in as u" in refused.err, refused.err)
    expect((wants / "orphan-reaper.timer").is_symlink(), "it was removed")


@case
def what_cannot_be_removed_is_told():
    """An administrator has enabled it for all users, says the manager, a stand-in."""
    one = Schedule()
    environment = one.pretend_manager()
    unit = "Id=orphan-reaper.timer\nLoadState=loaded\nUnitFileState=enabled\nActiveState=inactive"
    one.stand_in("systemctl", f'case $* in *show*) printf "{unit}\n" ;; esac')
    one.stand_in("crontab", 'echo "no crontab for u" >&2; exit 1')
    said = one.run("remove", status=1, env=environment).out
    expect("not all of it could be removed" in said, said)


@case
def a_crontab_whose_program_is_gone_is_told():
    one = Schedule()
    one.use_real_crontab()
    one.run("install")
    expect(one.status(0)["scheduled"], "nothing is scheduled")
    moved = one.install_elsewhere(one.home / "moved/orphan-reaper")
    one.stage.layout.binary.unlink()
    one.stage.layout.binary = moved
    failed = [check for check in one.status(1)["checks"] if check["status"] == "fail"]
    expect("cannot be run" in failed[0]["message"], str(failed))
    one.run("install")
    expect(f" {moved} sweep" in one.crontab(), one.crontab())
    one.status(0)


@case
def units_that_are_written_are_what_systemd_takes():
    """The manager is a stand-in that knows no unit: a dry run shows all files."""
    if not shutil.which("systemd-analyze"):
        raise sandbox.Skip("needs systemd-analyze")
    one = Schedule()
    one.stand_in("systemctl", "exit 0")
    environment = one.pretend_manager()
    for words in (
        ("--every", "7m", "--report-only"),
        ("--every", "2h"),
        ("--every", "24h"),
        ("--watch", "--report-only"),
    ):
        said = one.run("install", "--dry-run", *words, env=environment).out
        expect(not (one.home / ".config").exists(), "a dry run has written something")
        verify(one, written(said))


def written(said):
    """Path -> text of each file that a dry run shows."""
    files = {}
    for path, text in re.findall(r"^write (\S+)\n((?:    .*\n|\n)*)", said, re.M):
        files[path] = re.sub("^    ", "", text, flags=re.M)
    expect(len(files) >= 2, said)
    return files


def verify(one, files):
    folder = one.home / "units"
    shutil.rmtree(folder, ignore_errors=True)
    for path, text in files.items():
        expect(text.startswith("# Written by orphan-reaper schedule install\n"), text)
        put(folder / path.partition("/systemd/user/")[2], text)
    units = [str(path) for path in folder.iterdir() if path.is_file()]
    done = subprocess.run(
        ["systemd-analyze", "--user", "--man=no", "verify", *units],
        capture_output=True,
        text=True,
        check=False,
        env={"XDG_RUNTIME_DIR": str(one.home / "runtime"), "PATH": "/usr/bin:/bin"},
    )
    expect(done.returncode == 0 and not done.stdout + done.stderr, done.stdout + done.stderr)


@case
def the_schema_refuses_what_is_none():
    one = Schedule()
    one.use_real_crontab()
    one.run("install")
    good = one.status(0)
    expect(good["user"] == "u" and good["exit_status"] == 0, str(good))
    for change in (
        lambda said: said.pop("user"),
        lambda said: said.update(schema="orphan-reaper/schedule/2"),
        lambda said: said["scheduled"][0].update(kind="launchd"),
        lambda said: said["checks"][0].update(status="OK"),
        lambda said: said.update(at="today"),
    ):
        bad = copy.deepcopy(good)
        change(bad)
        expect(not SCHEMA.is_valid(bad), f"taken: {bad}")


if __name__ == "__main__":
    sandbox.main(__file__, globals())
