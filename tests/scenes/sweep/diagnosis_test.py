"""What eats the machine, and what is about to stop it: memory, hosts, process 1 and limits."""
import os
import pathlib
import re
import subprocess

from harness import layout, sandbox
from harness.actor import all_pids, wait_until
from harness.sandbox import case, expect
from harness.stage import Stage

MEGABYTE = 1 << 20


def diagnosis(stage, status, **more):
    result = stage.report(**more)
    expect(result.status == status, f"exit {result.status}, wanted {status}: {result.explain()}")
    return result.json["diagnosis"], " ".join(result.json["remarks"])


def text_of(stage):
    return " ".join(stage.reaper("report", "--min-age", "1ms").out.split())


def leave_one_to_init(stage, seconds):
    """A process that its parent leaves behind, and that ends by itself."""
    command = ["sh", "-c", f"sleep {seconds} >/dev/null 2>&1 & echo $!"]
    pid = int(subprocess.check_output(command, user=stage.uid, group=stage.uid, extra_groups=[]))
    wait_until(lambda: parent_and_state(pid)[0] == "1", "the adoption")
    return pid


def parent_and_state(pid):
    text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    state, parent = text.rpartition(")")[2].split()[:2]
    return parent, state


@case(lazy=True)
def process_1_does_not_reap():
    stage = Stage()
    found, remarks = diagnosis(stage, 0)
    expect(found["init"]["zombies"] == 0 and not remarks, f"{found} {remarks}")
    pid = leave_one_to_init(stage, 3.5)
    wait_until(lambda: parent_and_state(pid)[1] == "Z", "its end")
    found, remarks = diagnosis(stage, 0)
    expect(found["init"]["zombies"] == 1, str(found))
    signals = {"ignored": False, "blocked": False, "caught": False}
    expect(found["init"]["sigchld"] == signals, str(found))
    expect("does not collect" in remarks and "docker run --init" in remarks, remarks)
    text = text_of(stage)
    expect("1 process that ended is still there" in text and "--init" in text, text)
    swept = stage.sweep()
    expect("diagnosis" not in swept.json and swept.status == 0, swept.explain())


@case
def process_1_reaps():
    stage = Stage()
    pid = leave_one_to_init(stage, 3.5)
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"), "its end")
    found, remarks = diagnosis(stage, 0)
    expect(found["init"]["zombies"] == 0 and not remarks, f"{found} {remarks}")


@case
def few_processes_are_left_in_a_cgroup():
    """The nearest limit counts, of the host's cgroups and of all above them."""
    stage = Stage()
    host = stage.start_host("gateway", [stage.worker("attached")])
    outer = sandbox.make_pids_cgroup("outer")
    inner = sandbox.make_pids_cgroup("outer/inner")
    for pid in (host.pid, stage.actors["attached"].pid):
        (inner / "cgroup.procs").write_text(str(pid))
    used = int((outer / "pids.current").read_text())
    (inner / "pids.max").write_text(str(used * 4))
    (outer / "pids.max").write_text(str(used * 2))
    found, remarks = diagnosis(stage, 0)
    wanted = {"used": used, "most": used * 2, "where": str(outer)}
    expect(found["pids_max"] == wanted and not remarks, f"{found} {remarks}, wanted {wanted}")
    (inner / "pids.max").write_text(str(used + 1 if used > 4 else used))
    found, remarks = diagnosis(stage, 0)
    expect(found["pids_max"]["where"] == str(inner), str(found))
    expect("pids.max" in remarks and "TasksMax=" in remarks, remarks)
    expect(str(inner) in text_of(stage), text_of(stage))


