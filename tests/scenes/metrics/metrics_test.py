"""What --format prometheus prints: a strict reader takes it, counters never fall, and nothing in it
names a process."""
import json
import os
import pathlib
import subprocess
import sys

from harness import debian, metrics, sandbox
from harness.actor import wait_until
from harness.layout import put
from harness.metrics import Metrics
from harness.sandbox import PYTHON, case, expect
from harness.stage import Stage

PROMETHEUS = ("--format", "prometheus")
QUICKLY = ("--min-age", "1ms", "--settle", "1ms", "--grace", "1s")
PARSER = "openmetrics-parser-2"
MOST = 4 * 1024 * 1024
# Reads it as text, writes it as OpenMetrics, and reads that: names that clash or break its rules
# are refused.
PARSE = """import sys
from prometheus_client.openmetrics import exposition, parser
from prometheus_client.parser import text_string_to_metric_families
class Registry:
    def collect(self):
        return text_string_to_metric_families(text)
text = sys.stdin.read()
openmetrics = exposition.generate_latest(Registry()).decode()
families = list(parser.text_string_to_metric_families(openmetrics))
print(sum(len(family.samples) for family in families))
"""


def read(stage, *arguments, statuses=(0, 1), **more):
    result = stage.reaper(*arguments, *PROMETHEUS, **more)
    expect(result.status in statuses, f"{arguments}: {result.status} {result.err}")
    return Metrics(result.out)


def leak(stage, count=1):
    stage.orphans([stage.bridge(f"bridge-{len(stage.actors)}-{i}") for i in range(count)])


@case
def every_command_that_has_figures():
    stage = Stage()
    leak(stage, 2)
    report = read(stage, "report", "--min-age", "1ms")
    expect(report.value("processes", family="bridge", verdict="orphan") == 2, "two leaked")
    expect(not report.has("last_run_exit_status", command="sweep"), "no sweep has run")
    sweep = read(stage, "sweep", *QUICKLY)
    ended = {"family": "bridge", "result": "ended_on_term"}
    expect(sweep.value("ended_total", **ended) == 2, "two ended")
    expect(sweep.value("reclaimed_bytes_total", family="bridge") > 0, "memory came back")
    expect(sweep.value("runs_total", command="sweep", exit_status="0") == 1, "this run")
    for arguments in (["report"], ["history"], ["preflight", "--dry-run"]):
        later = read(stage, *arguments, statuses=(0, 1, 6))
        expect(later.value("ended_total", **ended) == 2, f"{arguments}")
        expect(later.value("last_run_exit_status", command="sweep") == 0, f"{arguments}")
        for name in ("last_run_timestamp_seconds", "last_success_timestamp_seconds"):
            expect(
                later.value(name, command="sweep") == sweep.value(name, command="sweep"),
                f"{arguments}: {name}",
            )
    expect(read(stage, "preflight", "--dry-run", statuses=(0, 6)).has("update_ready"), "ready?")
    doctor = read(stage, "doctor", statuses=(0, 1, 4))
    for word, number in stage.reaper("doctor", "--json").json["summary"].items():
        counted = [v for (_, labels), v in doctor.values.items() if ("status", word) in labels]
        expect(sum(counted) == number, f"{word}: {number} and {counted}")
    expect(doctor.has("last_run_exit_status", command="doctor"), "its own run")


@case
def what_only_looks_writes_nothing_down():
    """And a sweep that is not to keep a history, or ends nothing by request."""
    stage = Stage()
    leak(stage)
    state = stage.layout.home / ".local/state/orphan-reaper"
    for arguments in (["report"], ["sweep", "--dry-run", *QUICKLY], ["preflight", "--dry-run"]):
        stage.reaper(*arguments, *PROMETHEUS)
        expect(not (state / "runs.jsonl").exists(), f"{arguments} wrote it")
    stage.reaper("sweep", "--no-history", *QUICKLY, *PROMETHEUS)
    expect(not (state / "runs.jsonl").exists(), "--no-history wrote it")


