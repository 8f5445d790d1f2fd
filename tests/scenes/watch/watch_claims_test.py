"""What `watch` costs and how soon it acts, in numbers. Larger ones by the environment, for a soak
of hours: REAPER_WATCH_TRIALS, REAPER_WATCH_DEATHS, REAPER_WATCH_RESTARTS."""
import os
import select
import signal
import statistics
import time

from harness import sandbox
from harness.actor import is_there, parent_of, wait_until
from harness.claims import within
from harness.sandbox import case, expect
from harness.stage import Stage
from harness.watch import ManyHosts, Watch, signals_to

TRIALS = int(os.environ.get("REAPER_WATCH_TRIALS", "100"))
DEATHS = int(os.environ.get("REAPER_WATCH_DEATHS", "400"))
RESTARTS = int(os.environ.get("REAPER_WATCH_RESTARTS", "20"))
QUICK = ("--min-age", "1ms", "--settle", "50ms", "--grace", "1s")
SETTLE = 0.05
HOURS = 4 * 3600


def ended(handle, seconds):
    poller = select.poll()
    poller.register(handle, select.POLLIN)
    return bool(poller.poll(seconds * 1000))


def tell_percentile(trials, count, settle, rest):
    """Of the milliseconds between the settle time and the end of the helper, which TERM ends at
    once. So many hosts at a time."""
    stage = Stage()
    times = []
    while len(times) < trials:
        hosts = ManyHosts(stage, count)
        watch = Watch(
            stage, "--min-age", "1ms", "--settle", f"{settle * 1000:.0f}ms", "--grace", "1s"
        )
        expect(f"watching {count} hosts of {count} helpers" in watch.status(), watch.status())
        for host, helper in hosts.pairs()[: trials - len(times)]:
            handle = os.pidfd_open(helper)
            begin = time.monotonic()
            os.kill(host, signal.SIGKILL)
            expect(ended(handle, 10), f"{helper} was not ended: {watch.log()}")
            times.append(time.monotonic() - begin)
            os.close(handle)
            time.sleep(rest)  # it looks once more: then it rests again
        watch.stop(status=0)
        hosts.end()
    expect(min(times) >= settle, "one was told before the settle time was over")
    late = sorted((time_taken - settle) * 1000 for time_taken in times)
    p99 = late[len(late) * 99 // 100 - 1]
    print(
        f"     {len(late)} hosts killed: helpers ended after the settle time plus "
        f"{statistics.median(late):.1f} ms (median), "
        f"{p99:.1f} ms (99th percentile), {late[-1]:.1f} ms (worst)",
        flush=True,
    )
    return p99


@case(timeout=HOURS)
def a_helper_is_told_as_soon_as_it_has_settled():
    within(
        20,
        lambda: tell_percentile(TRIALS, 5, SETTLE, rest=0.15),
        "99th percentile after the settle time, ms",
    )


@case(timeout=HOURS)
def so_it_is_among_500_hosts():
    """With the settle time that there is by default: looks at so many take a part of it."""
    within(20, lambda: tell_percentile(TRIALS // 10, 500, 2.0, rest=1), "among 500 hosts, ms")


@case(timeout=120)
def nothing_wakes_it_while_nothing_happens():
    stage = Stage()
    ManyHosts(stage, 500)
    watch = Watch(stage)
    expect("watching 500 hosts of 500 helpers" in watch.status(), watch.status())
    time.sleep(1)
    before = watch.rest()
    time.sleep(10)
    expect(watch.rest() == before, f"it was awake: {before}, then {watch.rest()}")
    told = len(watch.told())
    watch.stop()
    expect(told == 2, f"no sign of life was asked for: {watch.messages}")


@case(timeout=HOURS)
def its_memory_stays_what_it_was():
    stage = Stage()
    hosts = ManyHosts(stage, 20)
    watch = Watch(stage, *QUICK, "--quiet", "--interval", "1s")
    alive, done, early = hosts.pairs(), 0, 0
    while done < DEATHS:
        for host, _helper in alive:
            os.kill(host, signal.SIGKILL)
        wait_until(
            lambda: not any(is_there(helper) for _host, helper in alive), "the helpers to end", 30
        )
        done += len(alive)
        alive = [hosts.start(number) for number in range(20)]
        early = watch.resident_kb() if done <= DEATHS // 4 else early
    late = watch.resident_kb()
    print(
        f"     {done} host deaths: {early} kB resident after a quarter of them, {late} kB at the "
        f"end"
    )
    expect(late - early <= 256, f"{early} kB, then {late} kB")
    descriptors = len(os.listdir(f"/proc/{watch.pid}/fd"))
    expect(descriptors < 60, f"{descriptors} descriptors are open")


@case(timeout=HOURS)
def a_host_that_restarts_all_the_time_never_loses_its_live_helper():
    """The same session and home again and again: what its dead predecessors left goes, its own
    stays."""
    stage = Stage()
    hosts = ManyHosts(stage, 1)
    Watch(stage, *QUICK, "--interval", "1s")
    host, helper = hosts.pairs()[0]
    for _restart in range(RESTARTS):
        life = time.monotonic() + 1
        while time.monotonic() < life:
            expect(is_there(helper) and parent_of(helper) == host, "a live helper was ended")
            time.sleep(0.01)
        expect(not signals_to(stage, helper), "a live helper was told to end")
        os.kill(host, signal.SIGKILL)
        host, helper = hosts.start(0)
    left = [one for _host, one in hosts.pairs() if one != helper]
    wait_until(lambda: not any(map(is_there, left)), "what the dead left")
    expect(all(signals_to(stage, one) == ["TERM"] for one in left), "one was told twice, or never")
    expect(is_there(helper), "the last one lives")


if __name__ == "__main__":
    sandbox.main(__file__, globals())
