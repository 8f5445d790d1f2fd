"""The real Prometheus and node_exporter: a leak makes an alert fire, and its end resolves it. Some
twenty megabytes: only `packaging/check --release` fetches them, everything else counts the cases as
skipped."""
import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request

from harness import debian, metrics, sandbox
from harness.actor import wait_until
from harness.layout import put
from harness.sandbox import case, expect
from harness.stage import Stage

WANTED = "REAPER_PROMETHEUS"
PROGRAMS = "prometheus-1"
RULES = metrics.PACKAGING / "orphan-reaper.rules.yml"
QUICKLY = ("--min-age", "1ms", "--settle", "1ms", "--grace", "1s")
CONFIG = """global: {scrape_interval: 200ms, scrape_timeout: 200ms, evaluation_interval: 200ms}
rule_files: [rules.yml]
scrape_configs:
  - job_name: node
    static_configs: [{targets: ["127.0.0.1:9100"]}]
"""


large = sandbox.only_with(WANTED)


def program(name):
    return str(debian.folder_of(PROGRAMS) / "usr/bin" / name)


def promtool(*arguments, text=""):
    done = subprocess.run(
        [program("promtool"), *map(str, arguments)], input=text, capture_output=True, text=True
    )
    expect(done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}{text}")
    expect("FAILED" not in done.stdout and not done.stderr, f"{done.stdout}{done.stderr}")


@case
@large
def promtool_finds_nothing_wrong_with_the_metrics():
    stage = Stage()
    stage.orphans([stage.bridge("bridge")])
    stage.reaper("sweep", *QUICKLY)
    for arguments in (["report"], ["history"], ["preflight", "--dry-run"], ["doctor"]):
        printed = stage.reaper(*arguments, "--format", "prometheus").out
        expect("orphan_reaper_build_info" in printed, f"{arguments}: {printed}")
        promtool("check", "metrics", text=printed)


@case
@large
def promtool_finds_nothing_wrong_with_the_rules():
    promtool("check", "rules", RULES)
    promtool("test", "rules", RULES.with_name("orphan-reaper.rules.test.yml"))
    tests = RULES.with_name("orphan-reaper.rules.test.yml").read_text()
    for alert in re.findall(r"alert: (\w+)", RULES.read_text()):
        expect(f"alertname: {alert}" in tests, f"{alert} has no test")


@case
@large
def every_panel_of_the_dashboard_can_be_asked_for():
    stage = Stage()
    rules = [
        {"record": f"panel:{at}", "expr": expr} for at, expr in enumerate(metrics.expressions())
    ]
    expect(len(rules) > 8, f"{rules}")
    file = put(
        stage.run / "panels.yml", json.dumps({"groups": [{"name": "panels", "rules": rules}]})
    )
    promtool("check", "rules", file)


class Monitoring:
    """Both programs, in the network of the case. Its rules are the real ones but for how long
    something has to be so: `for` is half a second in each."""

    def __init__(self, stage):
        self.textfiles = stage.layout.base / "textfiles"
        self.textfiles.mkdir()
        folder = stage.layout.base / "prometheus"
        folder.mkdir()
        put(folder / "prometheus.yml", CONFIG)
        put(folder / "rules.yml", re.sub(r"\bfor: \w+", "for: 500ms", RULES.read_text()))
        collector = ["--collector.disable-defaults", "--collector.textfile"]
        folder_option = f"--collector.textfile.directory={self.textfiles}"
        self.start(
            stage,
            [program("prometheus-node-exporter"), *collector, folder_option]
            + ["--web.listen-address=127.0.0.1:9100"],
        )
        self.start(
            stage,
            [program("prometheus"), "--config.file=prometheus.yml", "--storage.tsdb.path=data"]
            + ["--web.listen-address=127.0.0.1:9090", "--log.level=warn"],
            folder,
        )

    def start(self, stage, argv, cwd="/"):
        with open(stage.layout.base / "monitoring.log", "a") as log:
            subprocess.Popen(argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def ask(self, path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:9090/api/v1/{path}") as answer:
                return json.load(answer)["data"]
        except (urllib.error.URLError, ConnectionError):
            return None

    def firing(self):
        """name -> labels; none while it does not answer yet."""
        data = self.ask("alerts")
        if data is None:
            return None
        found = [alert for alert in data["alerts"] if alert["state"] == "firing"]
        return {alert["labels"]["alertname"]: alert["labels"] for alert in found}

    def wait(self, condition, what):
        def holds():
            firing = self.firing()
            return firing is not None and condition(firing)

        wait_until(holds, what)

    def has(self, query):
        data = self.ask(f"query?query={query}")
        return bool(data and data["result"])


@case
@large
def a_leak_fires_an_alert_and_its_end_resolves_it():
    stage = Stage()
    monitoring = Monitoring(stage)

    def write():
        result = stage.reaper(
            *["report", "--min-age", "1ms", "--all-users", "--format", "prometheus"],
            *["-o", str(monitoring.textfiles / "orphan-reaper.prom")],
            uid=0,
        )
        expect(result.status in (0, 1, 4), result.err)

    write()
    wait_until(lambda: monitoring.has("orphan_reaper_build_info"), "the first scrape")
    monitoring.wait(lambda firing: "OrphanReaperLeaksRemain" not in firing, "no alert")
    stage.orphans([stage.bridge("bridge")])
    write()
    monitoring.wait(lambda firing: "OrphanReaperLeaksRemain" in firing, "the alert")
    labels = monitoring.firing()["OrphanReaperLeaksRemain"]
    expect(labels["family"] == "bridge" and labels["severity"] == "warning", f"{labels}")
    expect("OrphanReaperFileUnreadable" not in monitoring.firing(), "the file can be read")
    stage.reaper("sweep", *QUICKLY)
    stage.expect_ended(["bridge"])
    write()
    monitoring.wait(lambda firing: "OrphanReaperLeaksRemain" not in firing, "its end")
    put(monitoring.textfiles / "broken.prom", "orphan_reaper_processes{ 1\n")
    monitoring.wait(lambda firing: "OrphanReaperFileUnreadable" in firing, "the broken file")


if __name__ == "__main__":
    wanted = os.environ.get(WANTED) and sys.argv[1:2] not in (["--inside"], ["--list"])
    if wanted and not sandbox.missing_here():
        debian.unpack(PROGRAMS, "prometheus", "prometheus-node-exporter")
    sandbox.main(__file__, globals())
