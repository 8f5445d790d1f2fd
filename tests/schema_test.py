#!/usr/bin/python3
"""The JSON Schema of rule files says of every sample what the program says of it, be it good or
bad."""
import copy
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

try:
    import jsonschema
except ImportError:
    print("SKIP everything: needs python3-jsonschema")
    sys.exit(125)

ROOT = pathlib.Path(__file__).parent.parent
SCHEMA = json.loads((ROOT / "packaging/schema/orphan-reaper-rules.schema.json").read_text())
FACTS = ROOT / "tests/data/facts/machine.json"
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

# What a rule file can say: every setting at once, in a family of one's own.
PROGRAM = {
    "interpreters": ["python"],
    "options_with_value": ["-W"],
    "options_without_value": ["-u"],
    "options_without_script": ["-c"],
    "scripts": ["notes.py"],
    "packages": ["@own/*"],
    "launchers": ["run.py"],
    "modules": ["notes"],
    "executables": ["notesd"],
    "titles": ["notes"],
    "called": ["notes"],
    "commands": ["serve"],
    "command_options_with_value": ["-p"],
    "required": ["--stdio"],
    "forbidden": ["--once"],
    "marked_variables": ["NOTES=*"],
}
FAMILY = {
    "enabled": True,
    "pack": "own",
    "keep_as": "foreign",
    "programs": [PROGRAM],
    "inside": {"folders": ["notes"], "package": "@own/notes"},
    "roles": [{"name": "server", "flags": ["--x"], "outlives_host": True, "keep_as": "attached"}],
    "home": [
        {"option": "--data", "above": "/store"},
        {"variable": "DATA"},
        {"parent_of_variable": "FILE"},
        {"path": "~/data"},
        {"profile_option": "--profile"},
    ],
    "hosts": [{"interpreters": ["python"], "modules": ["host"]}],
    "owners": [
        {"option": "--ppid", "time_option": "--since"},
        {"variable": "OWNER"},
        {"spawn_purpose": "notes"},
    ],
    "needs_owner": False,
    "keeps_runner": True,
    "proofs": [["owner.dead"], ["stdin.dead", "stdout.dead"]],
    "listens": False,
    "at_update": "restarted",
    "actions": {
        "orphan": "reap",
        "superseded": "report",
        "abandoned": "keep",
        "duplicate": "report",
        "held": "keep",
    },
    "single_instance": True,
    "several_with": ["NOTES_MODE=many"],
    "same_options": ["--key"],
    "daemon": {"roles": ["server"], "ports": [18800]},
    "min_age": "30s",
    "grace": "5s",
    "grace_cap": "1m",
}
WHOLE = {
    "$schema": "file:rules.json",
    "families": {"notes": FAMILY},
    "packs": ["agents"],
    "protect": [{"exe": "/usr/bin/node", "arguments": ["--x"], "home": "/srv"}],
}

FLAG = ([True, False], [None, 0, 1, "true", "", [], {}])
TEXT = (["x", "*", "ein W\u00f6rtchen"], [None, 0, True, "", [], {}, ["x"]])
TEXTS = ([[], ["a"], ["a", "b"]], [None, "a", {}, [""], ["a", ""], [1], [None], [["a"]], True])
KEEP_AS = (
    ["designated", "attached", "supervised", "foreign"],
    [None, "", "orphan", "unknown", "young", "zombie", "keep", "Attached", 1, ["attached"]],
)
ACTION = (["reap", "report", "keep"], [None, "", "kill", "Reap", 1, True, ["reap"]])
DURATION = (
    [
        "0s",
        "1ms",
        "500ms",
        "30s",
        "5m",
        "2h",
        "7d",
        "007s",
        "3650d",
        "87600h",
        "5256000m",
        "315360000s",
        "315360000000ms",
        "0000000000000000000000000001s",
    ],
    [
        None,
        30,
        "",
        "30",
        "s",
        "30 s",
        " 30s",
        "-1s",
        "-0s",
        "+1s",
        "1.5s",
        "1h30m",
        "30S",
        "1w",
        "0x1s",
        "3651d",
        "4000d",
        "10000d",
        "87601h",
        "88000h",
        "90000h",
        "100000h",
        "5256001m",
        "5260000m",
        "5300000m",
        "6000000m",
        "315360001s",
        "315400000s",
        "316000000s",
        "320000000s",
        "400000000s",
        "315360000001ms",
        "400000000000ms",
        "99999999999999999999s",
        ["30s"],
    ],
)
NOT_EMPTY = [None, "", {}, [], [{}], [None], ["x"]]
ABSOLUTE = ["/", "/srv", "/srv/"]
OWN_PROGRAM = {"interpreters": ["python"], "modules": ["m"]}

