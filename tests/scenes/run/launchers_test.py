"""`run` and launchers: tsx passes TERM on, and kills what does not take it within 60 ms. What it
runs is told first, and has its grace."""
import os
import pathlib
import shutil
import signal
import sys
import time

from harness import actor, helper, sandbox
from harness.actor import wait_until
from harness.helper import Host, children_of, survivors
from harness.layout import put
from harness.sandbox import NODE, PYTHON, case, expect

SLOW = int(os.environ.get("REAPER_SLOWDOWN", "1"))
OLDER, NEWER = "4.21.0", "4.23.15"
CACHE = (
    pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"))
    / "orphan-reaper/npm"
)
PLUGIN = pathlib.Path("/mnt/memos-plugin")

# Busy as in a checkpoint when it is told, and for longer than tsx waits.
LEAF_OF_TSX = """
const { writeSync } = require('fs');
process.on('SIGTERM', () => { writeSync(2, 'told\\n'); process.exit(); });
setInterval(() => {}, 1000);
setTimeout(() => process.exit(99), 60000);
const work = (time) => {
  writeSync(1, 'ready\\n');
  for (const end = Date.now() + time; Date.now() < end;);
  writeSync(2, 'closed\\n');
};
"""
AT_ONCE = "setTimeout(work, 50, 1500);\n"

# Runs its words as tsx does, and says when it is told.
FAKE_TSX = """
import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
const child = spawn(process.argv[2], process.argv.slice(3), { stdio: 'inherit' });
setTimeout(() => process.exit(99), 60000);
process.on('SIGTERM', () => {
  writeSync(2, 'launcher told\\n');
  child.kill('SIGTERM');
  setTimeout(() => { child.kill('SIGKILL'); process.exit(); }, 60);
});
"""
ENDS_WITH_ITS_CHILD = "child.on('exit', () => process.exit());\n"

LEAF = """
import os, signal, sys, time
def say(text):
    os.write(2, text.encode() + b"\\n")
def told(number, frame):
    say("told")
    BODY
signal.alarm(60)
signal.signal(signal.SIGTERM, told)
os.write(1, b"ready\\n")
while True:
    time.sleep(50)
"""


def plugin_with_tsx(version, work=AT_ONCE):
    installed = CACHE / f"tsx-{version}/node_modules"
    if not (installed / "tsx/dist/cli.mjs").exists():
        raise sandbox.Skip(f"tsx {version} is not in {CACHE}: tsx_test.py fetches it")
    sandbox.mount("tmpfs", "/mnt", "tmpfs", data="mode=755")
    (PLUGIN / "node_modules").mkdir(parents=True)
    ms_bind = 0x1000
    sandbox.mount(str(installed), PLUGIN / "node_modules", "none", ms_bind)
    sandbox.mount("tmpfs", "/tmp", "tmpfs", data="mode=1777")
    return put(PLUGIN / "bridge.cts", LEAF_OF_TSX + work)


def start(*words, **more):
    host = Host(*words, **more)
    expect(host.out.readline() == b"ready\n", "not ready")
    return host


def tsx(version, *options, **more):
    leaf = plugin_with_tsx(version, **more)
    cli = PLUGIN / "node_modules/tsx/dist/cli.mjs"
    return start(NODE, cli, leaf, "--agent=hermes", "--no-viewer", options=options)


def expect_whole_grace(host, *wanted):
    said = [host.err.readline().decode().strip() for _ in range(2)]
    expect(said == list(wanted or ("closed", "told")), f"it was killed at its work: {said}")
    host.expect_gone()


def with_fake_tsx(*body, launcher=FAKE_TSX + ENDS_WITH_ITS_CHILD, options=()):
    sandbox.mount("tmpfs", "/mnt", "tmpfs", data="mode=755")
    cli = put(pathlib.Path("/mnt/tsx/dist/cli.mjs"), launcher)
    leaf = LEAF.replace("BODY", "\n    ".join(body))
    return start(NODE, cli, PYTHON, "-c", leaf, options=options)


# The real one


def ends_with_its_host(version):
    host = tsx(version)
    host.kill()
    expect_whole_grace(host)


@case
def busy_leaf_has_its_grace():
    ends_with_its_host(OLDER)


@case
def busy_leaf_has_its_grace_newer():
    ends_with_its_host(NEWER)


@case
def busy_leaf_has_its_grace_without_a_cgroup():
    helper.without_cgroups()
    ends_with_its_host(OLDER)


