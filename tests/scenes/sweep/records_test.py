"""Ledgers, registries, locks and markers that cannot be understood: what they could have protected
is kept, and the report says why."""
import json
import os
import signal
import time

from harness import actor, sandbox
from harness.actor import is_there, wait_until
from harness.claims import is_busy
from harness.layout import own_below, put
from harness.sandbox import case, expect
from harness.stage import Stage
from harness.watch import ManyHosts

HIDDEN = "veto.unreadable.claim"


class Records:
    """A bridge and a worker that leaked, and every record that names one of them and a host that
    lives."""

    def __init__(self):
        self.stage = stage = Stage()
        self.home = stage.layout.home / ".hermes"
        self.data = stage.layout.data_home("bridge")
        stage.orphans(
            [
                stage.bridge("bridge", home=self.data),
                stage.worker("worker", session="w", env={"HERMES_HOME": str(self.home)}),
            ]
        )
        bridge, worker = stage.actors["bridge"].pid, stage.actors["worker"].pid
        me = os.getpid()
        self.files = {
            self.home
            / "spawn-ledger.json": json.dumps(
                [
                    {
                        "pid": worker,
                        "create_time": actor.started_epoch(worker),
                        "purpose": "mcp-helper",
                        "spawner_pid": me,
                        "spawner_create": actor.started_epoch(me),
                        "argv": "a [b] {c}",
                    }
                ]
            ),
            self.home
            / "processes.json": json.dumps(
                [
                    {
                        "pid": worker,
                        "pid_scope": "host",
                        "host_start_time": int(actor.stat_fields(worker)[19]),
                        "owner_pid": me,
                        "owner_started_at": int(actor.stat_fields(me)[19]),
                        "watch_patterns": ["x"],
                    }
                ]
            ),
            self.home
            / "desktop-ssh"
            / ("0" * 32)
            / "backend.lock.json": json.dumps({"schemaVersion": 2, "pid": worker}),
            stage.layout.plugin
            / "daemon/headless-bridges.json": json.dumps(
                {
                    "bridges": [
                        {
                            "pid": bridge,
                            "parentPid": me,
                            "startedAt": actor.started_epoch(bridge),
                            "agent": "hermes",
                        }
                    ]
                }
            ),
        }

    def put(self, path, text):
        put(path, "", uid=self.stage.uid)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        own_below(self.home, self.stage.uid)

    def remove(self, path):
        path.unlink()

    def expect_hidden(self, path, what, names=("bridge", "worker"), code=HIDDEN):
        report = self.stage.report()
        expect(report.status == 4, f"{what}: exit {report.status}: {report.explain()}")
        for name in names:
            process = report.process(self.stage.actors[name].pid)
            details = [one["detail"] for one in process["evidence"] if one["code"] == code]
            expect(process["verdict"] == "unknown" and details, f"{what}: {name} is {process}")
            expect(str(path) in details[0], f"{what}: {details}")

    def expect_all_kept(self, ended=(), code=HIDDEN):
        kept = [name for name in self.stage.actors if name not in ended]
        self.stage.expect_sweep(
            self.stage.sweep("--reap", "abandoned,duplicate,held,in-service"),
            list(ended),
            kept,
            status=4,
        )


