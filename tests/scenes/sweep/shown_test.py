"""The commands that the README and the manual show, run as they are printed, with their effect.
tests/readme_test.py finds those that no case shows. Helpers are old enough for a user's rule file
that says so, because a test cannot wait for three minutes."""
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

from examples_test import examples
from harness import sandbox
from harness.actor import all_pids, read_bytes, wait_until
from harness.layout import own_below, put
from harness.sandbox import NODE, PYTHON, case, expect
from harness.stage import Stage
from harness.watch import history

RUN = {}  # shown command -> the case that runs it
done = set()
QUICK = json.dumps(
    {"families": {name: {"min_age": "1ms", "grace": "1s"} for name in ("bridge", "slash_worker")}}
)


def shows(*commands):
    """These, and no others, the case runs."""

    def mark(function):
        @functools.wraps(function)
        def checked():
            function()
            expect(done == set(commands), f"run: {done}, wanted {set(commands)}")

        RUN.update(dict.fromkeys(commands, function.__name__))
        return checked

    return mark


class User:
    """A user with a home in which the program is in PATH, and helpers need not be old."""

    def __init__(self, rules=QUICK):
        self.stage = Stage()
        self.home = self.stage.layout.home
        put(self.home / ".config/orphan-reaper/rules.d/quick.json", rules).chmod(0o644)
        own_below(self.home / ".config", self.stage.uid)
        self.environment = {
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "USER": "u",
            "PATH": f"{self.stage.layout.binary.parent}:{self.home}/bin:/usr/bin:/bin",
        }

    def start(
        self, command, instead=(), cwd=None, root=False, env=None, before="", more="", **wish
    ):
        """instead: what stands for an example in the printed text -> what it is here."""
        done.add(command)
        for example, real in dict(instead).items():
            expect(example in command, f"{example} is not in {command}")
            command = command.replace(example, str(real))
        uid = 0 if root else self.stage.uid
        home = {"HOME": "/root"} if root else {}
        return subprocess.Popen(
            ["/bin/sh", "-c", before + command + more],
            cwd=cwd or self.home,
            user=uid,
            group=uid,
            extra_groups=[],
            env={**self.environment, **home, **(env or {})},
            text=True,
            **{
                "stdin": subprocess.DEVNULL,
                "stdout": subprocess.PIPE,
                "stderr": subprocess.PIPE,
                **wish,
            },
        )

    def type(self, command, status=0, says=(), **more):
        """It ends with this status, and says these words."""
        process = self.start(command, **more)
        out, err = process.communicate(timeout=60)
        expect(
            process.returncode == status,
            f"{command}: exit {process.returncode}, wanted {status}: {out}{err}",
        )
        missed = [word for word in says if word not in out]
        expect(not missed, f"{command}: {missed} is not in: {out}{err}")
        return out


def leaked(*more):
    """A user whose bridge and worker were left behind, beside a daemon that must stay."""
    user = User()
    stage = user.stage
    stage.orphans(
        [stage.bridge("bridge"), stage.worker("worker"), stage.daemon("daemon", port=18800), *more]
    )
    return user, stage


@case
@shows(
    "orphan-reaper",
    "orphan-reaper explain PID",
    "orphan-reaper explain 4711",
    "orphan-reaper sweep --dry-run",
)
def look():
    user, stage = leaked()
    pid = stage.actors["bridge"].pid
    user.type(
        "orphan-reaper",
        1,
        ["2 leaked helpers, ", f" {pid}  bridge/headless", "orphan-reaper sweep", "exit status 1"],
    )
    for command, example in (
        ("orphan-reaper explain PID", "PID"),
        ("orphan-reaper explain 4711", "4711"),
    ):
        user.type(command, 1, [f"{pid}", "stdin", "bridge"], instead={example: pid})
    user.type("orphan-reaper sweep --dry-run", 1, ["2 leaked helpers"])
    stage.expect_alive(["bridge", "worker", "daemon"])


