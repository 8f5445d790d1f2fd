"""What `run` costs, and how soon it acts: the numbers that the manual states, with real
processes."""
import os
import re
import select
import signal
import statistics
import subprocess
import sys
import time

from harness import helper, sandbox
from harness.actor import read_bytes, wait_until
from harness.claims import within
from harness.helper import BINARY, Host, survivors
from harness.sandbox import case, expect

TRIALS = int(os.environ.get("REAPER_TRIALS", "1000"))
MIB = 1024


def told_after():
    """Milliseconds from the death of a host to the death of its helper, which TERM ends at once."""
    host = Host("/bin/sleep", "100")
    helper_handle = os.pidfd_open(host.helper)
    poller = select.poll()
    poller.register(helper_handle, select.POLLIN)
    began = time.monotonic()
    signal.pidfd_send_signal(host.handle, signal.SIGKILL)
    ended = poller.poll(10_000)
    took = (time.monotonic() - began) * 1000
    expect(ended, "the helper did not end")
    os.waitpid(host.pid, 0)
    for file in (host.out, host.err):
        file.close()
    for fd in (host.handle, host.run_handle, host.guard_handle, helper_handle):
        os.close(fd)
    return took


def tell_percentile(trials):
    took = sorted(told_after() for _ in range(trials))
    print(
        f"     host killed -> helper ended, {trials} trials: median {statistics.median(took):.2f} "
        f"ms, "
        f"99th percentile {took[trials * 99 // 100 - 1]:.2f} ms, worst {took[-1]:.2f} ms",
        flush=True,
    )
    wait_until(lambda: not survivors(), "the end of all helpers")
    return took[trials * 99 // 100 - 1]


@case(timeout=400)
def with_a_cgroup_the_helper_is_told_within_20_ms():
    helper.needs_cgroup()
    within(20, lambda: tell_percentile(TRIALS), "99th percentile, ms")


@case(timeout=400)
def without_a_cgroup_too():
    helper.without_cgroups()
    within(20, lambda: tell_percentile(TRIALS // 4), "99th percentile, ms")


def switches(pid):
    return [
        int(line.split()[1])
        for line in read_bytes(f"/proc/{pid}/status").decode().splitlines()
        if "ctxt_switches" in line
    ]


@case
def run_does_not_wake_up_while_nothing_happens():
    helper.needs_cgroup()
    host = Host("/bin/sleep", "100")
    pids = (host.run, host.guard)
    time.sleep(2)  # after a second they give memory back, once
    before = [switches(pid) for pid in pids]
    time.sleep(10)
    after = [switches(pid) for pid in pids]
    expect(
        before == after,
        f"context switches of run and its guard before and after 10 idle seconds: {before}, "
        f"{after}",
    )


@case
def memory_is_at_most_2_mb():
    """Of both processes together, as the plainest count has it: resident, shared libraries and
    all."""
    helper.needs_cgroup()
    for options in ((), ("--idle", "2h"), ("--idle", "6s")):
        host = Host("/bin/sleep", "100", options=options)
        time.sleep(2)

        # pylint: disable=cell-var-from-loop
        def memory(key):
            return sum(
                int(
                    re.search(
                        rf"^{key}: +(\d+)", read_bytes(f"/proc/{pid}/smaps_rollup").decode(), re.M
                    ).group(1)
                )
                for pid in (host.run, host.guard)
            )

        print(
            f"     {' '.join(options)} resident {memory('Rss')} kB, proportional {memory('Pss')} "
            f"kB, anonymous {memory('Anonymous')} kB",
            flush=True,
        )
        # One that has just looked whether the helper is idle has more of its libraries mapped.
        most = 2.5 * MIB if options == ("--idle", "6s") else 2 * MIB
        expect(memory("Rss") <= most, f"{options}: resident {memory('Rss')} kB")


def first_byte_after(*command):
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    process.stdout.read(1)
    took = (time.perf_counter() - began) * 1000
    process.stdout.close()
    process.wait()
    return took


def added_to_start(rounds=150):
    direct, through = [], []
    for _ in range(rounds):
        direct.append(first_byte_after("/bin/echo", "x"))
        through.append(first_byte_after(BINARY, "run", "--", "/bin/echo", "x"))
    return statistics.median(through) - statistics.median(direct)


@case(timeout=200)
def the_start_takes_at_most_3_ms_longer():
    # Before everything else that runs here, with and without `run`: it is not to be measured how
    # long one waits for a core.
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    helper.needs_cgroup()
    within(
        3,
        added_to_start,
        "with a cgroup, ms added to the first byte of /bin/echo (median)",
        rounds=5,
    )
    helper.without_cgroups()
    within(3, added_to_start, "without one, ms added", rounds=5)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        helper.enter_cgroup()
    sandbox.main(__file__, globals())
