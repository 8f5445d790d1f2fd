"""`watch`: sleeps while nothing happens, acts when a host dies, and never on a helper whose
host lives."""
import fcntl
import json
import os
import select
import signal
import subprocess
import time

from harness import sandbox
from harness.actor import is_there, read_bytes, wait_until
from harness.helper import children_of
from harness.layout import put
from harness.sandbox import PYTHON, case, expect
from harness.stage import Stage
from harness.watch import ManyHosts, Watch, history, signals_to

SLOWDOWN = int(os.environ.get("REAPER_SLOWDOWN", "1"))
QUICK = ("--min-age", "1ms", "--settle", "50ms", "--grace", "1s")


def is_locked(stage):
    """By a sweep, or by a watch that is at work."""
    home = os.open(stage.layout.home, os.O_RDONLY)
    try:
        fcntl.flock(home, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    finally:
        os.close(home)


@case
def one_grace_period_delays_no_other():
    stage = Stage()
    watch = Watch(
        stage, "--min-age", "1ms", "--settle", "50ms", "--grace", "30s", "--interval", "300ms"
    )
    stage.start_host("first", [stage.worker("deaf", session="a", ignore_term=True)])
    stage.start_host("second", [stage.worker("polite", session="b")])
    watch.wait_told("watching 2 hosts of 2 helpers")
    stage.kill_host("first")
    wait_until(lambda: stage.actors["deaf"].signals(), "the deaf one is told")
    locked = stage.sweep("--lock-wait", "0s")
    expect(locked.status == 5 and "another sweep is at work" in locked.out, locked.explain())
    stage.kill_host("second")
    expect(stage.actors["polite"].wait_ended(3), f"it had to wait: {watch.log()}")
    expect(stage.actors["deaf"].alive(), "its grace period is not over")
    time.sleep(1)  # looks go on meanwhile, and see it as what it is
    expect(signals_to(stage, stage.actors["deaf"].pid) == ["TERM"], "it was told twice")
    expect(is_locked(stage), "what is at work holds the lock")
    watch.stop(status=130)


@case
def told_to_stop_it_abandons_a_grace_period():
    stage = Stage()
    watch = Watch(
        stage, "--min-age", "1ms", "--settle", "50ms", "--grace", "30s", "--interval", "1s"
    )
    stage.start_host("host", [stage.worker("deaf", ignore_term=True)])
    watch.wait_told("watching 1 host of 1 helper")
    stage.kill_host("host")
    wait_until(lambda: stage.actors["deaf"].signals(), "the deaf one is told")
    begin = time.monotonic()
    watch.stop(status=130)
    expect(time.monotonic() - begin < 3, "it waited")
    expect("STOPPING=1" in watch.told(), str(watch.messages))
    time.sleep(0.5)
    expect(
        stage.actors["deaf"].alive() and signals_to(stage, stage.actors["deaf"].pid) == ["TERM"],
        watch.log(),
    )
    expect("KILL was not sent" in watch.log(), watch.log())
    result = stage.sweep("--lock-wait", "0s")  # nothing holds the lock any more
    stage.expect_sweep(result, ["deaf"], [])


@case
def killed_in_a_grace_period_it_keeps_no_other_one_away():
    stage = Stage()
    watch = Watch(
        stage, "--min-age", "1ms", "--settle", "50ms", "--grace", "3s", "--interval", "1s"
    )
    stage.start_host("host", [stage.worker("deaf", ignore_term=True)])
    watch.wait_told("watching 1 host of 1 helper")
    stage.kill_host("host")
    wait_until(lambda: stage.actors["deaf"].signals(), "the deaf one is told")
    watch.send(signal.SIGKILL)
    watch.process.wait()
    other = Watch(stage, *QUICK)
    expect(stage.actors["deaf"].wait_ended(10), other.log())
    expect(signals_to(stage, stage.actors["deaf"].pid) == ["TERM", "KILL"], str(history(stage)))
    other.stop()


@case
def it_is_the_only_one_of_its_user():
    stage = Stage()
    watch = Watch(stage)
    second = stage.reaper("watch", timeout=10)
    expect(
        second.status == 5 and f"another watch is at work (pid {watch.pid})" in second.err,
        second.err,
    )
    expect(not is_locked(stage), "it rests, and holds the lock of a sweep")
    root = Watch(stage, uid=0)
    root.stop()
    watch.process.kill()
    watch.process.wait()
    Watch(stage).stop(number=signal.SIGINT)


@case
def what_it_may_only_report_it_says_once():
    stage = Stage()
    watch = Watch(stage, *QUICK, "--report-only", "--interval", "300ms")
    stage.start_host("host", [stage.worker("leaked"), stage.bridge("bridge")])
    watch.wait_told("watching 1 host of 2 helpers")
    stage.kill_host("host")
    watch.wait_logged("would be ended")
    time.sleep(2)
    stage.expect_alive(["leaked", "bridge"])
    expect(watch.log().count("would be ended") == 2, watch.log())
    expect(not history(stage), "nothing was done")
    watch.stop()


@case
def a_broken_rule_file_leaves_the_rules_as_they_were():
    stage = Stage()
    config = stage.layout.home / "watch-rules.json"
    config.write_text('{"families": {"bridge": {"enabled": false}}}')
    os.chown(config, stage.uid, stage.uid)
    stage.start_host("host", [stage.worker("worker"), stage.bridge("bridge")])
    watch = Watch(stage, *QUICK, "--quiet", "--config", str(config))
    expect("of 1 helper" in watch.status(), watch.status())
    config.write_text('{"families": {"bridge": {"enabeled": true}}}')
    watch.send(signal.SIGHUP)
    watch.wait_logged("the rules stay as they were")
    expect("enabeled" in watch.log() and "reaper: orphan-reaper:" not in watch.log(), watch.log())
    stage.kill_host("host")
    stage.expect_ended(["worker"])
    stage.expect_alive(["bridge"])
    config.write_text('{"families": {"bridge": {"enabled": true}}}')
    watch.send(signal.SIGHUP)
    stage.expect_ended(["bridge"])
    expect(
        "read again" not in watch.log() and "ended on" not in watch.log(),
        "all is well, and it is to be quiet",
    )
    watch.send(signal.SIGUSR1)
    watch.wait_logged("census: no helpers")
    watch.stop()


@case
def rules_that_are_read_again_count_in_a_grace_period():
    stage = Stage()
    rules = put(stage.layout.home / "rules.json", "{}")
    stage.start_host("host", [stage.worker("deaf", ignore_term=True)])
    watch = Watch(
        stage, "--min-age", "1ms", "--settle", "50ms", "--grace", "3s", "--config", str(rules)
    )
    watch.wait_told("watching 1 host of 1 helper")
    stage.kill_host("host")
    wait_until(lambda: stage.actors["deaf"].signals(), "the deaf one is told")
    rules.write_text(json.dumps({"protect": [{"home": str(stage.layout.home / ".hermes")}]}))
    watch.send(signal.SIGHUP)
    watch.wait_logged("the rules were read again")
    time.sleep(4)
    expect(stage.actors["deaf"].alive(), "it was protected, and ended by the rules of before")
    watch.stop()


@case
def a_hangup_of_all_ends_no_grace_period():
    """As a service manager sends it that is told to."""
    stage = Stage()
    stage.start_host("host", [stage.worker("deaf", ignore_term=True)])
    watch = Watch(
        stage, "--min-age", "1ms", "--settle", "50ms", "--grace", "2s", "--interval", "60s"
    )
    watch.wait_told("watching 1 host of 1 helper")
    stage.kill_host("host")
    wait_until(lambda: stage.actors["deaf"].signals(), "the deaf one is told")
    for pid in [*children_of(watch.pid), watch.pid]:
        os.kill(pid, signal.SIGHUP)
    expect(stage.actors["deaf"].wait_ended(6 * SLOWDOWN), watch.log())
    expect(
        stage.actors["deaf"].signals() == ["TERM"],
        "it was told again, though the rules are the same",
    )
    watch.stop()


@case
def what_another_sweep_kept_from_it_is_tried_again_soon():
    stage = Stage()
    stage.start_host("host", [stage.worker("leaked")])
    watch = Watch(stage, *QUICK, "--interval", "1s", "--lock-wait", "300ms")
    watch.wait_told("watching 1 host of 1 helper")
    hold = (
        f"import fcntl, os, time\nfcntl.flock(os.open({str(stage.layout.home)!r}, os.O_RDONLY), "
        f"fcntl.LOCK_EX)\nprint(flush=True)\ntime.sleep(8)"
    )
    with subprocess.Popen(
        [PYTHON, "-c", hold],
        user=stage.uid,
        group=stage.uid,
        extra_groups=[],
        stdout=subprocess.PIPE,
    ) as other:
        other.stdout.read(1)
        stage.kill_host("host")
        watch.wait_logged(f"another sweep is at work (pid {other.pid})")
    free = time.monotonic()
    expect(stage.actors["leaked"].wait_ended(10), watch.log())
    expect(time.monotonic() - free < 3 * SLOWDOWN, "it was given up for long")
    watch.stop()


@case
def where_descriptors_run_out_it_watches_fewer_and_says_so():
    stage = Stage()
    hosts = ManyHosts(stage, 20)
    watch = Watch(stage, *QUICK, "--interval", "1s", before=("prlimit", "--nofile=64:64"))
    expect(
        "watching 16 hosts of 20 helpers; 4 more without a handle" in watch.status(), watch.status()
    )
    for host, _helper in hosts.pairs():
        os.kill(host, signal.SIGKILL)
    wait_until(
        lambda: not any(is_there(helper) for _host, helper in hosts.pairs()),
        f"the helpers to end: {watch.log()}",
    )
    expect(
        all(signals_to(stage, helper) == ["TERM"] for _host, helper in hosts.pairs()),
        "each was told once",
    )
    watch.stop()


@case
def without_handles_a_look_finds_it():
    stage = Stage()
    watch = Watch(stage, *QUICK, "--events", "scan", "--interval", "500ms")
    expect("watching 0 hosts" in watch.status() and "looks alone" in watch.status(), watch.status())
    stage.orphans([stage.worker("leaked")])
    stage.expect_ended(["leaked"])
    watch.stop()
    # This is a pid namespace of its own.
    nowhere = stage.reaper("watch", "--events", "connector", uid=0, timeout=10)
    expect(
        nowhere.status == 4 and "cannot listen to the proc connector" in nowhere.err, nowhere.err
    )


@case
def what_is_too_young_is_checked_again_later():
    stage = Stage()
    stage.start_host("host", [stage.worker("young")])
    watch = Watch(stage, "--min-age", "4s", "--settle", "50ms")
    born = int(stage.actors["young"].start) / os.sysconf("SC_CLK_TCK")
    stage.kill_host("host")
    time.sleep(1)
    before = watch.rest()
    time.sleep(1)
    expect(watch.rest() == before, "it did not sleep until then")
    expect(stage.actors["young"].alive(), "it was too young")
    expect(stage.actors["young"].wait_ended(10), watch.log())
    age = float(read_bytes("/proc/uptime").split()[0]) - born
    expect(4 <= age <= 4.5 * SLOWDOWN, f"it was {age} s old")
    watch.stop()


@case
def a_census_counts_them_by_host_and_home():
    stage = Stage()
    census = stage.run / "census.jsonl"
    watch = Watch(stage, *QUICK, "--interval", "1s", "--census", str(census))
    stage.start_host(
        "host",
        [
            stage.bridge("one"),
            stage.bridge("two", home=stage.layout.data_home("one")),
            stage.bridge("other"),
            stage.tsx_bridge("pair"),
        ],
        lost=("pair",),
    )
    host = stage.actors["host"].pid
    homes = {name: str(stage.layout.data_home(name)) for name in ("one", "other", "pair")}
    wanted = {(host, homes["one"], 2), (host, homes["other"], 1), (host, homes["pair"], 1)}

    def last():
        return [json.loads(line) for line in census.read_text().splitlines()]

    def counted(line):
        return {
            (one["host"], one["home"], one["members"])
            for one in line["groups"]
            if one["family"] == "bridge"
        }

    wait_until(lambda: counted(last()[-1]) == wanted, f"the census: {last()[-1]}")
    quiet = len(last())
    wait_until(lambda: len(last()) > quiet, "a line for each interval", 5)
    watch.send(signal.SIGUSR1)
    watch.wait_logged("never more than 2 bridge of one host and home")
    del stage.hosts["host"]
    os.kill(host, signal.SIGKILL)
    wait_until(lambda: not counted(last()[-1]), f"that they have ended: {last()[-1]}")
    wait_until(lambda: "a sweep is at work" not in watch.status(), "the end of the sweep")
    largest = [one for one in last()[-1]["largest"] if one["family"] == "bridge"]
    expect([(one["members"], one["home"]) for one in largest] == [(2, homes["one"])], str(largest))
    watch.stop()


@case
def a_census_tells_at_once_what_has_ended_and_what_an_earlier_watch_saw():
    stage = Stage()
    census = stage.run / "census.jsonl"
    home = stage.layout.data_home("one")
    stage.start_host("host", [stage.bridge("one", home=home), stage.bridge("two", home=home)])
    watch = Watch(stage, *QUICK, "--census", str(census))

    def last(what):
        return [
            one["members"]
            for one in json.loads(census.read_text().splitlines()[-1])[what]
            if one["family"] == "bridge"
        ]

    expect(last("groups") == [2], census.read_text())
    stage.actors["two"].send(signal.SIGKILL)
    wait_until(lambda: last("groups") == [1], "a line of the change, long before the next look", 5)
    time.sleep(1)
    before = watch.rest()
    time.sleep(1)
    expect(watch.rest() == before, "a dead one that is not cleared away keeps it awake")
    watch.stop()
    watch = Watch(stage, *QUICK, "--census", str(census))
    expect(len(census.read_text().splitlines()) == 3, census.read_text())
    expect((last("groups"), last("largest")) == ([1], [2]), census.read_text())
    watch.stop()


@case
def signs_of_life_come_as_often_as_they_are_wanted():
    stage = Stage()
    watch = Watch(stage, env={"WATCHDOG_USEC": "1000000"})
    time.sleep(2.2)
    signs = watch.told().count("WATCHDOG=1")
    expect(4 <= signs <= 6, f"{signs} in 2.2 s")
    watch.stop()
    other = Watch(stage, env={"WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "1"})
    time.sleep(1)
    expect("WATCHDOG=1" not in other.told(), "they were asked of another process")
    other.stop()


@case
def nothing_is_signalled_before_the_settle_time_is_over():
    """However long it takes to look at all the others."""
    stage = Stage()
    hosts = ManyHosts(stage, 100)
    watch = Watch(stage, "--min-age", "1ms", "--settle", "400ms", "--grace", "1s")
    for host, helper in hosts.pairs()[:5]:
        handle = os.pidfd_open(helper)
        begin = time.monotonic()
        os.kill(host, signal.SIGKILL)
        expect(select.select([handle], [], [], 10)[0], f"the helper ends: {watch.log()}")
        expect(time.monotonic() - begin >= 0.4, f"it was told after {time.monotonic() - begin} s")
        os.close(handle)
    watch.stop()


# The scenarios of the two leak reports, each with the number of live processes that they ask for.


@case
def three_abandoned_providers_leave_one_bridge():
    stage = Stage()
    watch = Watch(stage, *QUICK, "--interval", "500ms", "--reap", "abandoned")
    home = stage.layout.data_home("home")
    stage.start_host(
        "host",
        [
            *(stage.bridge(f"abandoned-{n}", home=home, stdio="abandoned") for n in range(3)),
            stage.bridge("live", home=home),
        ],
    )
    stage.expect_ended([f"abandoned-{n}" for n in range(3)])
    stage.expect_alive(["host", "live"])
    watch.stop()


@case
def kill_9_of_the_host_leaves_none_of_its_own():
    stage = Stage()
    stage.start_host("host", [stage.bridge("bridge"), stage.worker("worker")])
    stage.start_host("pair-host", [stage.tsx_bridge("pair")])
    stage.start_host("other-host", [stage.bridge("other")])
    watch = Watch(stage, *QUICK)
    stage.kill_host("host")
    stage.expect_ended(["bridge", "worker"])
    stage.kill_host("pair-host")
    stage.expect_ended(["pair"])
    stage.expect_alive(["other-host", "other"])
    wait_until(lambda: not is_locked(stage), "that it holds no lock any more", 5)
    watch.stop()


@case
def two_hosts_that_die_one_after_the_other_leave_nothing():
    """As in a cgroup that is killed: while the first sweep is at work the other host still lives,
    or has not been cleared away."""
    stage = Stage()
    pairs = []
    for number in range(16):
        other = stage.start_host(f"other-{number}", [])
        pairs.append(
            (
                stage.start_host(
                    f"host-{number}",
                    [stage.worker(f"worker-{number}", session=str(number), parent_pid=other.pid)],
                ),
                other,
            )
        )
    watch = Watch(
        stage, "--min-age", "1ms", "--settle", "100ms", "--grace", "1s", "--interval", "60s"
    )
    for number, (host, other) in enumerate(pairs):
        for one in (host, other):
            one.kill()
            one.wait()
            time.sleep(0.002 * number)
        expect(
            stage.actors[f"worker-{number}"].wait_ended(5),
            f"it waits for the next interval: {watch.log()}",
        )
    for pair in pairs:
        for one in pair:
            del stage.hosts[[name for name, process in stage.hosts.items() if process is one][0]]
    watch.stop()


@case
def a_stranger_with_the_pid_of_the_host_keeps_nothing():
    stage = Stage()
    worker = stage.worker("worker", parent_pid="{host}")
    # A pid that still names a session is not handed out again.
    worker["argv"].insert(0, "/usr/bin/setsid")
    stage.start_host("host", [worker])
    host = stage.actors["host"].pid
    watch = Watch(stage, *QUICK)
    watch.send(signal.SIGSTOP)  # until another process has that pid
    stage.kill_host("host")
    for _attempt in range(50):
        with open("/proc/sys/kernel/ns_last_pid", "w") as last:
            last.write(str(host - 1))
        stranger = subprocess.Popen(["/bin/sleep", "60"], user=stage.uid, group=stage.uid)
        if stranger.pid == host:
            break
        stranger.kill()
        stranger.wait()
    expect(stranger.pid == host, "the pid could not be taken again")
    watch.send(signal.SIGCONT)
    stage.expect_ended(["worker"])
    expect(stranger.poll() is None, "the stranger was ended")
    stranger.kill()
    watch.stop()


@case
def several_sessions_of_one_host_keep_one_worker_each():
    stage = Stage()
    names = [f"session-{number}" for number in range(4)]
    stage.start_host("host", [stage.worker(name, session=name) for name in names])
    watch = Watch(stage, *QUICK, "--interval", "300ms")
    time.sleep(1.5)
    stage.expect_alive(["host", *names])
    stage.kill_host("host")
    stage.expect_ended(names)
    watch.stop()


if __name__ == "__main__":
    sandbox.main(__file__, globals())