@case
@shows("orphan-reaper sweep --detach --from my-hook")
def sweep_in_a_hook():
    """Of nothing that the rules know as a host."""
    user, stage = leaked()
    user.type("orphan-reaper sweep --detach --from my-hook")
    for name in ("bridge", "worker"):
        expect(stage.actors[name].wait_ended(20), name)
    stage.expect_alive(["daemon"])


@case
@shows("orphan-reaper sweep --under DIR")
def sweep_of_a_folder():
    user, stage = leaked()
    folder = stage.layout.home / "work"
    folder.mkdir()
    os.chown(folder, stage.uid, stage.uid)
    stage.orphans(
        [stage.child("job", [NODE, stage.layout.lib / "standin.cjs"], folder, ignore_eof=True)]
    )
    wait_until(
        lambda: stage.reaper("report", "--under", str(folder)).status == 1, "the job's age", 30
    )
    command = "orphan-reaper sweep --under DIR"
    user.type(command, 0, ["1 leaked helper ended"], instead={"DIR": folder})
    stage.expect_ended(["job"])
    stage.expect_alive(["bridge", "worker", "daemon"])


@case
@shows(
    "orphan-reaper sweep",
    "orphan-reaper history",
    "orphan-reaper history --since 30d",
    "orphan-reaper history --json",
    "orphan-reaper history --since 30d --format html -o history.html",
)
def sweep():
    user, stage = leaked()
    user.type("orphan-reaper sweep", 0, ["2 leaked helpers ended", "ended on TERM"])
    stage.expect_ended(["bridge", "worker"])
    stage.expect_alive(["daemon"])
    for command in ("orphan-reaper history", "orphan-reaper history --since 30d"):
        user.type(
            command,
            0,
            [
                "2 helpers ended",
                f"pid {stage.actors['bridge'].pid} ",
                str(user.home / ".local/state/orphan-reaper"),
            ],
        )
    user.type("orphan-reaper history --since 30d --format html -o history.html", 0)
    page = (user.home / "history.html").read_text()
    expect("2 helpers ended in the last 30d, " in page, page)
    said = json.loads(user.type("orphan-reaper history --json"))
    expect(said["schema"] == "orphan-reaper/history-report/1", str(said))


@case
@shows(
    "ssh one orphan-reaper --json >one.json",
    "ssh two orphan-reaper --json >two.json",
    "orphan-reaper merge one.json two.json",
    "orphan-reaper merge --json reports/*.json",
)
def merge():
    user, _stage = leaked()
    # In place of the real one, which needs a machine: it runs what follows the name of one.
    put(user.home / "bin/ssh", '#!/bin/sh\nshift\nexec "$@"\n').chmod(0o755)
    user.type("ssh one orphan-reaper --json >one.json", 1)
    user.type("ssh two orphan-reaper --json >two.json", 1)
    user.type("orphan-reaper merge one.json two.json", 1, ["1 machine: 2 leaked helpers"])
    (user.home / "reports").mkdir()
    shutil.copy(user.home / "one.json", user.home / "reports/one.json")
    said = json.loads(user.type("orphan-reaper merge --json reports/*.json", 1))
    expect(said["summary"]["left"] == 2, str(said))


@case
@shows("XDG_STATE_HOME=/var/lib/orphan-reaper/alice orphan-reaper history")
def history_of_the_administrators_timer():
    user, stage = leaked()
    folder = pathlib.Path("/var/lib/orphan-reaper")
    folder.chmod(0o755)
    (folder / "alice").mkdir(0o700)
    os.chown(folder / "alice", stage.uid, stage.uid)
    # As orphan-reaper@.service has it.
    swept = stage.sweep(env={"XDG_STATE_HOME": str(folder / "alice")})
    stage.expect_sweep(swept, ["bridge", "worker"], ["daemon"])
    user.type(
        "XDG_STATE_HOME=/var/lib/orphan-reaper/alice orphan-reaper history", 0, ["2 helpers ended"]
    )


