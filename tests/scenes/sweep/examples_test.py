"""The examples of orphan-reaper-rules(5), taken from there as they are printed: each file is
accepted, the commands below it run, and real processes fare as the text says."""
import functools
import json
import os
import pathlib
import re
import subprocess
import textwrap

from harness import product, sandbox
from harness.layout import own_below, put
from harness.sandbox import NODE, PYTHON, case, expect
from harness.stage import Stage

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "packaging/man/orphan-reaper-rules.5"
SERVER = ".npm/_npx/15b07286cbcc3329/node_modules/.bin/mcp-server-filesystem"


def printed():
    """The page as a terminal shows it, without bold and underlined letters."""
    for command in (["mandoc", "-Tascii", PAGE], ["man", "--warnings", "-l", PAGE]):
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                check=True,
                env={**os.environ, "LC_ALL": "C", "MANWIDTH": "78"},
            )
        except FileNotFoundError:
            continue
        expect(not done.stderr, done.stderr)
        return re.sub(r".\x08", "", done.stdout)
    raise sandbox.Skip("neither mandoc nor man to print the page with")


@functools.cache
def examples():
    """name -> (text of the file, commands)"""
    found = {}
    text = re.search(r"^EXAMPLES\n(.*?)^\S", printed(), re.S | re.M)[1]
    for section in re.split(r"^   (?=\S)", text, flags=re.M)[1:]:
        name = section.partition(":")[0]
        file = re.search(r"^( +)\{\n.*?^\1\}\n", section, re.S | re.M)[0]
        # A long path has a line of its own.
        commands = re.findall(r"^ +\$ (.*(?:\n +[~/]\S*)?)", section, re.M)
        found[name] = (textwrap.dedent(file), [" ".join(command.split()) for command in commands])
    return found


class Example:
    """A stage with the file where the page says that it belongs."""

    def __init__(self, name):
        text, self.commands = examples()[name]
        self.stage = Stage()
        config = self.stage.layout.home / ".config"
        self.path = put(config / "orphan-reaper/rules.d" / name, text)
        self.path.chmod(0o644)
        own_below(config, self.stage.uid)

    def run(self, number):
        """One of the commands, for helpers that are younger than those of a user are."""
        command = self.commands[number]
        more = (" --json" if command.endswith(" rules") else " --min-age 1ms --json") + (
            " --settle 200ms" if "sweep" in command else ""
        )
        path = f"{self.stage.layout.binary.parent}:/usr/bin:/bin"
        result = product.run(
            ["/bin/sh", "-c", command + more],
            self.stage.uid,
            self.stage.layout.home,
            {"PATH": path},
        )
        expect(result.json, f"{command}: exit {result.status}: {result.err} {result.out}")
        return result


def python(stage, name, module, *arguments, **more):
    script = stage.layout.hermes / (module.replace(".", "/") + ".py")
    if not script.exists():
        put(script.parent / "__init__.py", "")
        put(script, (stage.layout.lib / "standin_worker.py").read_text())
    return stage.child(name, [PYTHON, "-B", "-m", module, *arguments], stage.layout.hermes, **more)


def node(stage, name, path, *arguments, **more):
    script = stage.layout.home / path
    if not script.exists():
        body = json.dumps(str(stage.layout.lib / "standin.cjs"))
        put(script, f"import {body};\n" if path.endswith(".mjs") else f"require({body});\n")
    return stage.child(name, [NODE, script, *arguments], stage.layout.home, ignore_eof=True, **more)


@case
def the_page_has_four_examples():
    expect(
        list(examples()) == ["protect.json", "notes.json", "dashboard.json", "site.json"],
        str(examples()),
    )
    expect(
        [len(commands) for _text, commands in examples().values()] == [2, 2, 1, 2], str(examples())
    )


