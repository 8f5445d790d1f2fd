"""`sweep --detach`, as a hook of a host that ends: it answers at once, and whatever happens to the
hook and to the host then, what the host leaves behind is ended."""
import contextlib
import json
import os
import signal
import socket
import subprocess
import time

from harness import actor, layout, product, sandbox
from harness.actor import wait_until
from harness.layout import own_below, put
from harness.sandbox import case, expect
from harness.stage import Stage
from harness.user_manager import pretend_booted
from harness.watch import Watch, history

SLOWDOWN = int(os.environ.get("REAPER_SLOWDOWN", "1"))
QUICKLY = ("--min-age", "1ms", "--settle", "200ms", "--grace", "1s")
ANSWER = 0.3 if SLOWDOWN == 1 else 5  # seconds
STATE = ".local/state/orphan-reaper"


def with_times(settle="200ms", grace="1s"):
    return ["--min-age", "1ms", "--settle", settle, "--grace", grace]


def hook(stage, *more, then="", times=QUICKLY, **wish):
    """The hook of a host, as a line that a shell runs. then: what follows it there."""
    words = [str(stage.layout.binary), "sweep", "--detach", *times, *more]
    return {"argv": ["/bin/sh", "-c", " ".join(words) + then], **wish}


def start_host(stage, name, *children, **wish):
    wish.setdefault("hook", hook(stage, "--from", "hermes", after=0.3))
    return stage.start_host(name, list(children), **wish)


def end_session(stage, *names):
    """Its hook has run when this returns: what the host saw of it."""
    for name in names:
        put(stage.run / f"{name}.end", "")
    told = []
    for name in names:
        path = stage.run / f"{name}.hook"
        wait_until(path.exists, f"the hook of {name}", 30)
        told.append(json.loads(path.read_text()))
    return told


def expect_silent(*hooks, killed=False):
    """In time is what the host waited until all of its pipes were closed."""
    for told in hooks:
        expect(told["out"] == ("killed" if killed else ""), f"{told}")
        expect(killed or told["status"] == 0, f"{told}")


def sweepers():
    """Processes that a hook has left behind, without those that only read for them."""
    pids = [
        pid
        for pid in actor.all_pids()
        if b"\0--detach\0" in actor.read_bytes(f"/proc/{pid}/cmdline")
    ]
    return [pid for pid in pids if actor.is_there(pid) and actor.parent_of(pid) not in pids]


def watches():
    return [
        pid
        for pid in actor.all_pids()
        if b"orphan-reaper\0watch\0" in actor.read_bytes(f"/proc/{pid}/cmdline")
    ]


def wait_for_none():
    wait_until(lambda: not sweepers(), "the detached sweep to end", 30)


def expect_ended(stage, names):
    for name in names:
        expect(stage.actors[name].wait_ended(15), f"{name} still runs")


def runs(stage):
    path = stage.layout.home / STATE / "runs.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def expect_recorded(stage, name, asked_by):
    """The history says what was done, and what asked for it."""
    pid = stage.actors[name].pid
    events = [one for one in history(stage) if one.get("pid") == pid]
    expect([one["event"] for one in events] == ["signal", "ended"], f"{events}")
    expect(all(one["from"] == asked_by for one in events), f"{events}")
    run = runs(stage)[-1]
    expect(run["command"] == "sweep" and run["from"] == asked_by, f"{run}")


@case
def what_a_host_leaves_is_ended_when_it_has_ended():
    stage = Stage()
    stage.start_host("living", [stage.bridge("kept")])
    host = start_host(stage, "host", stage.bridge("bridge"), stage.worker("worker"))
    (told,) = end_session(stage, "host")
    expect_silent(told)
    expect(sweepers() and stage.actors["bridge"].alive(), "it waits for the host")
    host.wait(10)
    expect_ended(stage, ["bridge", "worker"])
    wait_for_none()
    stage.expect_alive(["kept"], silent=["living"])
    expect_recorded(stage, "bridge", "hermes")
    expect(len(runs(stage)) == 1, f"{runs(stage)}")


@case
def a_hook_that_is_killed():
    """With all that is in its process group, as Claude Code and Codex do it."""
    stage = Stage()
    wish = hook(stage, "--from", "hermes", then="; sleep 60 & wait", limit=1.5, after=0.1)
    start_host(stage, "host", stage.bridge("bridge"), hook=wish)
    expect_silent(*end_session(stage, "host"), killed=True)
    expect_ended(stage, ["bridge"])
    wait_for_none()
    expect_recorded(stage, "bridge", "hermes")