# Where, good values, bad values. A place is a list of keys and indices in WHOLE.
PLACES = {
    "$schema": TEXT,
    "families": (
        [{}],
        [
            None,
            [],
            "x",
            1,
            {"": FAMILY},
            {"notes": None},
            {"notes": {}},
            {"notes": []},
            {"Bridge": {}},
        ],
    ),
    "packs": ([[], ["hermes", "agents"], ["own"]], TEXTS[1]),
    "protect": ([[]], [None, {}, "x", [None], ["x"], [{}], [{"arguments": []}], [[]]]),
    "protect/0/exe": (ABSOLUTE, [None, "", "node", "~/node", 1, ["/x"]]),
    "protect/0/arguments": TEXTS,
    "protect/0/home": (ABSOLUTE, [None, "", "srv", "~", "~/x", 1, ["/x"]]),
    "families/notes/enabled": FLAG,
    "families/notes/pack": TEXT,
    "families/notes/keep_as": KEEP_AS,
    "families/notes/programs": ([[OWN_PROGRAM]], NOT_EMPTY),
    "families/notes/inside": ([{}, {"folders": ["a"]}, {"package": "a"}], [None, [], "x", True]),
    "families/notes/inside/folders": TEXTS,
    "families/notes/inside/package": TEXT,
    "families/notes/roles": ([[{"name": "x"}], [{"name": "x", "flags": []}]], NOT_EMPTY),
    "families/notes/roles/0/name": TEXT,
    "families/notes/roles/0/flags": TEXTS,
    "families/notes/roles/0/outlives_host": FLAG,
    "families/notes/roles/0/keep_as": KEEP_AS,
    "families/notes/home": (
        [[{"path": "/"}], [{"variable": "A", "above": "/b/c"}]],
        [
            *NOT_EMPTY,
            [{"option": "--a", "path": "/b"}],
            [{"above": "/b"}],
            *(
                [{key: "/a", "above": "/b"}]
                for key in ("path", "parent_of_variable", "profile_option")
            ),
        ],
    ),
    "families/notes/home/0/above": (["/a", "/a/b.c", "/ "], [None, "", "a", "/", "/a/", 1, ["/a"]]),
    "families/notes/home/0/option": TEXT,
    "families/notes/home/1/variable": TEXT,
    "families/notes/home/2/parent_of_variable": TEXT,
    "families/notes/home/4/profile_option": TEXT,
    "families/notes/home/3/path": (
        ["/", "~", "~/", "~/x", "/srv"],
        [None, "", "srv", "~user", "./x", 1, ["/"]],
    ),
    "families/notes/hosts": ([[], [OWN_PROGRAM]], [None, "", {}, [{}], [None]]),
    "families/notes/owners": (
        [[]],
        [
            None,
            "",
            {},
            [{}],
            [None],
            [{"time_option": "--since"}],
            [{"option": "--a", "variable": "B"}],
            [{"variable": "B", "spawn_purpose": "c"}],
            [{"option": "--a", "variable": "B", "spawn_purpose": "c"}],
        ],
    ),
    "families/notes/owners/0/option": TEXT,
    "families/notes/owners/0/time_option": TEXT,
    "families/notes/owners/1/variable": TEXT,
    "families/notes/owners/2/spawn_purpose": TEXT,
    "families/notes/needs_owner": FLAG,
    "families/notes/keeps_runner": FLAG,
    "families/notes/proofs": (
        [
            [["owner.dead"]],
            [["stdout.dead", "stdin.dead"]],
            [["owner.dead", "stdin.dead"], ["owner.dead"]],
            [["owner.dead", "owner.dead"]],
        ],
        [
            None,
            "",
            {},
            [],
            [[]],
            [["stdin.dead"]],
            [["stdout.dead"]],
            [["owner.dead"], ["stdin.dead"]],
            ["owner.dead"],
            [["owner.dead", "parent.adopter"]],
            [["owner.dead", ""]],
            [["owner.dead", None]],
            [None],
        ],
    ),
    "families/notes/listens": FLAG,
    "families/notes/at_update": (
        ["untouched", "in_the_way", "restarted", "is_update"],
        [None, "", "blocked", "Restarted", 1, True, ["restarted"]],
    ),
    "families/notes/actions": ([{}], [None, [], "reap", {"attached": "reap"}, {"young": "report"}]),
    **{f"families/notes/actions/{verdict}": ACTION for verdict in FAMILY["actions"]},
    "families/notes/single_instance": FLAG,
    "families/notes/several_with": TEXTS,
    "families/notes/same_options": TEXTS,
    "families/notes/daemon": ([{}], [None, [], 18800, "x"]),
    "families/notes/daemon/roles": TEXTS,
    "families/notes/daemon/ports": (
        [[], [1, 65535], [18800.0]],
        [None, {}, 18800, ["18800"], [0], [65536], [-1], [1.5], [True], [None], [[1]]],
    ),
    "families/notes/min_age": DURATION,
    "families/notes/grace": (["0s", "1m"], DURATION[1]),
    "families/notes/grace_cap": (["5s", "5000ms", "3650d"], DURATION[1]),
    **{f"families/notes/programs/0/{key}": TEXTS for key in PROGRAM if key != "interpreters"},
    "families/notes/programs/0/interpreters": ([["node"]], [*TEXTS[1], []]),
}

