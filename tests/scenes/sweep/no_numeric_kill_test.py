"""No signal by number, ever: counted by strace, and enforced by the kernel. And without handles
nothing is signalled at all."""
import re
import shutil

from harness import product, sandbox
from harness.sandbox import PYTHON, case, expect
from harness.stage import Stage

QUIET_SANITIZERS = {"ASAN_OPTIONS": "detect_leaks=0"}  # LeakSanitizer cannot work below ptrace


def leak(stage):
    stage.orphans(
        [
            stage.bridge("polite"),
            stage.bridge("deaf", ignore_term=True),
            stage.worker("worker"),
            stage.worker("deaf-worker", session="deaf", ignore_term=True),
        ]
    )
    stage.orphans([stage.daemon("daemon", port=18800)])
    return ["polite", "deaf", "worker", "deaf-worker"]


def traced(stage, *calls):
    if not shutil.which("strace"):
        raise sandbox.Skip("needs strace")
    log = stage.run / "strace.log"
    return ["strace", "-f", "-qq", "-o", str(log), "-e", "trace=" + ",".join(calls)], log


def denied(stage, *denials):
    return [PYTHON, "-B", str(stage.layout.lib / "deny_calls.py"), *denials, "--"]


def count(log, call):
    return len(re.findall(rf"\b{call}\(", log.read_text()))


@case
def a_whole_sweep_signals_nothing_by_number():
    stage = Stage()
    ended = leak(stage)
    before, log = traced(stage, "kill", "tkill", "tgkill", "pidfd_send_signal")
    stage.expect_sweep(stage.sweep(before=before, env=QUIET_SANITIZERS), ended, ["daemon"])
    numeric = {call: count(log, call) for call in ("kill", "tkill", "tgkill")}
    expect(not any(numeric.values()), f"{numeric}\n{log.read_text()}")
    expect(
        count(log, "pidfd_send_signal") >= 2 * len(ended),
        "strace saw too little to prove anything:\n" + log.read_text(),
    )


@case
def control_strace_sees_a_numeric_kill():
    stage = Stage()
    before, log = traced(stage, "kill", "tkill", "tgkill")
    product.run([*before, "/bin/bash", "-c", "kill -0 $$"], stage.uid, stage.layout.home)
    expect(count(log, "kill") == 1, log.read_text())


@case
def a_sweep_works_where_the_kernel_forbids_kill():
    stage = Stage()
    ended = leak(stage)
    stage.expect_sweep(
        stage.sweep(before=denied(stage, "kill=EPERM", "tkill=EPERM")), ended, ["daemon"]
    )


@case
def control_the_kernel_forbids_kill():
    stage = Stage()
    result = product.run(
        [*denied(stage, "kill=EPERM", "tkill=EPERM"), "/bin/bash", "-c", "kill -0 $$"],
        stage.uid,
        stage.layout.home,
    )
    expect(result.status != 0 and "not permitted" in result.err, result.err)


def without_handles(answer):
    stage = Stage()
    names = leak(stage)
    result = stage.sweep(before=denied(stage, f"pidfd_open={answer}"))
    expect(result.status == 4, f"exit {result.status}, wanted 4: {result.explain()}")
    stage.expect_alive([*names, "daemon"])
    expect(not result.signalled(), result.explain())
    said = stage.reaper(
        "sweep", "--min-age", "1ms", "--settle", "1ms", before=denied(stage, f"pidfd_open={answer}")
    )
    expect(said.status == 4, f"text form: exit {said.status}")
    words = (said.out + said.err).lower()
    expect(
        "pidfd" in words or "handle" in words,
        f"nothing about handles for processes in:\n{said.out}\n{said.err}",
    )
    stage.expect_alive([*names, "daemon"])


@case
def no_handles_old_kernel():
    without_handles("ENOSYS")


@case
def no_handles_too_many_files():
    without_handles("EMFILE")


@case
def no_handles_forbidden():
    without_handles("EPERM")


@case
def the_kernel_refuses_the_signal():
    stage = Stage()
    names = leak(stage)
    result = stage.sweep(before=denied(stage, "pidfd_send_signal=EPERM"))
    expect(result.status == 5, f"exit {result.status}, wanted 5: {result.explain()}")
    for name in names:
        outcome = result.outcome(stage.actors[name].pid)
        expect(
            outcome and outcome["result"] == "denied" and outcome["signals"] == [],
            f"{name}: {outcome}",
        )
    stage.expect_alive([*names, "daemon"])


@case
def a_dry_run_sends_nothing_and_plans_what_a_sweep_does():
    stage = Stage()
    ended = leak(stage)
    before, log = traced(stage, "kill", "tkill", "tgkill", "pidfd_send_signal")
    dry = stage.sweep("--dry-run", before=before, env=QUIET_SANITIZERS)
    expect(dry.status == 1 and dry.json["dry_run"] is True, dry.explain())
    sent = [
        line
        for line in log.read_text().splitlines()
        if "SIG" in line and "(" in line and ", 0," not in line
    ]
    expect(not sent, f"a dry run sent: {sent}")
    expect("TERM" not in dry.err, f"it announces what it never sends: {dry.err}")
    stage.expect_alive([*ended, "daemon"])
    expect(
        all(dry.outcome(stage.actors[name].pid)["result"] == "would_reap" for name in ended),
        dry.explain(),
    )
    real = stage.sweep()
    expect(dry.plan() == real.plan(), f"planned {dry.plan()}, done {real.plan()}")
    verdicts = [
        {process["pid"]: process["verdict"] for process in one.processes} for one in (dry, real)
    ]
    expect(verdicts[0] == verdicts[1], str(verdicts))
    stage.expect_sweep(real, ended, ["daemon"])


if __name__ == "__main__":
    sandbox.main(__file__, globals())