@case
def a_host_that_is_killed_while_its_hook_runs():
    """With the whole session of its hook, and without a word."""
    stage = Stage()
    wish = hook(stage, "--from", "hermes", then="; echo $$ > RUN/shell; sleep 60", after=0)
    wish["argv"][2] = wish["argv"][2].replace("RUN", str(stage.run))
    host = start_host(stage, "host", stage.bridge("bridge"), hook=wish)
    put(stage.run / "host.end", "")
    shell = int(wait_until(lambda: actor.read_bytes(stage.run / "shell"), "the hook"))
    host.kill()
    host.wait()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(shell, signal.SIGKILL)
    expect_ended(stage, ["bridge"])
    wait_for_none()
    expect_recorded(stage, "bridge", "hermes")


@case
def many_requests_at_once_share_one_sweep():
    """Twenty sessions end at the same moment. At most one process waits, and one sweeps."""
    stage = Stage()
    names = [f"host-{number}" for number in range(20)]
    for name in names:
        worker = stage.worker(f"{name}-worker", session=name)
        start_host(stage, name, worker, hook=hook(stage, "--from", "hermes", after=3))
    expect_silent(*end_session(stage, *names))
    wait_until(lambda: len(sweepers()) == 1, "one of them to wait for all", 3 * SLOWDOWN)
    for name in names:
        expect(stage.actors[name + "-worker"].wait_ended(15), f"what {name} has left")
    wait_for_none()
    expect(len(runs(stage)) <= 2, f"{runs(stage)}")


@case
def a_request_during_a_sweep_causes_another_one():
    stage = Stage()
    wish = hook(stage, "--from", "hermes", times=with_times(grace="4s"), after=0)
    deaf, other = stage.worker("deaf", session="a", ignore_term=True), stage.worker(
        "other", session="b"
    )
    start_host(stage, "first", deaf, hook=wish)
    start_host(stage, "second", other, hook=wish)
    end_session(stage, "first")
    wait_until(stage.actors["deaf"].signals, "the first sweep")
    end_session(stage, "second")
    expect(not runs(stage), "the first sweep is still under way")
    wait_until(lambda: not stage.actors["other"].alive(), "the second sweep", 20)
    expect_ended(stage, ["deaf"])
    wait_for_none()
    expect(len(runs(stage)) == 2, f"{runs(stage)}")
    expect_recorded(stage, "other", "hermes")


@case
def names_of_all_that_asked():
    stage = Stage()
    for name in ("claude-code", "codex"):
        start_host(
            stage,
            name,
            stage.worker(f"{name}-worker", session=name),
            hook=hook(stage, "--from", name, times=with_times(settle="3s"), after=0.2),
        )
    end_session(stage, "claude-code", "codex")
    wait_for_none()
    expect_ended(stage, ["claude-code-worker", "codex-worker"])
    expect(runs(stage)[0]["from"] == "claude-code,codex", f"{runs(stage)}")