# (good, program): what a program has to be made of.
PROGRAMS = [
    (True, {"interpreters": ["node"], "scripts": ["a.js"]}),
    (True, {"interpreters": ["node"], "scripts": [], "modules": ["a"]}),
    (True, {"executables": ["a"], "required": ["--x"]}),
    (True, {"executables": ["a"], "commands": ["b"]}),
    (True, {"executables": ["a"], "marked_variables": ["B"]}),
    (True, {"executables": ["*"], "marked_variables": ["B"]}),
    (False, {"executables": ["a", "*"], "required": ["--x"]}),
    (False, {"executables": ["*"], "commands": ["b"]}),
    (True, {"executables": ["a"], "required": ["--x"], "interpreters": [], "scripts": []}),
    (
        True,
        {"executables": ["a"], "required": ["--x"], "interpreters": ["node"], "scripts": ["a.js"]},
    ),
    (False, {}),
    (False, {"interpreters": ["node"]}),
    (False, {"scripts": ["a.js"]}),
    (False, {"modules": ["a"]}),
    (False, {"packages": ["a"]}),
    (True, {"interpreters": ["node"], "packages": ["a"]}),
    (False, {"interpreters": [], "scripts": ["a.js"]}),
    (False, {"interpreters": ["node"], "scripts": []}),
    (False, {"executables": ["a"]}),
    (False, {"executables": ["a"], "required": []}),
    (False, {"executables": ["a"], "forbidden": ["--x"]}),
    (True, {"executables": ["a"], "titles": ["a"]}),
    (True, {"executables": ["a/b", "a/*/b", "/a*/*"]}),
    (False, {"executables": ["a/b", "a"]}),
    (False, {"executables": ["/a"]}),
    (False, {"executables": ["*/a"]}),
    (False, {"executables": ["../*/a"]}),
    (False, {"executables": ["a/"]}),
    (False, {"executables": ["a"], "called": ["a"]}),
    (True, {"executables": ["*/a"], "commands": ["b"]}),
    (False, {"executables": ["a"], "required": ["--x"], "interpreters": ["node"]}),
    (False, {"executables": ["a"], "interpreters": ["node"], "scripts": ["a.js"]}),
    (False, {"required": ["--x"]}),
    (False, {"executables": [], "required": ["--x"]}),
]