@case
def busy_leaf_has_its_grace_when_it_is_idle():
    expect_whole_grace(tsx(OLDER, "--idle", "4s", work="setTimeout(work, 50, 7000);\n"))


@case
def busy_leaf_has_its_grace_when_run_is_killed():
    host = tsx(NEWER)
    host.kill(host.run_handle)
    expect_whole_grace(host)


@case
def leaf_below_npx_and_its_shell():
    """Told to end, npm tells tsx."""
    if not shutil.which("npx"):
        raise sandbox.Skip("needs npx")
    plugin_with_tsx(OLDER)
    put(PLUGIN / "package.json", "{}")
    words = ("npx", "--offline", "--yes", "tsx", "bridge.cts", "--agent=hermes")
    host = start("/usr/bin/env", "-C", PLUGIN, "HOME=/mnt", "NO_UPDATE_NOTIFIER=1", *words)
    expect(len(survivors()) >= 3, "npm, tsx and its leaf")
    host.kill()
    expect_whole_grace(host)


# It fills what its user may have. Its children end with it.
FULL = """
const { spawn } = require('child_process');
const more = () => spawn('/bin/sh', ['-c', 'trap "" TERM; read end'], {
  stdio: ['pipe', 'ignore', 'ignore'],
}).on('error', () => work(1500)).on('spawn', more);
more();
"""


@case
def leaf_has_its_grace_where_no_process_can_be_started():
    leaf = plugin_with_tsx(OLDER, FULL)
    host = Host(
        NODE,
        PLUGIN / "node_modules/tsx/dist/cli.mjs",
        leaf,
        "--agent=hermes",
        uid=54321,
        before=("/usr/bin/prlimit", "--nproc=100"),
    )
    expect(host.out.readline() == b"ready\n", "not ready")
    host.kill()
    expect_whole_grace(host)


# What launcher and leaf do meanwhile


@case
def leaf_that_becomes_another_program_has_its_grace():
    later = "import os, time; time.sleep(0.7); os.write(2, b'closed\\\\n')"
    host = with_fake_tsx(f'os.execv({PYTHON!r}, [{PYTHON!r}, "-c", "{later}"])')
    host.kill()
    expect_whole_grace(host, "told", "closed")


@case
def launcher_that_dies_meanwhile_takes_nothing_along():
    host = with_fake_tsx("time.sleep(0.7)", "say('closed')", "os._exit(0)")
    (leaf,) = children_of(host.helper)
    host.kill()
    expect(host.err.readline() == b"told\n", "the leaf was not told first")
    os.kill(host.helper, signal.SIGKILL)
    wait_until(lambda: actor.parent_of(leaf) != host.helper, "the adoption")
    expect(host.err.read() == b"closed\n", "the leaf was killed at its work")
    host.expect_gone()


@case
def launcher_that_stays_is_told_when_its_leaf_has_ended():
    host = with_fake_tsx("time.sleep(0.3)", "say('closed')", "os._exit(0)", launcher=FAKE_TSX)
    host.kill()
    said = host.err.read().decode().splitlines()
    expect(said == ["told", "closed", "launcher told"], f"{said}")
    host.expect_gone()


def deaf(variant):
    """Neither of them ends when told."""
    if variant == "cgroup":
        helper.needs_cgroup()
    else:
        helper.without_cgroups()
    launcher = FAKE_TSX.split("process.on")[0] + "process.on('SIGTERM', () => {});\n"
    host = with_fake_tsx("pass", launcher=launcher, options=("--grace", "500ms"))
    began = time.monotonic()
    host.kill()
    expect(host.err.read() == b"told\n", "told once")
    host.expect_gone()
    expect(time.monotonic() - began < 6 + SLOW, "it took too long")


@case
def launcher_and_leaf_that_do_not_end_are_killed():
    deaf("subreaper")


@case
def launcher_and_leaf_that_do_not_end_are_killed_with_their_cgroup():
    deaf("cgroup")


@case
def launcher_that_is_stopped_ends():
    host = with_fake_tsx("say('closed')", "os._exit(0)")
    os.kill(host.helper, signal.SIGSTOP)
    host.kill()
    expect(host.err.read().decode().splitlines()[:2] == ["told", "closed"], "the leaf first")
    host.expect_gone()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        helper.enter_cgroup()
    sandbox.main(__file__, globals())