@case
@shows("orphan-reaper sweep --reap abandoned")
def sweep_of_the_abandoned():
    user = User()
    stage = user.stage
    stage.start_host("host", [stage.bridge("abandoned", stdio="abandoned")])
    user.type("orphan-reaper sweep --reap abandoned", 0, ["1 leaked helper ended"])
    stage.expect_ended(["abandoned"])
    stage.expect_alive(["host"])


@case
@shows(
    "orphan-reaper --json | jq .hosts",
    "orphan-reaper --json | jq .summary.reclaimable_bytes",
    "orphan-reaper --json | jq '.processes[] | {pid, verdict}'",
)
def for_scripts():
    if not shutil.which("jq"):
        raise sandbox.Skip("no jq here")
    user, stage = leaked()
    expect(
        int(user.type("orphan-reaper --json | jq .summary.reclaimable_bytes")) > 1_000_000,
        "the bytes",
    )
    hosts = json.loads(user.type("orphan-reaper --json | jq .hosts"))
    expect([(one["pid"], one["helpers"], one["leaked"]) for one in hosts] == [(None, 3, 2)], hosts)
    said = user.type("orphan-reaper --json | jq '.processes[] | {pid, verdict}'")
    told = {one["pid"]: one["verdict"] for one in map(json.loads, re.findall(r"\{[^}]*\}", said))}
    wanted = {"bridge": "orphan", "worker": "orphan", "daemon": "designated"}
    expect(told == {stage.actors[name].pid: verdict for name, verdict in wanted.items()}, said)


@case
@shows("orphan-reaper report --facts facts.json", "orphan-reaper report --from-facts facts.json")
def facts():
    user, stage = leaked()
    user.type("orphan-reaper report --facts facts.json", 1)
    stage.sweep()
    user.type(
        "orphan-reaper report --from-facts facts.json",
        1,
        ["2 leaked helpers", f" {stage.actors['worker'].pid}  slash_worker"],
    )


@case
@shows("orphan-reaper --all-users --format prometheus -o leaks.prom")
def metrics():
    user, stage = leaked()
    folder = stage.layout.base / "metrics"
    folder.mkdir()
    # Too young for root's rules.
    user.type(
        "orphan-reaper --all-users --format prometheus -o leaks.prom", 0, cwd=folder, root=True
    )
    expect(
        "orphan_reaper_" in (folder / "leaks.prom").read_text(), (folder / "leaks.prom").read_text()
    )


@case
@shows("orphan-reaper sweep --notify")
def notifies():
    """Without a desktop, as it is here: all else is the same."""
    user, stage = leaked()
    user.type("orphan-reaper sweep --notify", 0, ["2 leaked helpers ended"])
    stage.expect_ended(["bridge", "worker"])


@case
@shows("orphan-reaper --format html -o report.html")
def a_page():
    user, stage = leaked()
    user.type("orphan-reaper --format html -o report.html", 1)
    page = (user.home / "report.html").read_text()
    expect("2 leaked helpers, " in page and f"pid {stage.actors['worker'].pid} <" in page, page)


@case
@shows("orphan-reaper rules check site.json")
def rules_check():
    user = User(rules="{}")
    stage = user.stage
    put(user.home / "site.json", examples()["site.json"][0]).chmod(0o644)
    stage.orphans([stage.bridge("bridge")])
    user.type(
        "orphan-reaper rules check site.json",
        0,
        ["it changes:", 'grace: "1m"', "slash_worker", "indexer"],
    )
    stage.expect_alive(["bridge"])


def stale_file(user):
    hermes = user.home / ".hermes"
    put(hermes / "gateway.lock", "")
    return put(
        hermes / "gateway.pid",
        json.dumps({"pid": 4_000_000, "kind": "hermes-gateway", "start_time": None}),
    )


