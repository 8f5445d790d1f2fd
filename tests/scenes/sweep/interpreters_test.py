"""Interpreters by all of their names, with all of their options: no orphan is invisible for the way
in which it was started."""
import json
import os
import pathlib
import subprocess
import tempfile
import sys

from harness import programs, sandbox
from harness.actor import named, parent_of, wait_until
from harness.sandbox import case, expect
from harness.stage import HEADLESS, Stage

FACTS = sandbox.HERE.parent / "data/facts/machine.json"
# What the interpreter's own lists have, and a script cannot be run with.
DUMP = """
const {internalBinding} = require('internal/test/binding');
const binding = internalBinding('options');
const {options, aliases} =
  binding.getCLIOptionsInfo ? binding.getCLIOptionsInfo() : binding.getCLIOptions();
const types = [...options].map(([name, {type}]) => [name, type]);
console.log(JSON.stringify({options: types, aliases: [...aliases]}));
"""
FLAGS = (0, 1, 2)  # nothing any more, V8's, a boolean; all other types take a value
# Releases differ in what they take, so that they are in no list.
DIFFER = {
    "--experimental-specifier-resolution",
    "--stack-trace-limit",
    "--es-module-specifier-resolution",
    "--experimental-default-config-file",
}
NO_SCRIPT = {
    "-e",
    "--eval",
    "-p",
    "--print",
    "-pe",
    "-c",
    "--check",
    "-i",
    "--interactive",
    "--test",
    "--run",
    "--bench",
    "--build-snapshot",
    "--build-sea",
    "--experimental-sea-config",
    "--prof-process",
    "--completion-bash",
    "--v8-options",
    "-h",
    "--help",
    "-v",
    "--version",
}


def bind(stage, program, name):
    """The same program by another name: what /proc/PID/exe says."""
    place = stage.layout.base / "bin" / name
    place.touch()
    sandbox.mount(str(pathlib.Path(program).resolve()), place, "none", 0x1000)  # MS_BIND
    return place


def bridge(stage, name, before, **more):
    """A bridge that is started by the words of `before` and its script."""
    plugin = stage.layout.plugin
    environment = {"MEMOS_HOME": str(stage.layout.data_home(name))}
    return stage.child(
        name,
        [*before, plugin / "dist/bridge.cjs", *HEADLESS],
        plugin,
        env=environment,
        ignore_eof=True,
        **more,
    )


def expect_reaped(stage, names, more=()):
    stage.expect_verdicts(stage.report(), {name: ("orphan", "reap") for name in [*names, *more]})
    stage.expect_sweep(stage.sweep(), [*names, *more], [])


@case
def options_of_node():
    stage = Stage()
    lines = {
        "cpu-prof": ["--cpu-prof", "--cpu-prof-dir", str(stage.layout.run)],
        "v8": ["--trace-opt-verbose", "--no-opt"],
        "underscores": ["--max_old_space_size=200", "--preserve_symlinks"],
        "permission": ["--experimental-permission", "--allow-fs-read=*", "--allow-fs-write=*"],
        "conditions": ["-C", "x", "--stack-size=900", "--"],
        "report": ["--report-on-signal", "--report-dir", "/tmp"],
    }
    stage.orphans(
        [bridge(stage, name, [sandbox.NODE, *options]) for name, options in lines.items()]
    )
    expect_reaped(stage, lines)


@case
def node_watch_runs_the_script_in_a_child():
    stage = Stage()
    stage.start_host(
        "host", [bridge(stage, "watched", [sandbox.NODE, "--watch"])], lost=["watched"]
    )
    wait_until((stage.run / "watched.ready").exists, "the child to be ready")
    pids = wait_until(lambda: len(named("watched")) == 2 and named("watched"), "two of them")
    (child,) = [pid for pid in pids if parent_of(pid) in pids]
    stage.know("watched-leaf", child)
    stage.know("watched", parent_of(child))
    stage.kill_host("host")
    expect_reaped(stage, ["watched", "watched-leaf"])


@case
def names_of_interpreters():
    stage = Stage()
    nodes = {
        name: bind(stage, sandbox.NODE, name)
        for name in (".node-wrapped", "nodejs", "node22", "node-22")
    }
    pythons = {
        name: bind(stage, sandbox.PYTHON, name)
        for name in (".python3-wrapped", "python3.11-dbg", "python3.13td", "pypy3")
    }
    children = [bridge(stage, name.strip("."), [path]) for name, path in nodes.items()]
    for name, path in pythons.items():
        worker = stage.worker(name.strip("."), session=name)
        worker["argv"][0] = str(path)
        children.append(worker)
    stage.orphans(children)
    expect_reaped(stage, [child["name"] for child in children])