@case
def counters_stay_when_the_history_makes_way():
    """Twice, so that no line of the first sweep is left."""
    stage = Stage()
    leak(stage)
    ended = {"family": "bridge", "result": "ended_on_term"}
    read(stage, "sweep", *QUICKLY)
    history = stage.layout.home / ".local/state/orphan-reaper/history.jsonl"
    filler = json.dumps({"schema": "orphan-reaper/history/1", "event": "filler"}) + "\n"
    for wanted in (2, 3):
        with open(history, "a") as file:
            file.write(filler * (MOST // len(filler)))
        leak(stage)
        metrics_now = read(stage, "sweep", *QUICKLY)
        expect(metrics_now.value("ended_total", **ended) == wanted, f"{wanted} ended")
    older = history.with_name("history.jsonl.1").read_text()
    expect(older.count('"event":"ended"') == 1, "the first lines are gone")
    expect(os.path.getsize(history) < MOST, "the file made way")


@case
def what_is_refused_is_counted():
    stage = Stage()
    leak(stage, 2)
    for runs in (1, 2):
        sweep = read(stage, "sweep", *QUICKLY, "--max-kills", "1", statuses=(5,))
        expect(sweep.value("refusals_total", family="bridge") == 2 * runs, f"run {runs}")
        expect(sweep.value("runs_total", command="sweep", exit_status="5") == runs, "its status")
        expect(not sweep.has("last_success_timestamp_seconds", command="sweep"), "no success")


@case
def a_sweep_whose_rules_are_wrong_is_counted():
    stage = Stage()
    rules = stage.layout.base / "wrong.json"
    put(rules, "{", stage.uid)
    for command in ("report", "sweep"):
        refused = stage.reaper(command, "--config", str(rules))
        expect(refused.status == 3, refused.explain())
    history = read(stage, "history")
    expect(history.value("runs_total", command="sweep", exit_status="3") == 1, "the sweep")
    expect(not history.has("runs_total", command="report", exit_status="3"), "the report")


@case
def what_a_watch_ends_is_counted():
    stage = Stage()
    watch = stage.start_reaper("watch", "--interval", "200ms", *QUICKLY)
    try:
        leak(stage)
        state = stage.layout.home / ".local/state/orphan-reaper"
        wait_until((state / "runs.jsonl").exists, "its sweep")
    finally:
        watch.terminate()
        watch.communicate()
    history = read(stage, "history")
    expect(history.value("runs_total", command="watch", exit_status="0") >= 1, "its run")
    expect(history.value("ended_total", family="bridge", result="ended_on_term") == 1, "its end")


@case
def root_adds_what_services_of_users_have_ended():
    """Those of orphan-reaper@USER.service, which keep their history there."""
    stage = Stage()
    service = pathlib.Path("/var/lib/orphan-reaper/alice")
    service.mkdir(mode=0o700, parents=True)
    pathlib.Path("/var/lib/orphan-reaper").chmod(0o755)
    os.chown(service, stage.uid, stage.uid)
    leak(stage)
    read(stage, "sweep", *QUICKLY, env={"XDG_STATE_HOME": str(service)})
    total = {"family": "bridge", "result": "ended_on_term"}
    root = read(stage, "report", "--all-users", uid=0, statuses=(0, 1, 4))
    expect(root.value("ended_total", **total) == 1, "what the service ended")
    (service / "orphan-reaper/history.jsonl").unlink()
    put(stage.layout.home / "elsewhere.jsonl", "secret")
    (service / "orphan-reaper/history.jsonl").symlink_to(stage.layout.home / "elsewhere.jsonl")
    root = read(stage, "report", "--all-users", uid=0, statuses=(0, 1, 4))
    expect(root.value("ended_total", **total) == 0, "a link is not followed")


@case
def a_file_is_replaced_as_a_whole_for_its_reader():
    """As the textfile collector wants it: another user may read it, and nothing else of that name
    ending is there at any time."""
    stage = Stage()
    folder = stage.layout.base / "textfiles"
    folder.mkdir()
    for _again in range(2):
        enter = ("/bin/sh", "-c", 'umask 022 && exec "$@"', "sh")
        result = stage.reaper(
            "report", *PROMETHEUS, "-o", str(folder / "reaper.prom"), uid=0, before=enter
        )
        expect(result.status in (0, 4), result.err)
        expect([path.name for path in folder.iterdir()] == ["reaper.prom"], "nothing is left over")
        expect((folder / "reaper.prom").stat().st_mode & 0o777 == 0o644, "its mode")
        Metrics((folder / "reaper.prom").read_text())


@case
def a_parser_of_openmetrics_takes_it():
    library = debian.folder_of(PARSER) / "usr/lib/python3/dist-packages"
    stage = Stage()
    leak(stage)
    stage.reaper("sweep", *QUICKLY)
    for arguments in (["report"], ["history"], ["preflight", "--dry-run"], ["doctor"]):
        text = stage.reaper(*arguments, *PROMETHEUS).out
        done = subprocess.run(
            [PYTHON, "-B", "-c", PARSE],
            input=text,
            capture_output=True,
            text=True,
            env={"PYTHONPATH": str(library)},
        )
        expect(done.returncode == 0, f"{arguments}: {done.stderr}")
        expect(int(done.stdout) == len(Metrics(text).values), f"{arguments}: {done.stdout}")


@case
def dashboard_and_alerts_name_what_there_is():
    stage = Stage()
    stage.reaper("sweep", *QUICKLY)
    there = set(read(stage, "report").types)
    used = metrics.names_used()
    expect(len(used) > 8 and used <= there, f"{used - there} is printed by nothing")
    dashboard = metrics.dashboard()
    expect(len(dashboard["uid"]) <= 40 and dashboard["id"] is None, "it can be imported")
    ids = [panel["id"] for panel in dashboard["panels"]]
    expect(len(ids) == len(set(ids)), f"{ids}")
    for panel in dashboard["panels"]:
        said = panel["title"], panel["description"], panel["fieldConfig"]["defaults"]["unit"]
        expect(all(said), f"{said}")
        place = panel["gridPos"]
        expect(place["x"] + place["w"] <= 24, f"{panel['title']} is beyond the edge")


if __name__ == "__main__":
    if sys.argv[1:2] not in (["--inside"], ["--list"]):
        debian.unpack(PARSER, "python3-prometheus-client", "python3-decorator")
    sandbox.main(__file__, globals())