@case
@shows(
    "orphan-reaper pidfiles",
    "orphan-reaper pidfiles --clean",
    "orphan-reaper pidfiles --clean --dry-run",
)
def pidfiles():
    user = User()
    stale = stale_file(user)
    user.type("orphan-reaper pidfiles", 1, [str(stale), "stale"])
    user.type("orphan-reaper pidfiles --clean --dry-run", 1, [str(stale)])
    expect(stale.exists(), "a dry run removed it")
    user.type("orphan-reaper pidfiles --clean", 0, [str(stale)])
    expect(
        not stale.exists() and (user.home / ".hermes/gateway.lock").exists(),
        "the wrong file is left",
    )


@case
@shows(
    "orphan-reaper preflight",
    "orphan-reaper preflight --dry-run",
    "orphan-reaper preflight -- hermes update",
)
def preflight():
    user, stage = leaked()
    stale = stale_file(user)
    hermes = put(user.home / "bin/hermes", f'#!/bin/sh\necho "$@" >>{stage.run}/updated\nexit 7\n')
    hermes.chmod(0o755)
    user.type("orphan-reaper preflight --dry-run", 1)
    stage.expect_alive(["bridge", "worker", "daemon"])
    user.type("orphan-reaper preflight", 0, ["ready"])
    stage.expect_ended(["bridge", "worker"])
    expect(
        not stale.exists() and not (stage.run / "updated").exists(),
        "the stale file is left, or the update was run",
    )
    user.type("orphan-reaper preflight -- hermes update", 7)
    expect((stage.run / "updated").read_text() == "update\n", "the update was not run once")
    stage.start_host("one", [])
    stage.start_host("two", [])
    user.type("orphan-reaper preflight -- hermes update", 6, ["not ready", "has 2 gateways"])
    expect(
        (stage.run / "updated").read_text() == "update\n",
        "the update was run although something is in its way",
    )


def helpers():
    """Of `run`: node processes with a bridge's script."""
    said = {pid: read_bytes(f"/proc/{pid}/cmdline").split(b"\0") for pid in all_pids()}
    return [
        pid
        for pid, words in said.items()
        if words[0] == b"node" and words[1].endswith(b"bridge.mjs")
    ]


def own_pipe(uid):
    """The user's own: where what `run` should see the traffic of is another user's, nothing is
    started."""
    ends = os.pipe()
    for end in ends:
        os.fchown(end, uid, uid)
    return ends


def wrap(user, command, cwd, instead=()):
    """The shell stays, and is the host."""
    child, stdin, stdout = (
        user.stage.bridge("helper"),
        own_pipe(user.stage.uid),
        own_pipe(user.stage.uid),
    )
    process = user.start(
        command,
        instead=instead,
        cwd=cwd,
        env=child["env"],
        more="\n:",
        stdin=stdin[0],
        stdout=stdout[1],
    )
    return process, wait_until(helpers, "the helper")


def wait_gone():
    wait_until(lambda: not helpers(), "the end of the helper")


@case
@shows(
    "orphan-reaper run -- node dist/bridge.mjs --agent=hermes --no-viewer",
    "orphan-reaper run -- node bridge.mjs --agent=hermes --no-viewer",
    "orphan-reaper run --parent 4711 -- node bridge.mjs --no-viewer",
    "orphan-reaper run --idle 2h --verbose -- node bridge.mjs",
)
def run():
    user = User()
    plugin = user.stage.layout.plugin
    for command, folder in (
        ("orphan-reaper run -- node dist/bridge.mjs --agent=hermes --no-viewer", plugin),
        ("orphan-reaper run -- node bridge.mjs --agent=hermes --no-viewer", plugin / "dist"),
    ):
        host, (_helper,) = wrap(user, command, folder)
        host.kill()
        wait_gone()
    other = subprocess.Popen(
        ["/bin/sleep", "1000"], user=user.stage.uid, group=user.stage.uid, extra_groups=[]
    )
    wrapper, (_helper,) = wrap(
        user,
        "orphan-reaper run --parent 4711 -- node bridge.mjs --no-viewer",
        plugin / "dist",
        {"4711": other.pid},
    )
    expect(wrapper.poll() is None, "it ended before its host")
    other.kill()
    other.wait()
    wait_gone()
    quiet, (_helper,) = wrap(
        user,
        "orphan-reaper run --idle 2h --verbose -- node bridge.mjs",
        plugin / "dist",
        {"2h": "1s"},
    )
    wait_gone()
    expect("ends with pid" in quiet.communicate(timeout=10)[1], "--verbose says how it is watched")