@case
def a_process_of_another_pid_namespace_sweeps_for_nobody_here():
    """An editor in a sandbox, or a container with the network of this machine: names of sockets are
    shared, processes are not seen."""
    stage = Stage()
    ask = hook(stage, "--from", "boxed", "--after", "$!")["argv"][2]
    box = subprocess.Popen(
        ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "setpriv"]
        + [f"--reuid={stage.uid}", f"--regid={stage.uid}", "--clear-groups", "/bin/sh", "-c"]
        + [f"sleep 60 & {ask}; echo asked; read end"],
        env=product.environment(stage.layout.home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        expect(box.stdout.readline() == b"asked\n", "the box did not ask")
        wait_until(sweepers, "the one in the box waits", 10)
        start_host(stage, "host", stage.bridge("bridge"))
        end_session(stage, "host")
        expect_ended(stage, ["bridge"])
    finally:
        box.stdin.close()  # its first process ends, and with it all
        box.wait(10)
    wait_for_none()


@case
def what_was_too_young_is_looked_at_again():
    stage = Stage()
    times = ("--min-age", "6s", "--settle", "200ms", "--grace", "1s")
    wish = hook(stage, "--from", "hermes", times=times, after=0.3)
    host = start_host(stage, "host", stage.bridge("bridge"), hook=wish)
    end_session(stage, "host")
    host.wait(10)
    wait_until(lambda: runs(stage), "the first sweep", 15)
    expect(stage.actors["bridge"].alive(), "it was too young")
    expect_ended(stage, ["bridge"])
    wait_for_none()
    expect(len(runs(stage)) == 2, f"{runs(stage)}")


@case
def other_options_are_another_sweep():
    """What is asked for with --home does not serve a request for everything."""
    stage = Stage()
    wishes = {
        "narrow": ["--home", str(stage.layout.data_home("elsewhere"))],
        "wide": [],
    }
    for name, more in wishes.items():
        start_host(stage, name, stage.bridge(f"{name}-bridge"), hook=hook(stage, *more, after=0.2))
    end_session(stage, *wishes)
    expect_ended(stage, ["narrow-bridge", "wide-bridge"])
    wait_for_none()
    expect(len(runs(stage)) == 2, f"{runs(stage)}")


@case
def sweeps_come_no_more_often_than_is_asked_for():
    """Put off, and not lost."""
    stage = Stage()
    every = ["--at-most-every", "3s"]
    for name in ("first", "second"):
        start_host(
            stage,
            name,
            stage.worker(f"{name}-worker", session=name),
            hook=hook(stage, *every, after=0),
        )
    end_session(stage, "first")
    expect_ended(stage, ["first-worker"])
    end_session(stage, "second")
    wait_until(lambda: len(runs(stage)) == 2, "the second sweep", 20)
    expect_ended(stage, ["second-worker"])
    first, second = (one["at"] for one in runs(stage))
    expect(second - first > 1.5, f"{second - first} s")  # of which one ends within a second
    wait_for_none()


@case
def nothing_is_started_where_a_watch_does_the_same():
    stage = Stage()
    host = start_host(stage, "host", stage.bridge("bridge"))
    watch = Watch(stage, *QUICKLY)
    watch.wait_told("watching 1 host of 1 helper")
    expect_silent(*end_session(stage, "host"))
    host.wait(10)
    expect_ended(stage, ["bridge"])
    wait_for_none()
    expect(not [one for one in runs(stage) if one["command"] == "sweep"], f"{runs(stage)}")
    watch.stop()


@case
def a_watch_that_does_less_does_not_count():
    """One that only reports, and one of another home."""
    stage = Stage()
    for number, options in enumerate(
        (["--report-only"], ["--home", str(stage.layout.data_home("elsewhere"))])
    ):
        watch = Watch(stage, *QUICKLY, *options)
        host = start_host(stage, f"host-{number}", stage.bridge(f"bridge-{number}"))
        expect_silent(*end_session(stage, f"host-{number}"))
        host.wait(10)
        expect_ended(stage, [f"bridge-{number}"])
        wait_for_none()
        watch.stop()
    expect([one["command"] for one in runs(stage)].count("sweep") == 2, f"{runs(stage)}")


@case
def a_watch_that_cannot_do_it_does_not_count():
    """One in a container with the same home, as it sees other processes; and a stopped one."""
    stage = Stage()
    contained = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "/bin/sh", "-c"]
    contained += [f'setpriv --reuid {stage.uid} --regid {stage.uid} --clear-groups "$@"; exit', "-"]
    for number, (before, uid) in enumerate(((contained, 0), ([], stage.uid))):
        watch = Watch(stage, *QUICKLY, uid=uid, before=before)
        if not before:
            os.kill(watch.pid, signal.SIGSTOP)
        host = start_host(stage, f"host-{number}", stage.bridge(f"bridge-{number}"))
        expect_silent(*end_session(stage, f"host-{number}"))
        host.wait(10)
        expect_ended(stage, [f"bridge-{number}"])
        wait_for_none()
        watch.process.kill()
        watch.process.wait()
        wait_until(lambda: not watches(), "the watch to end", 10)
    expect([one["command"] for one in runs(stage)].count("sweep") == 2, f"{runs(stage)}")