@case
def few_processes_are_left_to_the_user():
    """As the host has the limit, whatever this program has. The kernel counts what a user has in
    all namespaces, so no other scene may have this user."""
    layout.UID = 2_000_000 + int(re.sub(r"\D", "", os.environ["REAPER_TEST_CGROUP"]))
    stage = Stage(uid=layout.UID)
    stage.start_host("other", [stage.worker("first", session="first")], kind="gateway")
    found, remarks = diagnosis(stage, 0)
    expect(found["ulimit_u"]["used"] is None and not remarks, f"{found} {remarks}")
    most = sum(
        len(os.listdir(f"/proc/{pid}/task"))
        for pid in all_pids()
        if os.stat(f"/proc/{pid}").st_uid == stage.uid
    )
    most += 3  # the worker below, the copy of this program, and this program
    kind = ["prlimit", f"--nproc={most}", sandbox.PYTHON, "-B", "-m", "hermes_cli.main", "serve"]
    host = stage.start_host("limited", [stage.worker("second", session="second")], kind=kind)
    found, remarks = diagnosis(stage, 0)
    expect(found["ulimit_u"]["most"] == most, str(found))
    expect(found["ulimit_u"]["where"] == f"pid {host.pid}", str(found))
    expect(found["ulimit_u"]["uid"] == stage.uid, str(found))
    expect("ulimit -u" in remarks and "LimitNPROC=" in remarks, remarks)
    expect(f"ulimit -u of pid {host.pid}" in text_of(stage), text_of(stage))


@case
def helpers_are_counted_by_host():
    stage = Stage()
    stage.orphans([stage.bridge("leaked"), stage.worker("leaked-worker")])
    many = stage.start_host(
        "many", [stage.bridge("a"), stage.worker("b", session="b"), stage.worker("c", session="c")]
    )
    one = stage.start_host("one", [stage.worker("d", session="d")], kind="node")
    report = stage.report().json
    hosts = {host["pid"]: host for host in report["hosts"]}
    numbers = {
        pid: (host["helpers"], host["leaked"], host["families"].get("slash_worker"))
        for pid, host in hosts.items()
        if pid in (None, many.pid, one.pid)
    }
    # The gateway is a member of a family itself, and has no host.
    expect(numbers[many.pid] == (3, 0, 2) and numbers[one.pid] == (1, 0, 1), str(numbers))
    expect(numbers[None][1:] == (2, 1), str(numbers))
    expect(hosts[one.pid]["comm"] == "node" or hosts[one.pid]["comm"] == "MainThread", str(hosts))
    memory = [host["memory_bytes"] for host in report["hosts"]]
    expect(memory == sorted(memory, reverse=True), str(memory))
    listed = sum(process["rss_bytes"] + process["swap_bytes"] for process in report["processes"])
    expect(sum(memory) == listed, f"{memory}, listed {listed}")
    text = stage.reaper("report", "--min-age", "1ms").out
    expect(re.search(rf"BY HOST.*\n(.*\n)* +{many.pid}  .* 2 slash_worker, 1 bridge\n", text), text)
    page = stage.reaper("report", "--format", "html").out
    expect("By host, most memory first" in page, page)


@case
def what_is_swapped_out_is_memory():
    """There may be no swap here, so the kernel's answer is a file of the case."""
    stage = Stage()
    stage.orphans([stage.worker("leaked")])
    pid = stage.actors["leaked"].pid
    status = pathlib.Path(f"/proc/{pid}/status")
    told = re.sub(r"VmSwap:.*", "VmSwap:\t  512000 kB", status.read_text())
    expect("512000" in told, told)
    fake = stage.run / "status"
    fake.write_text(told)
    sandbox.mount(str(fake), status, "none", 0x1000)  # MS_BIND
    report = stage.report()
    process = report.process(pid)
    expect(process["swap_bytes"] == 500 * MEGABYTE, str(process))
    total = process["rss_bytes"] + process["swap_bytes"]
    expect(report.json["summary"]["reclaimable_bytes"] == total, str(report.json["summary"]))
    explained = stage.reaper("explain", str(pid)).out  # by libproc2
    memory = re.search(r"uses +(\d+) MB of memory", explained)
    expect(memory and 500 < int(memory[1]) < 600, explained)
    told = stage.reaper("explain", "--json", str(pid)).process(pid)
    expect(told["swap_bytes"] == 500 * MEGABYTE, str(told))


if __name__ == "__main__":
    sandbox.main(__file__, globals())
