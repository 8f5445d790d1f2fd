"""The text format of Prometheus, as strictly as it is meant."""
import json
import pathlib
import re

PACKAGING = pathlib.Path(__file__).resolve().parents[2] / "packaging/prometheus"
SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\]|\\.)*",?)*)\})? (-?[0-9.]+)\n')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')
ALLOWED = {"family", "verdict", "result", "command", "exit_status", "version", "commit"} | {
    "kind",
    "check",
    "status",
}


class Metrics:
    """(name, labels) -> value; fails on what a strict reader would refuse."""

    def __init__(self, text):
        self.values, self.types, described = {}, {}, None
        assert text.endswith("\n"), "the last line has no end"
        for line in text.splitlines(keepends=True):
            if line.startswith("# HELP "):
                described = line.split()[2]
                assert described not in self.types, f"{described} is there twice"
            elif line.startswith("# TYPE "):
                name, kind = line.split()[2:]
                assert name == described and kind in ("gauge", "counter"), line
                self.types[name] = kind
            else:
                self.take(line, described)

    def take(self, line, described):
        match = SAMPLE.fullmatch(line)
        assert match and match[1] == described, f"{described}: {line}"
        labels = frozenset(LABEL.findall(match[2] or ""))
        assert {name for name, _ in labels} <= ALLOWED, line
        assert (match[1], labels) not in self.values, f"twice: {line}"
        assert (self.types[match[1]] == "counter") == match[1].endswith("_total"), line
        self.values[match[1], labels] = float(match[3])

    def value(self, name, **labels):
        return self.values[f"orphan_reaper_{name}", frozenset(labels.items())]

    def has(self, name, **labels):
        return (f"orphan_reaper_{name}", frozenset(labels.items())) in self.values


def dashboard():
    return json.loads((PACKAGING / "orphan-reaper.dashboard.json").read_text())


def expressions():
    """Of the dashboard, with a value in place of each of its variables."""
    for panel in dashboard()["panels"]:
        for target in panel["targets"]:
            text = target["expr"].replace("$__rate_interval", "5m").replace("$__range", "1h")
            yield text.replace("$instance", ".*")


def names_used():
    """By the dashboard and the alerts."""
    rules = (PACKAGING / "orphan-reaper.rules.yml").read_text()
    return set(re.findall(r"\borphan_reaper_\w+", "\n".join(expressions()) + rules))