def damages(text):
    middle = text.index('"pid"')
    return {
        "its last byte is missing": text[:-1],
        "half of it is missing": text[: len(text) // 2],
        "empty": "",
        "blank": " \n",
        "zeros": "\0" * len(text),
        "of another type": "7",
        "null": "null",
        "something follows": text + "]",
        "not UTF-8": text[:middle].encode() + b'"\xff": 1, ' + text[middle:].encode(),
        "no pid": text.replace('"pid": ', '"pid": -'),
        "a pid of letters": text.replace('"pid": ', '"pid": "x", "y": '),
        "nested too deeply": '[' * 100_000 + ']' * 100_000,
        "too large": text + " " * (17 << 20),
    }


@case
def a_record_that_cannot_be_understood_keeps_what_it_could_have_named():
    records = Records()
    for path, text in records.files.items():
        for what, damaged in damages(text).items():
            records.put(path, damaged)
            records.expect_hidden(path, f"{path.name}, {what}")
        records.put(path, text[:-1])
        records.expect_all_kept()
        records.put(path, text)
        named = records.stage.report()
        kept = [
            name
            for name in ("bridge", "worker")
            if named.process(records.stage.actors[name].pid)["action"] != "reap"
        ]
        expect(len(kept) == 1, f"{path}: whole it protects only what it names: {kept}")
        records.remove(path)
    records.stage.expect_sweep(records.stage.sweep(), ["bridge", "worker"], [])


@case
def one_damaged_entry_among_good_ones():
    records = Records()
    path = records.home / "spawn-ledger.json"
    good = {"pid": 999999, "create_time": 1.0, "spawner_pid": 999998, "spawner_create": 1.0}
    for bad in (
        {"pid": None},
        {},
        7,
        {"pid": 0},
        {"pid": 1 << 40},
        {"pid": "7"},
        {**good, "spawner_pid": "x"},
        {**good, "create_time": "x"},
    ):
        records.put(path, json.dumps([good, bad, good]))
        records.expect_hidden(path, f"{bad}")
    records.expect_all_kept()
    records.put(path, json.dumps([good, good]))
    records.stage.expect_sweep(records.stage.sweep(), ["bridge", "worker"], [])


@case
def small_files_that_cannot_be_understood():
    records = Records()
    stage = records.stage
    for path, names, code in (
        (records.home / ".hermes-update-in-progress", ["bridge", "worker"], HIDDEN),
        (records.home / "gateway.pid", ["worker"], HIDDEN),
        (records.data / "daemon/bridge.pid", ["bridge"], "veto.ambiguous"),
    ):
        for text in ("", "x", "{", "\0\0\0\0"):
            records.put(path, text)
            records.expect_hidden(path, f"{path.name}: {text!r}", names, code)
            if path.name.startswith(".hermes"):
                os.utime(path, (time.time() - 7200,) * 2)  # its updater may be slow
                records.expect_hidden(path, f"{path.name}, old: {text!r}", names, code)
        if len(names) == 2:
            records.expect_all_kept(code=code)
        records.remove(path)
    stage.expect_sweep(stage.sweep(), ["bridge", "worker"], [])


@case
def what_only_a_damaged_ledger_names_is_not_called_clean():
    """Nothing else is there that could be leaked."""
    stage = Stage()
    home = stage.layout.home / ".hermes"
    ledger = put(home / "spawn-ledger.json", "[{", uid=stage.uid)
    own_below(home, stage.uid)
    for command in (["report", "--json"], ["sweep", "--json", "--settle", "1ms"]):
        result = stage.reaper(*command)
        expect(
            result.status == 4 and any(str(ledger) in remark for remark in result.json["remarks"]),
            result.explain(),
        )
    ledger.write_text("[]")
    expect(stage.reaper("report", "--json").status == 0, "an empty list says that there is nothing")


SLOWDOWN = int(os.environ.get("REAPER_SLOWDOWN", "1"))
ORPHANS, ENTRIES = 300 // SLOWDOWN, 20_000 // SLOWDOWN


def full_ledger(stage, pairs):
    """As Hermes writes it: of helpers whose host is gone, of hosts that live, and of many that
    ended long ago."""

    def entry(pid, spawner, began):
        return {
            "pid": pid,
            "create_time": began,
            "purpose": "mcp-helper",
            "install": "0123456789ab",
            "spawner_pid": spawner,
            "spawner_create": began - 1,
            "registered_at": began + 1,
            "argv": "python -m tui_gateway.slash_worker --model x y z",
            "host": "",
            "port": None,
            "profile": "",
            "hermes_home": str(stage.layout.home / ".hermes"),
            "isolated": False,
        }

    me = actor.started_epoch(os.getpid())
    entries = [entry(helper, host, actor.started_epoch(helper)) for host, helper in pairs]
    entries += [entry(os.getpid(), 1, me)] * 1000
    entries += [
        entry(1_000_000 + number, 2_000_000 + number, 1.7e9 + number)
        for number in range(ENTRIES - len(entries))
    ]
    path = put(
        stage.layout.home / ".hermes/spawn-ledger.json",
        json.dumps(entries, indent=2),
        uid=stage.uid,
    )
    own_below(path.parent, stage.uid)
    return path


@case(timeout=180, alone=True)
def three_hundred_orphans_beside_a_full_ledger_end_in_one_grace():
    stage = Stage()
    # As their helpers do: each takes its whole grace.
    hosts = ManyHosts(stage, ORPHANS, before=("env", "--ignore-signal=TERM"))
    pairs = hosts.pairs()
    path = full_ledger(stage, pairs)
    expect(
        stage.reaper("pidfiles", "--json").status == 0,
        "so many entries are nothing that could not be looked at",
    )
    for host, _helper in pairs:
        os.kill(host, signal.SIGKILL)
    wait_until(
        lambda: not any(is_there(host) for host, _helper in pairs), "the end of the hosts", 30
    )
    began, grace = time.monotonic(), 20
    result = stage.reaper(
        "sweep",
        "--json",
        "--min-age",
        "1ms",
        "--settle",
        "200ms",
        "--max-kills",
        "1000",
        "--grace",
        f"{grace}s",
        timeout=170,
    )
    took = time.monotonic() - began
    print(
        f"     {len(result.signalled())} ended in {took:.1f} s beside {path.stat().st_size >> 10} "
        f"kB",
        flush=True,
    )
    expect(
        result.json and result.json["summary"]["reaped"] == ORPHANS and result.status == 0,
        result.explain()[-2000:],
    )
    if took >= 2 * grace and is_busy():
        raise sandbox.Skip(f"the machine is too busy to measure time: load {os.getloadavg()[0]}")
    outcomes = {process["outcome"]["result"] for process in result.processes if process["outcome"]}
    expect(outcomes == {"ended_on_kill"}, f"{outcomes}")
    expect(took < 2 * grace, f"one grace of {grace} s took {took:.1f} s")


if __name__ == "__main__":
    sandbox.main(__file__, globals())