@case
def protect():
    example = Example("protect.json")
    stage = example.stage
    stage.orphans(
        [
            stage.bridge("own", home="/srv/agents/memos"),
            stage.bridge("other"),
            node(stage, "server", SERVER, "/home/u/notes"),
            stage.worker("stubborn", ignore_term=True),
        ]
    )
    check = example.run(0)
    expect(check.status == 0 and check.json["in_effect"], check.out)
    changed = sorted(
        (change["family"] or "", change["setting"]) for change in check.json["changes"]
    )
    expect(
        changed
        == [
            ("", "protect"),
            ("agent", "enabled"),
            ("agent_daemon", "enabled"),
            ("headless_browser", "enabled"),
            ("language_server", "enabled"),
            ("mcp_server", "enabled"),
            ("slash_worker", "grace"),
            ("tool_shell", "enabled"),
        ],
        str(changed),
    )
    sweep = example.run(1)
    stage.expect_verdicts(sweep, {"own": ("supervised", "keep")})
    stage.expect_evidence(sweep, "own", "veto.protected")
    stage.expect_sweep(sweep, ["other", "server", "stubborn"], ["own"])
    outcome = sweep.outcome(stage.actors["stubborn"].pid)
    expect(
        outcome["result"] == "ended_on_kill" and 5000 <= outcome["took_ms"] < 15000, str(outcome)
    )


@case
def notes():
    example = Example("notes.json")
    stage = example.stage

    def server(name, data, *arguments, **more):
        return python(
            stage, name, "acme_notes.server", *arguments, "--data", f"/data/{data}", **more
        )

    stage.orphans(
        [
            server("leaked", "a", "--stdio"),
            server("once", "a"),
            server("owned", "b", "--stdio", "--parent-pid", str(os.getpid())),
            server("disowned", "c", "--stdio", "--parent-pid", "999999"),
        ]
    )
    stage.start_host(
        "host",
        [
            server("older", "a", "--stdio"),
            server("newer", "a", "--stdio", after=0.1),
            server("elsewhere", "b", "--stdio"),
        ],
    )
    report = example.run(0)
    stage.expect_verdicts(
        report,
        {
            "leaked": ("orphan", "reap"),
            "disowned": ("orphan", "reap"),
            "owned": ("attached", "keep"),
            "older": ("duplicate", "report"),
            "newer": ("attached", "keep"),
            "elsewhere": ("attached", "keep"),
        },
    )
    expect(report.process(stage.actors["leaked"].pid)["home"] == "/data/a", "the home of --data")
    stage.expect_evidence(report, "disowned", "owner.dead")
    stage.expect_not_listed(report, ["once"])
    alive = ["once", "owned", "host", "older", "newer", "elsewhere"]
    stage.expect_sweep(example.run(1), ["leaked", "disowned"], alive, status=1)


@case
def dashboard():
    example = Example("dashboard.json")
    stage = example.stage
    stage.orphans(
        [
            node(stage, "tui", ".hermes/ui-tui/dist/entry.js"),
            python(stage, "compute", "tui_gateway.compute_host"),
            python(stage, "entry", "tui_gateway.entry"),
            stage.worker("worker"),
        ],
        kind="dashboard",
    )
    sweep = example.run(0)
    stage.expect_verdicts(sweep, {"entry": ("orphan", "keep"), "worker": ("attached", "keep")})
    stage.expect_evidence(sweep, "worker", "veto.never")
    stage.expect_sweep(sweep, ["tui", "compute"], ["entry", "worker"])


@case
def site():
    example = Example("site.json")
    stage = example.stage
    stage.orphans(
        [
            stage.bridge("spared", home="/srv/agents/memos"),
            stage.worker("worker"),
            node(stage, "indexer", "indexer.mjs", "--stdio", "--data", "/data"),
            node(stage, "other", "indexer.mjs"),
        ]
    )
    stage.start_host("host", [stage.bridge("abandoned", stdio="abandoned")])
    rules = example.run(0)
    expect(rules.status == 0 and not rules.json["families"]["slash_worker"]["enabled"], rules.out)
    sweep = example.run(1)
    stage.expect_verdicts(
        sweep,
        {
            "spared": ("supervised", "keep"),
            "abandoned": ("abandoned", "reap"),
            "indexer": ("orphan", "reap"),
        },
    )
    stage.expect_not_listed(sweep, ["worker", "other"])
    stage.expect_sweep(sweep, ["indexer", "abandoned"], ["spared", "worker", "other", "host"])


if __name__ == "__main__":
    sandbox.main(__file__, globals())