@case
def an_option_that_no_list_has():
    """What runs is not certain: it is told of, and left."""
    stage = Stage()
    unknown = "--experimental-specifier-resolution"  # node 20 takes it, and does nothing with it
    expect(
        subprocess.run(
            [sandbox.NODE, unknown, "-e", "0"], capture_output=True, check=False
        ).returncode
        == 0,
        f"this node has no {unknown} any more",
    )
    stage.orphans(
        [
            bridge(stage, "doubtful", [sandbox.NODE, unknown]),
            bridge(stage, "certain", [sandbox.NODE]),
        ]
    )
    stage.start_host("gateway", [bridge(stage, "attached", [sandbox.NODE, unknown])])
    report = stage.report()
    expect(report.status == 4, report.explain())
    stage.expect_verdicts(
        report,
        {
            "doubtful": ("unknown", "report"),
            "certain": ("orphan", "reap"),
            "attached": ("attached", "keep"),
        },
    )
    stage.expect_evidence(report, "doubtful", "veto.unreadable.options")
    everything = ("--reap", "abandoned,duplicate,held,in-service")
    stage.expect_sweep(
        stage.sweep(*everything), ["certain"], ["gateway", "doubtful", "attached"], status=4
    )
    expect(stage.report().status == 4, "the one that is left")


@case
def real_bun():
    bun = programs.bun()
    stage = Stage()
    named_otherwise = bind(stage, bun, "bun-profile")
    bun = bind(stage, bun, "bun")
    lines = {
        "plain": [bun],
        "run": [bun, "run"],
        "flags": [bun, "--smol", "run", "--no-install"],
        "values": [bun, "--define", "A:1", "--console-depth", "3"],
        "profile": [named_otherwise, "run", "-b"],
    }
    stage.orphans(
        [bridge(stage, name, words) for name, words in lines.items()]
        + [bridge(stage, "doubtful", [bun, "--unheard-of"])]
    )
    report = stage.report()
    stage.expect_verdicts(
        report, {"doubtful": ("unknown", "report"), **{name: ("orphan", "reap") for name in lines}}
    )
    stage.expect_sweep(stage.sweep(), list(lines), ["doubtful"], status=4)


def judged_lines(lines):
    """Each as the argv of one orphan in a facts file: (verdict or none, what it was started by)."""
    facts = json.loads(FACTS.read_text())
    pattern = next(one for one in facts["candidates"] if one["row"]["pid"] == 100)
    facts["candidates"] = []
    for pid, line in enumerate(lines, 10_000):
        one = json.loads(json.dumps(pattern))
        one["identity"]["pid"] = one["row"]["pid"] = pid
        argv = one["row"]["command_line"]["value"]["argv"]
        one["row"]["command_line"]["value"]["argv"] = [argv[0], *line, *argv[1:]]
        facts["candidates"].append(one)
    with tempfile.NamedTemporaryFile(
        "w", dir="/dev/shm", prefix="options-", suffix=".json"
    ) as file:
        json.dump(facts, file)
        file.flush()
        done = subprocess.run(
            [os.environ["ORPHAN_REAPER"], "--json", "--from-facts", file.name],
            capture_output=True,
            text=True,
            check=False,
        )
    expect(done.returncode in (0, 1, 4), done.stderr)
    return {process["pid"]: process["verdict"] for process in json.loads(done.stdout)["processes"]}


def check_lists_of(node):
    """Every option that this node says it has, and every one of its V8."""
    said = subprocess.run(
        [node, "--expose-internals", "-e", DUMP], capture_output=True, text=True, check=True
    )
    told = json.loads(said.stdout)
    types = {name: kind for name, kind in told["options"] if name.startswith("-")}
    for name, target in told["aliases"]:
        if not name.endswith(("=", ">")):
            types.setdefault(name, 2 if len(target) > 1 else types.get(target[0], 2))
    for line in subprocess.run(
        [node, "--v8-options"], capture_output=True, text=True, check=True
    ).stdout.splitlines():
        word = line.split()[:1] or [""]
        if line.startswith("  --") and word[0] not in ("--flag", "--no-flag"):
            types.setdefault(word[0], 1)
    scripts = [name for name in sorted(types) if name not in NO_SCRIPT | DIFFER]
    expect(len(scripts) > 500, f"{node} has only {len(scripts)} options")
    lines = [[name] if types[name] in FLAGS else [name, "7"] for name in scripts]
    verdicts = judged_lines(lines)
    wrong = [
        (line, verdicts.get(pid))
        for pid, line in enumerate(lines, 10_000)
        if verdicts.get(pid) != "orphan"
    ]
    expect(not wrong, f"{node}: {wrong}")
    none = [[name] for name in sorted(NO_SCRIPT)]
    listed = judged_lines(none)
    expect(not listed, f"{node}: listed {listed}")


@case
def lists_of_the_node_here():
    check_lists_of(sandbox.NODE)


@case
def lists_of_node_18():
    check_lists_of(programs.node("18"))


@case
def lists_of_node_22():
    check_lists_of(programs.node("22"))


@case
def lists_of_node_24():
    check_lists_of(programs.node("24"))


@case
def lists_of_node_26():
    check_lists_of(programs.node("26"))


if __name__ == "__main__":
    if "--inside" not in sys.argv:
        for name, program in programs.needed_by(sys.argv[1:] or list(globals())):
            programs.fetch(name, program)
    sandbox.main(__file__, globals())