def call(stage, *arguments, **more):
    """As a hook is called without a shell; seconds until it has answered."""
    began = time.monotonic()
    process = subprocess.Popen(
        [str(stage.layout.binary), "sweep", "--detach", *QUICKLY, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        user=stage.uid,
        group=stage.uid,
        extra_groups=[],
        **{
            "stdin": subprocess.DEVNULL,
            "cwd": "/",
            "env": product.environment(stage.layout.home),
            **more,
        },
    )
    out, _err = process.communicate(timeout=20)
    return process.returncode, out.decode(), time.monotonic() - began


@case
def it_answers_whatever_the_place_is_like():
    """And sweeps, as far as that can be done there."""
    stage = Stage()
    home = stage.layout.home
    read, _write = os.pipe()
    closed = {"stdin": None, "preexec_fn": lambda: [os.close(fd) for fd in (0, 1, 2)]}
    gone = stage.layout.base / "gone"
    gone.mkdir()
    places = {
        "a payload that never comes": {"stdin": read},
        "no HOME": {"env": {"PATH": "/usr/bin:/bin"}},
        "no PATH": {"env": {}},
        "a HOME that is not there": {"env": product.environment("/nowhere")},
        "closed descriptors": closed,
        "children that nothing collects": {
            "preexec_fn": lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        },
        "a folder that was deleted": {
            "cwd": str(gone),
            "preexec_fn": lambda: os.path.exists(gone) and os.rmdir(gone),
        },
    }
    for what, more in places.items():
        name = f"worker-{len(stage.actors)}"
        stage.orphans([stage.worker(name, session=name)])
        if what == "a folder that was deleted":
            os.chown(stage.layout.base, stage.uid, stage.uid)
        status, out, _took = call(stage, **more)
        expect(status == 0 and out == "", f"{what}: {status} {out}")
        expect(stage.actors[name].wait_ended(10), f"{what}: {name} was not ended")
        wait_for_none()
    expect(home.exists(), "the home stays")


@case
def it_answers_where_nothing_can_be_written():
    """A home that is read-only, and one on a full disk: no file is needed to be handed over."""
    stage = Stage()
    full = stage.layout.home / ".local"
    full.mkdir()
    sandbox.mount("tmpfs", full, "tmpfs", data="size=64k,mode=777")
    with contextlib.suppress(OSError), open(full / "much", "wb") as file:
        while True:
            file.write(bytes(4096))
            file.flush()
    for what in ("a full disk", "a read-only home"):
        name = f"worker-{len(stage.actors)}"
        stage.orphans([stage.worker(name, session=name)])
        status, out, _took = call(stage)
        expect(status == 0 and out == "", f"{what}: {status} {out}")
        expect(stage.actors[name].wait_ended(10), f"{what}: {name} was not ended")
        wait_for_none()
        ms_rdonly, ms_remount = 1, 32
        sandbox.mount("tmpfs", full, "tmpfs", flags=ms_rdonly | ms_remount)


@case
def what_is_wrong_usage():
    stage = Stage()
    wrong = [
        ["sweep", "--after", "host"],
        ["sweep", "--at-most-every", "30s"],
        ["sweep", "--detach", "--after", "0"],
        ["sweep", "--detach", "--from", "Claude Code"],
        ["sweep", "--detach", "--json"],
        ["watch", "--detach"],
    ]
    for words in wrong:
        result = stage.reaper(*words)
        expect(
            result.status == 2 and "orphan-reaper: " in result.err, f"{words}: {result.explain()}"
        )
    expect(not sweepers(), "something was started")


@case
def paths_are_those_of_the_caller():
    """What waits works in another folder."""
    stage = Stage()
    home = stage.layout.data_home("mine")
    stage.orphans([stage.bridge("mine", home=home), stage.bridge("other")])
    status, out, _took = call(stage, "--home", home.name, "-o", "said", cwd=str(home.parent))
    expect(status == 0 and out == "", f"{status} {out}")
    expect_ended(stage, ["mine"])
    wait_for_none()
    expect("1 leaked helper ended" in (home.parent / "said").read_text(), "the report")
    stage.expect_alive(["other"])


@case
def what_waits_keeps_nothing_and_is_no_leak():
    """Its folder is /, its stdio leads nowhere, its session is its own; no sweep takes it for one
    that was left behind."""
    stage = Stage()
    start_host(
        stage, "host", stage.bridge("bridge"), hook=hook(stage, cwd=str(stage.layout.hermes))
    )
    expect_silent(*end_session(stage, "host"))
    (pid,) = sweepers()
    expect(os.readlink(f"/proc/{pid}/cwd") == "/", "its folder")
    opened = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
    expect(not [path for path in opened if path.startswith("pipe:")], f"{opened}")
    expect(opened.count("/dev/null") == 3, f"{opened}")
    expect(actor.parent_of(pid) == 1, "its parent")
    fields = actor.stat_fields(pid)
    expect(int(fields[3]) not in (pid, os.getsid(0)), "its session, which it does not lead")
    binary_folder = str(stage.layout.binary.parent)
    for scope in ([], ["--under", binary_folder]):
        report = stage.report(*scope)
        process = report.process(pid)
        expect(not process or process["action"] != "reap", f"{process}")
    result = stage.sweep("--under", binary_folder)
    expect(not result.signalled() and actor.is_there(pid), result.explain())
    os.kill(pid, signal.SIGTERM)
    wait_for_none()
    stage.expect_alive(["bridge"])


def meeting_places():
    """Abstract names at which requests meet."""
    lines = actor.read_bytes("/proc/net/unix").decode().splitlines()
    names = [line.rpartition("@")[2] for line in lines if "@orphan-reaper/sweep/" in line]
    return sorted(set(names))


@case
def a_place_that_another_user_has_taken():
    """Then requests do not meet; none is lost."""
    stage = Stage()
    first = hook(stage, "--from", "hermes")
    start_host(stage, "host-0", stage.worker("worker-0", session="0"), hook=first)
    end_session(stage, "host-0")
    (pid,) = sweepers()
    (name,) = meeting_places()
    os.kill(pid, signal.SIGKILL)
    wait_for_none()
    wait_until(lambda: not meeting_places(), "the place to be free")
    with socket.socket(socket.AF_UNIX) as squatter:
        os.seteuid(layout.OTHER_UID)  # whose it is from the bind on
        squatter.bind("\0" + name)
        squatter.listen(10)
        os.seteuid(0)
        for number in (1, 2):
            worker = stage.worker(f"worker-{number}", session=str(number))
            start_host(stage, f"host-{number}", worker)
        expect_silent(*end_session(stage, "host-1", "host-2"))
        expect_ended(stage, ["worker-1", "worker-2"])
        wait_for_none()


@case
def term_ends_it_in_good_order():
    """While it waits, and in the middle of a sweep."""
    stage = Stage()
    start_host(
        stage,
        "host",
        stage.worker("deaf", ignore_term=True),
        hook=hook(stage, times=with_times(grace="60s"), after=0),
    )
    end_session(stage, "host")
    wait_until(stage.actors["deaf"].signals, "the sweep")
    (pid,) = sweepers()
    os.kill(pid, signal.SIGTERM)
    wait_for_none()
    expect(stage.actors["deaf"].alive(), "the grace was cut off, not the process")
    expect(runs(stage)[-1]["exit_status"] == 130, f"{runs(stage)}")


class Journal:
    """What takes the streams of services in place of journald."""

    def __init__(self):
        pretend_booted()
        os.makedirs("/run/systemd/journal")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.bind("/run/systemd/journal/stdout")
        os.chmod("/run/systemd/journal/stdout", 0o666)
        self.socket.listen(10)
        self.socket.settimeout(20)

    def read(self):
        """All lines of one process, with the head."""
        stream, _address = self.socket.accept()
        stream.settimeout(20)
        text = b""
        while piece := stream.recv(4096):
            text += piece
        return text.decode()


@case
def what_fails_is_told_to_the_journal():
    stage = Stage()
    journal = Journal()
    put(stage.layout.home / ".config/orphan-reaper/rules.d/bad.json", "{").chmod(0o644)
    own_below(stage.layout.home / ".config", stage.uid)
    status, out, _took = call(stage)
    expect(status == 0 and out == "", f"{status} {out}")
    told = journal.read()
    expect(told.startswith("orphan-reaper\n\n6\n1\n0\n0\n0\n"), told)
    expect("bad.json" in told and "nothing was done" in told, told)
    wait_for_none()
    expect(runs(stage)[-1]["exit_status"] == 3, f"{runs(stage)}")


@case
def a_dry_run_tells_the_journal_what_it_would_end():
    stage = Stage()
    journal = Journal()
    stage.orphans([stage.worker("worker")])
    status, out, _took = call(stage, "--dry-run")
    expect(status == 0 and out == "", f"{status} {out}")
    told = journal.read()
    expect(f"pid {stage.actors['worker'].pid} " in told, told)
    stage.expect_alive(["worker"])
    expect(not runs(stage), f"{runs(stage)}")


@case(alone=True)
def it_answers_in_time_beside_load():
    """Both below a host that is waited for, and without one."""
    stage = Stage()
    busy = [
        subprocess.Popen([sandbox.PYTHON, "-c", "while True: pass"], stdin=subprocess.DEVNULL)
        for _each in range(2 * (os.cpu_count() or 1))
    ]
    try:
        took = [call(stage, "--from", "test")[2] for _each in range(20)]
        waiting = [call(stage, "--after", str(os.getpid()))[2] for _each in range(20)]
    finally:
        for process in busy:
            process.kill()
            process.wait()
    for name, times in (("without a host", took), ("with a host", waiting)):
        times.sort()
        print(f"     {name}: median {times[10] * 1000:.0f} ms, longest {times[-1] * 1000:.0f} ms")
        expect(times[-2] < ANSWER, f"{name}: {times}")


if __name__ == "__main__":
    sandbox.main(__file__, globals())
