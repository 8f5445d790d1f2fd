"""RLIMIT_NOFILE is smaller than the number of helpers: they end all the same, in batches, and the
report says so."""
import signal

from harness import sandbox
from harness.actor import wait_until
from harness.sandbox import case, expect
from harness.stage import Stage
from harness.watch import Watch

FEW = ["prlimit", "--nofile=24:24"]


def orphans(stage, count, **more):
    names = [f"leaked-{number}" for number in range(count)]
    stage.orphans([stage.worker(name, session=name, **more) for name in names])
    return names


def expect_told(result):
    remarks = result.json["remarks"]
    expect(
        any("RLIMIT_NOFILE" in remark and "in batches of" in remark for remark in remarks),
        f"{remarks}",
    )


@case
def a_sweep_ends_thirty_with_twenty_four_descriptors():
    stage = Stage()
    names = orphans(stage, 30)
    stage.start_host("gateway", [stage.worker("attached", session="other"), stage.bridge("bridge")])
    result = stage.sweep(before=FEW)
    stage.expect_sweep(result, names, ["gateway", "attached", "bridge"], silent=("gateway",))
    expect_told(result)
    expect(all(stage.actors[name].signals() == ["TERM"] for name in names), "each is told once")


@case
def a_dry_run_plans_them_all():
    stage = Stage()
    names = orphans(stage, 30)
    result = stage.sweep("--dry-run", before=FEW)
    expect(result.status == 1 and result.json["summary"]["to_reap"] == 30, result.explain())
    wanted = [result.outcome(stage.actors[name].pid) for name in names]
    expect(all(one and one["result"] == "would_reap" for one in wanted), result.explain())
    stage.expect_alive(names)


@case
def sizes_in_between():
    stage = Stage()
    for limit in (24, 28, 40, 64):
        names = [f"leaked-{limit}-{number}" for number in range(12)]
        stage.orphans([stage.worker(name, session=name) for name in names])
        result = stage.sweep(before=["prlimit", f"--nofile={limit}:{limit}"])
        expect(result.status == 0, f"{limit}: {result.explain()}")
        stage.expect_ended(names)


@case
def where_not_one_can_be_held_nothing_is_signalled():
    stage = Stage()
    names = orphans(stage, 3)
    for limit in (12, 16, 18):
        result = stage.sweep(before=["prlimit", f"--nofile={limit}:{limit}"])
        expect(result.status in (4, 5), f"{limit}: {result.explain()}")
        said = result.out + result.err
        expect(
            "RLIMIT_NOFILE" in said or "Too many open files" in said, f"{limit}: {result.explain()}"
        )
    stage.expect_alive(names)


@case
def those_that_ignore_term_end_with_kill():
    stage = Stage()
    names = orphans(stage, 16, ignore_term=True)
    result = stage.sweep(before=FEW, timeout=80)
    stage.expect_sweep(result, names, [])
    expect(
        all(result.outcome(stage.actors[name].pid)["result"] == "ended_on_kill" for name in names),
        result.explain(),
    )


@case
def pairs_end_together():
    stage = Stage()
    names = [f"pair-{number}" for number in range(6)]
    stage.start_host("host", [stage.tsx_bridge(name) for name in names], lost=names)
    for name in names:
        stage.meet_pair(name)
    stage.kill_host("host")
    result = stage.sweep(before=FEW)
    expect(result.status == 0 and not result.json["summary"]["failed"], result.explain())
    # A root may end by itself, just before it is told.
    stage.expect_ended([*names, *(name + "-leaf" for name in names)])


@case
def max_kills_counts_all_batches():
    stage = Stage()
    names = orphans(stage, 16)
    result = stage.sweep("--max-kills", "15", before=FEW)
    expect(result.status == 5 and not result.signalled(), result.explain())
    stage.expect_alive(names)
    stage.expect_sweep(stage.sweep("--max-kills", "16", before=FEW), names, [])


@case
def a_watch_ends_them_at_once():
    stage = Stage()
    watch = Watch(stage, "--min-age", "1ms", "--settle", "100ms", "--interval", "60s", before=FEW)
    names = orphans(stage, 30)
    watch.process.send_signal(signal.SIGUSR1)  # one look
    wait_until(
        lambda: not any(stage.actors[name].alive() for name in names),
        f"their end: {watch.log()}",
        40,
    )
    watch.wait_logged("in batches of")
    watch.stop()


@case
def preflight_gets_ready():
    stage = Stage()
    names = orphans(stage, 30)
    result = stage.reaper(
        "preflight", "--json", "--min-age", "1ms", "--settle", "100ms", before=FEW
    )
    expect(result.status == 0 and result.json["ready"], result.explain())
    stage.expect_ended(names)


@case
def what_preflight_starts_has_the_limit_that_preflight_had():
    stage = Stage()
    result = stage.reaper(
        "preflight",
        "-q",
        "--",
        "/bin/sh",
        "-c",
        "ulimit -n; ulimit -H -n",
        before=["prlimit", "--nofile=100:4000"],
    )
    expect(result.status == 0 and result.out.split() == ["100", "4000"], result.explain())


@case
def a_soft_limit_is_raised():
    stage = Stage()
    names = orphans(stage, 30)
    result = stage.sweep(before=["prlimit", "--nofile=24:4096"])
    stage.expect_sweep(result, names, [])
    expect(
        not any("RLIMIT_NOFILE" in remark for remark in result.json["remarks"]),
        f"{result.json['remarks']}",
    )


@case
def run_starts_and_ends_its_helper():
    stage = Stage()
    done = stage.reaper("run", "--", "/bin/sh", "-c", "ulimit -n", before=FEW)
    expect(done.status == 0 and done.out.strip() == "24", done.out + done.err)


if __name__ == "__main__":
    sandbox.main(__file__, globals())
