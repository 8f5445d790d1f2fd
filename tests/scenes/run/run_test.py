"""`run`: a helper that cannot outlive its host, and that otherwise does not notice."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

from harness import actor, helper, sandbox
from harness.actor import wait_until
from harness.helper import BINARY, Host, survivors
from harness.layout import UID
from harness.sandbox import PROGRAMS, PYTHON, case, expect
from harness.stage import Stage

TREE = (PYTHON, "-B", PROGRAMS / "stubborn_tree.py")
SLOW = int(os.environ.get("REAPER_SLOWDOWN", "1"))


def run(*words, options=(), **more):
    more.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(
        [BINARY, "run", *options, "--", *map(str, words)],
        capture_output=True,
        timeout=30,
        check=False,
        **more,
    )


def shell(script, **more):
    return run("/bin/sh", "-c", script, **more)


# It ends, with everything that it started


def through_run(stage, child, *options):
    """The helper alone has the name of the helper."""
    name, child["env"]["STANDIN_NAME"] = child["env"]["STANDIN_NAME"], "run"
    child["argv"] = [
        str(stage.layout.binary),
        "run",
        *options,
        *(["--"] if "--" not in options else []),
        "/usr/bin/env",
        f"STANDIN_NAME={name}",
        *child["argv"],
    ]
    return child


def tree(variant, options=("--grace", "300ms"), **more):
    if variant == "cgroup":
        helper.needs_cgroup()
    else:
        helper.without_cgroups()
    host = Host(*TREE, options=options, **more)
    expect(
        (" by a cgroup of its own" if variant == "cgroup" else " by child subreaper") in host.said,
        host.said,
    )
    host.meet_tree()
    return host


def no_cgroup_is_left():
    wait_until(
        lambda: not list(
            pathlib.Path("/sys/fs/cgroup").rglob(
                f"{os.environ['REAPER_TEST_CGROUP']}/run/orphan-reaper-*"
            )
        ),
        "the end of the cgroup",
        3,
    )


@case
def cgroup_host_killed():
    host = tree("cgroup")
    host.kill()
    host.expect_gone()
    no_cgroup_is_left()


@case
def cgroup_run_killed():
    host = tree("cgroup")
    host.kill(host.run_handle)
    host.expect_gone()
    no_cgroup_is_left()


@case
def cgroup_guard_killed():
    host = tree("cgroup")
    host.kill(host.guard_handle)
    host.expect_gone()
    no_cgroup_is_left()


@case
def subreaper_host_killed():
    host = tree("subreaper")
    host.kill()
    host.expect_gone()


@case
def subreaper_run_killed():
    host = tree("subreaper")
    host.kill(host.run_handle)
    host.expect_gone()


@case
def subreaper_guard_killed():
    host = tree("subreaper")
    host.kill(host.guard_handle)
    host.expect_gone()


def second_one_killed(variant, *names, options=("--grace", "1s")):
    """Within the grace that the death of the first one began."""
    host = tree(variant, options=options)
    handles = {"run": host.run_handle, "guard": host.guard_handle, "host": host.handle}
    for name in names:
        host.kill(handles[name])
        time.sleep(0.1)
    expect(survivors(), "the grace was not kept")
    began = time.monotonic()
    host.expect_gone()
    expect(time.monotonic() - began > 0.5, "the grace was not kept")
    if variant == "cgroup":
        no_cgroup_is_left()


@case
def cgroup_host_killed_then_guard():
    second_one_killed("cgroup", "host", "guard")


@case
def cgroup_host_killed_then_run():
    second_one_killed("cgroup", "host", "run")


@case
def subreaper_host_killed_then_guard():
    second_one_killed("subreaper", "host", "guard")


@case
def subreaper_host_killed_then_run():
    second_one_killed("subreaper", "host", "run")


@case
def any_user_without_a_right():
    host = tree("cgroup", uid=0)  # root may make one
    host.kill()
    host.expect_gone()
    host = Host(*TREE, options=("--grace", "300ms"), uid=UID)
    expect(
        " by child subreaper, without a cgroup: cannot make /sys/fs/cgroup" in host.said, host.said
    )
    host.meet_tree()
    host.kill()
    host.expect_gone()


@case
def the_group_of_run_killed():
    """As a host does that gave its helper a session: all of the group at once, run among them, but
    not the guard."""
    host = tree("subreaper", new_session=True)
    os.killpg(host.run, signal.SIGKILL)
    host.expect_gone()


@case
def control_without_run_the_tree_survives():
    parent = os.fork()
    if parent == 0:
        child = subprocess.Popen(
            list(map(str, TREE)), stdout=subprocess.PIPE, env={"ORPHAN_REAPER": "v1:control"}
        )
        child.stdout.readline()
        os._exit(0)
    os.waitpid(parent, 0)
    wait_until(lambda: len(survivors()) == helper.TREE, "the whole tree", 10)


@case
def both_of_run_killed_one_after_the_other():
    """The second one within the grace: what does not mind TERM goes on, and has the mark for the
    next sweep."""
    host = tree("subreaper", options=("--grace", "20s"))
    host.kill(host.guard_handle)
    wait_until(
        lambda: set(helper.children_of(host.run)) & set(survivors()),
        "that run has adopted the tree",
    )
    time.sleep(0.2)  # so that it has begun to end it
    host.kill(host.run_handle)
    wait_until(lambda: not helper.ours(), "the end of both")
    expect(survivors(), "nothing is left that could have the mark")


@case
def both_of_run_killed_at_once():
    """No process is left to end the tree. The kernel tells the helper, the mark tells the next
    sweep."""
    stage = Stage()
    # In a session of its own: no number is handed out again while it is that of a session or a
    # group.
    worker = deaf_worker(stage, "--parent", "{host}", "--", "/usr/bin/setsid")
    guard = actor.parent_of(worker.pid)
    ours = [os.pidfd_open(pid) for pid in (actor.parent_of(guard), guard)]
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for handle in ours:
            signal.pidfd_send_signal(handle, number)
    wait_until(worker.signals, "the kernel tells the helper")
    wait_until(lambda: actor.parent_of(worker.pid) == 1, "the adoption")
    report = stage.report()
    stage.expect_verdicts(report, {"helper": ("attached", "keep")})
    stage.expect_evidence(report, "helper", "veto.owner")
    host = stage.hosts.pop("host")
    host.kill()
    host.wait()
    # Its number goes to another process, which began at another time.
    time.sleep(0.02)
    pathlib.Path("/proc/sys/kernel/ns_last_pid").write_text(str(host.pid - 1))
    other = subprocess.Popen(["/bin/sleep", "60"])
    expect(other.pid == host.pid, f"{other.pid} is not {host.pid}")
    swept = stage.sweep()
    expect(swept.signalled() == [worker.pid], swept.explain())
    stage.expect_evidence(swept, "helper", "owner.dead")
    expect(worker.wait_ended(2) and other.poll() is None, "only the helper ends")


@case
def a_number_that_was_handed_out_again_is_not_the_host():
    """The host dies, and its pid goes to another process at once, before and after `run` looked."""
    waiting = subprocess.Popen(
        ["/bin/sh", "-c", f'read -r pid; exec {BINARY} run --parent "$pid" -- /bin/sleep 60'],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(0.03)
    stranger = subprocess.Popen(["/bin/sleep", "60"])
    _, said = waiting.communicate(f"{stranger.pid}\n".encode(), timeout=10)
    expect(waiting.returncode == 2 and b"began after this program" in said, said.decode())
    host = Host("/bin/sleep", "60", leads=False)
    host.kill()
    os.waitpid(host.pid, 0)
    pathlib.Path("/proc/sys/kernel/ns_last_pid").write_text(str(host.pid - 1))
    other = subprocess.Popen(["/bin/sleep", "60"])
    expect(other.pid == host.pid, f"{other.pid} is not {host.pid}")
    host.expect_gone()
    expect(other.poll() is None and stranger.poll() is None, "a stranger was ended")


@case
def two_bridges_of_one_host_are_duplicates_all_the_same():
    stage = Stage()
    home = stage.layout.data_home("one")
    stage.start_host(
        "host",
        [
            through_run(stage, stage.bridge(name, home=home, after=after))
            for name, after in (("older", 0), ("newer", 0.1))
        ],
    )
    stage.expect_verdicts(stage.report(), {"older": ("duplicate", "report"), "newer": "attached"})


@case
def what_the_helper_leaves_ends_with_it():
    began = time.monotonic()
    done = shell(
        "setsid sh -c 'trap \"\" TERM; exec sleep 60' >/dev/null 2>&1 </dev/null & exit 3",
        options=("--grace", "300ms"),
    )
    expect(done.returncode == 3, str(done))
    expect(time.monotonic() - began < 0.3 * SLOW, "the host had to wait for what is left")
    wait_until(lambda: not survivors(), "the end of the rest", 3)


@case
def what_ends_while_others_have_their_grace_leaves_no_zombie():
    """As by any init: pids are few, and this helper would use up all of them."""
    helper.without_cgroups()
    host = Host(
        "/bin/sh",
        "-c",
        "trap '' TERM; echo ready; while :; do (/bin/true &); done",
        options=("--grace", "1s"),
    )
    expect(host.out.readline() == b"ready\n", "not ready")
    host.kill()
    most = 0
    while actor.is_there(host.guard):
        most = max(
            most,
            sum(actor.stat_fields(pid)[:1] == [b"Z"] for pid in helper.children_of(host.guard)),
        )
    # 700 and more if none were. The guard is in a session of its own, and so has to wait for its
    # turn (sched_autogroup).
    expect(most < 250, f"{most} zombies at once")
    host.expect_gone()


@case
def a_tree_that_ends_when_told_is_not_killed():
    host = Host(
        "/bin/sh",
        "-c",
        "trap 'echo told; exit 5' TERM; echo ready; while :; do sleep 0.01; done",
        options=("--grace", "20s"),
    )
    expect(host.out.readline() == b"ready\n", "not ready")
    host.kill()
    expect(host.out.readline() == b"told\n", "it was not told")
    host.expect_gone(5)


# Grace


def deaf_worker(stage, *options, **wish):
    stage.start_host(
        "host", [through_run(stage, stage.worker("helper", ignore_term=True, **wish), *options)]
    )
    return stage.actors["helper"]


def seconds_to_end(stage, worker, at_most):
    began = time.monotonic()
    host = stage.hosts.pop("host")
    host.kill()
    host.wait()
    expect(worker.wait_ended(at_most), "it did not end")
    return time.monotonic() - began


@case
def the_grace_is_the_family_s():
    stage = Stage()
    worker = deaf_worker(stage)
    seconds = seconds_to_end(stage, worker, 10)
    expect(
        worker.signals() == ["TERM"] and 3 <= seconds < 3 + SLOW,
        f"{worker.signals()} after {seconds} s; a slash_worker has 3 s",
    )


@case
def the_grace_can_be_given():
    stage = Stage()
    worker = deaf_worker(stage, "--grace", "700ms")
    seconds = seconds_to_end(stage, worker, 10)
    expect(
        worker.signals() == ["TERM"] and 0.7 <= seconds < 0.7 + SLOW,
        f"{worker.signals()} after {seconds} s",
    )


@case
def a_database_is_waited_for_up_to_the_cap():
    stage = Stage()
    database = stage.run / "memos.db"
    subprocess.run(
        [
            PYTHON,
            "-c",
            f"import sqlite3; c = sqlite3.connect({str(database)!r}); c.execute('PRAGMA "
            f"journal_mode=WAL'); "
            "c.execute('CREATE TABLE t(b)')",
        ],
        check=True,
    )
    for file in stage.run.glob("memos.db*"):
        os.chown(file, stage.uid, stage.uid)
    body = stage.layout.lib / "standin_database.py"
    (stage.layout.hermes / "tui_gateway/slash_worker.py").write_text(body.read_text())
    worker = deaf_worker(
        stage, "--grace", "300ms", "--grace-cap", "1500ms", database=str(database), mode="busy"
    )
    seconds = seconds_to_end(stage, worker, 10)
    expect(1.4 <= seconds < 1.5 + SLOW, f"it works on its database, but ended after {seconds} s")


# Idleness


@case
def an_idle_helper_ends_and_one_in_use_does_not():
    for kind in ("pipe", "socket"):
        ours, theirs = socket.socketpair() if kind == "socket" else (None, None)
        running = subprocess.Popen(
            [BINARY, "run", "--idle", "600ms", "--", "/bin/cat"],
            stdin=theirs or subprocess.PIPE,
            stdout=theirs or subprocess.PIPE,
        )
        began = time.monotonic()
        while time.monotonic() - began < 1.5:
            os.write(ours.fileno() if ours else running.stdin.fileno(), b"x")
            expect(
                os.read(ours.fileno() if ours else running.stdout.fileno(), 1) == b"x", "no echo"
            )
            time.sleep(0.05)
        expect(running.poll() is None, f"{kind}: ended while it was in use")
        began = time.monotonic()
        expect(running.wait(5) == 143, f"{kind}: {running.returncode}")
        expect(
            0.4 <= time.monotonic() - began < 0.8 + SLOW,
            f"{kind}: after {time.monotonic() - began} s",
        )


# Otherwise it does not show


@case
def exit_statuses_pass():
    for status in (0, 1, 2, 7, 125, 128, 255):
        expect(shell(f"exit {status}").returncode == status, f"exit {status}")
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGUSR1):
        expect(shell(f"kill -{int(number)} $$").returncode == 128 + number, f"{number}")
    expect(run("no-such-program").returncode == 127, "what is not there")
    expect(run("/etc/passwd").returncode == 126, "what cannot be run")


@case
def stdio_is_handed_through():
    expect(run("cat", stdin=None, input=b"a\0b" * 100_000).stdout == b"a\0b" * 100_000, "cat")
    done = shell("echo out; echo err >&2")
    expect((done.stdout, done.stderr) == (b"out\n", b"err\n"), str(done))
    same = shell("readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2").stdout.split()
    expect(same[0] == b"/dev/null" and same[1].startswith(b"pipe:"), str(same))
    for closed in ("<&-", ">&-", "2>&-"):
        fd = {"<": 0, ">": 1, "2": 2}[closed[0]]
        left = subprocess.run(
            [
                "/bin/sh",
                "-c",
                f"exec {BINARY} run -- /bin/sh -c 'test -e /proc/$$/fd/{fd}' {closed}",
            ],
            check=False,
        )
        expect(left.returncode == 1, f"{closed}: the helper has a descriptor {fd}")


@case
def no_other_process_holds_the_ends():
    """The helper closes its ends while it goes on: the host sees that at once, as without run."""
    read, write = os.pipe()
    running = subprocess.Popen(
        [BINARY, "run", "--", "/bin/sh", "-c", f"exec <&- >&- {write}>&-; exec sleep 60"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=[write],
    )
    os.close(write)
    expect(running.stdout.read() == b"" and os.read(read, 1) == b"", "end of file")
    try:
        for _ in range(100):
            os.write(running.stdin.fileno(), b"x")
            time.sleep(0.01)
        raise AssertionError("it is not read, and nothing says so")
    except BrokenPipeError:
        pass
    expect(running.poll() is None, "it goes on")
    running.terminate()
    expect(running.wait(5) == 143, str(running.returncode))


@case
def the_environment_has_the_mark():
    told = (
        shell("echo $ORPHAN_REAPER; exec grep -E '^Sig(Blk|Ign)' /proc/self/status")
        .stdout.decode()
        .splitlines()
    )
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    namespace = os.readlink("/proc/self/ns/pid")[5:-1]
    start = actor.stat_fields(os.getpid())[19].decode()
    expect(told[0] == f"v1:{boot}:{namespace}:{os.getpid()}:{start}", told[0])
    expect(told[1].endswith("0000000000000000"), f"blocked signals: {told[1]}")
    expect(
        int(told[2].split()[1], 16) & 1 << (signal.SIGPIPE - 1) == 0, f"ignored signals: {told[2]}"
    )


@case
def what_the_caller_ignores_the_helper_ignores():
    def ignored(*command, these=()):
        told = subprocess.run(
            [*command, "/bin/grep", "SigIgn", "/proc/self/status"],
            capture_output=True,
            check=True,
            restore_signals=False,
            preexec_fn=lambda: [
                signal.signal(number, signal.SIG_IGN if number in these else signal.SIG_DFL)
                for number in every
            ],
        )
        return told.stdout

    every = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD, signal.SIGHUP, signal.SIGTSTP)
    for these in (every, (), *((number,) for number in every)):
        direct, through = ignored(these=these), ignored(BINARY, "run", "--", these=these)
        expect(direct == through, f"{these}: {direct} without run, {through} with it")


@case
def a_host_whose_first_thread_has_ended_lives():
    run_it = (
        f"print(subprocess.run([{BINARY!r}, 'run', '--', '/bin/echo', 'started'], "
        f"capture_output=True), flush=True); os._exit(0)"
    )
    first_thread_gone = (
        "import ctypes, os, subprocess, threading, time\n"
        "def work():\n"
        "    while open('/proc/self/stat').read().split()[2] != 'Z': time.sleep(0.01)\n"
        f"    {run_it}\n"
        "threading.Thread(target=work).start()\n"
        "ctypes.CDLL(None).pthread_exit(None)\n"
    )
    said = subprocess.run(
        [PYTHON, "-c", first_thread_gone], capture_output=True, timeout=20, check=False
    )
    expect(b"returncode=0, stdout=b'started" in said.stdout, str(said))


@case
def what_only_adopted_run_is_not_its_host():
    """The caller ends before `run` looks which that was; another process is its parent then."""
    manager = Stage().run / "systemd"
    shutil.copy(os.path.realpath(PYTHON), manager)
    late = "; ".join(
        (
            "import os, sys, time",
            "os.setsid()",
            "caller = os.getpid()",
            "os.fork() and os._exit(0)",
            "exec('while os.getppid() == caller: time.sleep(0.01)')",
            f"os.execv({BINARY!r}, [{BINARY!r}, 'run', *sys.argv[1:], '--', '/bin/true'])",
        )
    )
    adopt = (
        "import ctypes, os, subprocess, sys; ctypes.CDLL(None).prctl(36, 1, 0, 0, 0); "
        "subprocess.run(sys.argv[2:]); sys.exit(os.waitstatus_to_exitcode(os.waitpid(-1, 0)[1]))"
    )
    # The second is known by its name alone: what leads a session may have left the one of its
    # child.
    for adopter, word, leads in ((PYTHON, "--nobody", False), (manager, "--user", True)):
        for parent, status in ((), 2), (("--parent", str(os.getpid())), 0):
            done = subprocess.run(
                [adopter, "-c", adopt, word, PYTHON, "-c", late, *parent],
                capture_output=True,
                text=True,
                timeout=20,
                check=False,
                start_new_session=leads,
            )
            expect(done.returncode == status, f"{adopter}: {done}")
            expect(
                parent or "which only adopts: name the host with --parent PID" in done.stderr,
                f"{adopter}: {done}",
            )


# Mistakes


@case
def a_stranger_s_mistakes_are_told():
    os.setuid(UID)
    own = str(os.getpid())
    for words, status, said in (
        ([], 2, "run: expected what to start: run -- COMMAND..."),
        (["--"], 2, "run --: expected a command"),
        (["sleep", "1"], 2, "run: what it is to run stands behind '--': run -- sleep"),
        (
            ["--patent", own, "--", "true"],
            2,
            "unknown option '--patent' (did you mean '--parent'?)",
        ),
        (["--parent", "x", "--", "true"], 2, "--parent: 'x': expected a pid"),
        (["--parent", "0", "--", "true"], 2, "--parent: '0': expected a pid"),
        (["--parent", "1", "--", "true"], 2, "pid 1 is an init, which ends last of all"),
        (["--parent", "99999", "--", "true"], 2, "there is no process with the pid 99999"),
        (["--idle", "0s", "--", "true"], 2, "--idle 0s: a duration must be longer than nothing"),
        (["--idle", "1s", "--", "true"], 2, "run: --idle: cannot see traffic on stdin and stdout"),
        (["--json", "--", "true"], 2, "run prints no report; --json is about reports"),
        (["--dry-run", "--", "true"], 2, "--dry-run is for sweep"),
        (
            ["--grace", "2m", "--grace-cap", "1m", "--", "true"],
            2,
            "--grace is longer than --grace-cap",
        ),
    ):
        done = subprocess.run(
            [BINARY, "run", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=10,
            check=False,
        )
        expect(
            done.returncode == status and said in done.stderr,
            f"{words}: {done.returncode}, {done.stderr}",
        )


@case
def idleness_that_cannot_be_seen_is_told():
    """Nothing starts then: the user of --idle counts on it."""

    def idle(**more):
        return run("echo", "started", options=("--idle", "1h"), stdin=subprocess.PIPE, **more)

    refused = idle(user=UID, group=UID, extra_groups=[])  # the pipes are root's
    expect(refused.returncode == 4 and not refused.stdout, str(refused))
    expect(
        (
            b"cannot see traffic on stdin, as it is not yours to read (run it as its owner, or "
            b"without --idle)"
        )
        in refused.stderr,
        str(refused),
    )
    # A user namespace has limits of its own, and no other test takes or frees an instance in it.
    none_left = 'echo 0 >/proc/sys/user/max_inotify_instances; exec "$@"'
    refused = subprocess.run(
        ["unshare", "--user", "--map-root-user", "/bin/sh", "-c", none_left, "sh"]
        + [BINARY, "run", "--idle", "1h", "--", "echo", "started"],
        stdin=subprocess.PIPE,
        capture_output=True,
        timeout=30,
        check=False,
    )
    expect(
        refused.returncode == 4
        and not refused.stdout
        and b"raise fs.inotify.max_user_instances" in refused.stderr,
        str(refused),
    )
    expect(idle().stdout == b"started\n", "it starts where one is free")


@case
def a_host_of_another_user_is_refused():
    other = subprocess.Popen(["/bin/sleep", "60"])
    time.sleep(0.03)
    done = run("true", options=("--parent", str(other.pid)), user=UID, group=UID)
    expect(done.returncode == 2 and b"belongs to another user" in done.stderr, str(done))
    expect(run("true", options=("--parent", str(other.pid))).returncode == 0, "root may")
    other.kill()
    expect(
        b"has ended already" in run("true", options=("--parent", str(other.pid))).stderr, "a zombie"
    )
    expect(
        run("sh", "-c", "exit 4", user=UID, group=UID).returncode == 4,
        "but the caller may be of another user",
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        helper.enter_cgroup()
    sandbox.main(__file__, globals())