def watching(user, command, log):
    with open(user.stage.run / log, "w") as file:
        process = user.start(command, before="exec ", stdout=file, stderr=file)
    return process, lambda: (user.stage.run / log).read_text()


@case
@shows(
    "orphan-reaper watch --report-only", "orphan-reaper watch --report-only --census helpers.jsonl"
)
def watch():
    user = User()
    stage = user.stage
    for number, command in enumerate(
        (
            "orphan-reaper watch --report-only",
            "orphan-reaper watch --report-only --census helpers.jsonl",
        )
    ):
        stage.start_host(f"host-{number}", [stage.worker(f"worker-{number}", session=str(number))])
        process, log = watching(user, command, f"log-{number}")
        wait_until(lambda: "watching" in log(), "the watch")  # pylint: disable=cell-var-from-loop
        stage.kill_host(f"host-{number}")
        pid = stage.actors[f"worker-{number}"].pid
        # pylint: disable=cell-var-from-loop
        wait_until(lambda: f"pid {pid} " in log(), "the report")
        process.send_signal(signal.SIGTERM)
        expect(process.wait(timeout=10) == 0, log())
    stage.expect_alive(["worker-0", "worker-1"])
    expect(not history(stage), "it was written down as ended")
    census = [json.loads(line) for line in (user.home / "helpers.jsonl").read_text().splitlines()]
    expect(
        any(group["family"] == "slash_worker" for line in census for group in line["groups"]),
        str(census),
    )


@case
@shows(
    "orphan-reaper doctor",
    "orphan-reaper doctor --strict --quiet",
    "orphan-reaper doctor --json | jq -r '.checks[].fix // empty'",
    "orphan-reaper doctor --user alice",
)
def doctor():
    user = User()
    user.type("orphan-reaper doctor", 0, ["ok    proc: ", "WARN  schedule: ", "0 failed, "])
    said = user.type("orphan-reaper doctor --strict --quiet", 1, ["schedule: nothing sweeps"])
    expect(said.count("\n") == 1, said)
    if not shutil.which("jq"):
        raise sandbox.Skip("no jq here")
    user.type("orphan-reaper doctor --json | jq -r '.checks[].fix // empty'", 0)
    user.type(
        "orphan-reaper doctor --user alice",
        0,
        ["ok    rights: root"],
        instead={"alice": "u"},
        root=True,
    )


@case
@shows(
    "orphan-reaper hooks install --dry-run",
    "orphan-reaper hooks install --yes codex gemini",
    "orphan-reaper hooks status",
    "orphan-reaper hooks remove --yes",
)
def hooks():
    user = User()
    for name in (".codex/hooks.json", ".gemini/settings.json"):
        put(user.home / name, "{}")
    own_below(user.home, user.stage.uid)
    user.type(
        "orphan-reaper hooks install --dry-run", 0, ["change ", "--from codex", "--from gemini"]
    )
    expect((user.home / ".codex/hooks.json").read_text() == "{}", "a dry run changed something")
    user.type("orphan-reaper hooks install --yes codex gemini", 0, ["codex: the hook is installed"])
    # Hermes is there, too, and has none.
    user.type("orphan-reaper hooks status", 1, ["codex        installed", "hermes       not"])
    user.type("orphan-reaper hooks remove --yes", 0, ["gemini: the hook is removed"])
    expect((user.home / ".codex/hooks.json").read_text() == "{}", "something is left")


if __name__ == "__main__":
    sandbox.main(__file__, globals())