# The program refuses these, and no schema could.
BEYOND_A_SCHEMA = [
    ("grace_cap is shorter than grace", {"families": {"bridge": {"grace": "20m"}}}),
    ("no such pack", {"packs": ["nobodys"]}),
]


def parts_of(place):
    return [int(part) if part.isdigit() else part for part in place.split("/") if part]


def open_at(place):
    """A copy of WHOLE, and the object or list in it that holds the place, and the last part of
    that."""
    whole = copy.deepcopy(WHOLE)
    *above, last = parts_of(place)
    return whole, functools.reduce(lambda target, part: target[part], above, whole), last


def changed(place, value):
    """WHOLE with another value there."""
    whole, target, last = open_at(place)
    target[last] = value
    return whole


def without(place):
    whole, target, last = open_at(place)
    del target[last]
    return whole


def every_place(value, place=""):
    """Of every object and list in there, below itself."""
    if not isinstance(value, (dict, list)):
        return
    yield place, value
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield from every_place(inner, f"{place}/{key}".lstrip("/"))


def samples():
    """(name, whether it is good, what the file says)"""
    yield "everything", True, WHOLE
    yield "nothing", True, {}
    for value in (None, [], "", 1, True):
        yield f"no object: {value}", False, value
    for place, (good, bad) in PLACES.items():
        for is_good, values in ((True, good), (False, bad)):
            for value in values:
                yield f"{place} = {json.dumps(value)[:80]}", is_good, changed(place, value)
    for place, value in every_place(WHOLE):
        if isinstance(value, dict):
            yield f"unknown key in {place or 'the file'}", False, changed(
                f"{place}/gracee", {"grace": "1s"}
            )
    for good, program in PROGRAMS:
        for place in ("programs", "hosts"):
            yield f"{place} = {program}", good, changed(f"families/notes/{place}", [program])
    # A family that is known says only what it changes; one that is new says what has no default.
    for key, value in FAMILY.items():
        yield f"bridge.{key}", True, {"families": {"bridge": {key: value}}}
        needed = key in ("programs", "roles", "home")
        yield f"without {key}", not needed, without(f"families/notes/{key}")
    yield "the old name of min_age", True, {"families": {"bridge": {"start_up": "30s"}}}
    yield "both names of min_age", False, {
        "families": {"bridge": {"min_age": "30s", "start_up": "30s"}}
    }
    for key in ("programs", "roles", "home", "proofs"):
        yield f"bridge without {key}", False, {"families": {"bridge": {key: []}}}
    for key in WHOLE:
        yield f"without {key}", True, without(key)
    for key in WHOLE["protect"][0]:
        yield f"protect {key} alone", True, {"protect": [{key: WHOLE["protect"][0][key]}]}


def without_comments(text):
    return re.sub(
        r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', lambda found: found[1] or "", text, flags=re.S
    )


def built_in_families():
    for path in sorted((ROOT / "policy/families").glob("*.json")):
        yield path.stem, json.loads(without_comments(path.read_text()))


def program_says(folder, number, text):
    """None: accepted; otherwise why not."""
    path = folder / f"{number}.json"
    path.write_text(text)
    path.chmod(0o600)
    done = subprocess.run(
        [os.environ["ORPHAN_REAPER"], "report", "--from-facts", FACTS, "--config", path],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 3 and str(path) in done.stderr:
        return done.stderr
    if done.returncode not in (0, 1, 4):
        sys.exit(f"exit status {done.returncode} for {text}: {done.stderr}")
    return None


def schema_says(value):
    error = next(VALIDATOR.iter_errors(value), None)
    return error and f"{error.json_path}: {error.message}"


def settings_of_program():
    """Every key that the source reads. The verdicts, which it goes through, are among the
    samples."""
    sources = [
        (ROOT / "policy/rules" / name).read_text() for name in ("rule_file.cpp", "parts.cpp")
    ]
    return {
        key
        for source in sources
        for key in re.findall(r'\{"([$\w]+)",\s*(?:into|source|\[)', source)
    } | set(FAMILY["actions"])


def settings_of_schema():
    keys = set()
    for _place, value in every_place(SCHEMA):
        if isinstance(value, dict) and isinstance(value.get("properties"), dict):
            keys |= set(value["properties"])
    return keys - set(SCHEMA["properties"]["families"]["properties"])


def missing_in_manual(families):
    """Settings, and built-in families, which stand there in the order in which they are tried."""
    manual = (ROOT / "packaging/man/orphan-reaper-rules.5").read_text()
    words = set(re.findall(r"[$\w]+", " ".join(re.findall(r"^\.(?:It )?Cm (.*)$", manual, re.M))))
    table = manual.partition(".Ss Built-in families")[2].partition(".Ss")[0]
    told = re.findall(r"\w+", " ".join(re.findall(r"^\.It Sy (.*)$", table, re.M)))
    ordered = (ROOT / "policy/CMakeLists.txt").read_text().partition("set(families")[2]
    wrong = [] if told == ordered.partition(")")[0].split() else [f"the families: {told}"]
    return [*(settings_of_schema() - words), *(set(families) - set(told)), *wrong]


def undescribed():
    """Properties that an editor could say nothing about."""
    return [
        f"{place}/{name}"
        for place, value in every_place(SCHEMA)
        if place.endswith("properties")
        for name, inner in value.items()
        if "/has_" not in place and "description" not in inner
    ]


def main():
    wrong = []
    VALIDATOR.check_schema(SCHEMA)
    if settings_of_program() != settings_of_schema():
        wrong.append(f"settings in one only: {settings_of_program() ^ settings_of_schema()}")
    wrong += [f"no description: {name}" for name in undescribed()]
    families = dict(built_in_families())
    wrong += [f"not in orphan-reaper-rules(5): {name}" for name in missing_in_manual(families)]
    if set(families) != set(SCHEMA["properties"]["families"]["properties"]):
        wrong.append("the schema names other families than those that are built in")
    all_samples = list(samples())
    all_samples += [(f"built-in {name}", True, value) for name, value in families.items()]
    # The same as a family of one's own: it says all that is needed.
    for name, value in families.items():
        all_samples.append(
            (f"{name} as one's own", True, {"families": {f"own_{name}": value["families"][name]}})
        )
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(folder)
        texts = [json.dumps(value) for _name, _good, value in all_samples]
        says = list(pool.map(lambda one: program_says(folder, *one), enumerate(texts)))
        for (name, good, value), program in zip(all_samples, says):
            schema = schema_says(value)
            if (program is None) != good or (schema is None) != good:
                wrong.append(
                    f"{name} is {'good' if good else 'bad'}\n"
                    f"    program: {program}    schema: {schema}"
                )
        for number, (why, value) in enumerate(BEYOND_A_SCHEMA):
            program = program_says(folder, f"beyond-{number}", json.dumps(value))
            if schema_says(value) or why not in (program or ""):
                wrong.append(f"{value}\n    program: {program}    schema: {schema_says(value)}")
    good = sum(1 for sample in all_samples if sample[1])
    print("\n".join(wrong))
    print(f"{good} good samples, {len(all_samples) - good} bad ones: {len(wrong)} disagreements")
    sys.exit(1 if wrong else 0)


main()
