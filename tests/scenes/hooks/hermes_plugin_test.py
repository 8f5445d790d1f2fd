"""The plugin for Hermes, in a stand-in for its loader: what it registers, and that nothing which
happens to the program slows, breaks or litters the host."""
import ast
import json
import re
import shutil
import subprocess

from harness import sandbox
from harness.actor import all_pids, read_bytes
from harness.layout import own_below, put
from harness.sandbox import PYTHON, case, expect
from harness.stage import Stage

ROOT = sandbox.HERE.parents[1]
PLUGIN = ROOT / "packaging/plugin-hermes"
ALLOWED = {"settings": {"allow_sweep": True}}
HAND_OVER = "sweep --detach --after host --quiet --from hermes"
# Programs in the place of orphan-reaper.
RECORDS = 'echo "$@" >>"$HOME/said"'
HANGS = RECORDS + "; trap '' TERM INT HUP; while :; do sleep 1; done"
FAILS = RECORDS + "; echo no >&2; exit 4"
TALKS = RECORDS + "; i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo line $i; done"


class Hermes:
    """A home in which a program of this body is orphan-reaper; empty: there is none."""

    def __init__(self, body):
        self.home = Stage().layout.home
        sandbox.mount("tmpfs", "/usr/local/bin", "tmpfs", data="mode=755")
        self.plugin = self.home / "plugin"
        shutil.copytree(PLUGIN, self.plugin)
        own_below(self.home, 1000)
        if body:
            self.install(body)

    def install(self, body):
        program = put(self.home / "bin/orphan-reaper", f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
        return program

    def probe(self, **wish):
        probe = sandbox.PROGRAMS / "hermes_probe.py"
        done = subprocess.run(
            [PYTHON, "-B", str(probe), str(self.plugin), json.dumps(wish)],
            capture_output=True,
            text=True,
            env={"HOME": str(self.home), "PATH": f"{self.home}/bin:/usr/bin:/bin"},
            cwd="/",
            user=1000,
            group=1000,
            extra_groups=[],
            timeout=60,
            check=False,
        )
        expect(done.returncode == 0, done.stderr)
        found = json.loads(done.stdout)
        for name, seconds, trouble in found["calls"]:
            expect(seconds < 2.5, f"{name} took {seconds} s")
            expect(not trouble, f"{name} raised {trouble}")
        expect(not found["children"], f"children are left: {found['children']}")
        return found

    def said(self):
        path = self.home / "said"
        return path.read_text().splitlines() if path.exists() else []


def manifest():
    """plugin.yaml, as far as plain values and lists on one line go."""
    pairs = re.findall(r"^(\w+): *(.*)$", (PLUGIN / "plugin.yaml").read_text(), re.M)
    lists = {key: re.findall(r"[\w-]+", value) for key, value in pairs if value.startswith("[")}
    return {key: value.strip('"') for key, value in pairs} | lists


@case
def it_registers_what_it_declares():
    found = Hermes(RECORDS).probe()
    declared = manifest()
    expect(found["hooks"] == declared["provides_hooks"] == ["on_session_finalize"], str(found))
    expect(found["tools"] == declared["provides_tools"] == [], str(found))
    expect(found["commands"] == ["orphans"] and not found["other"], str(found))
    for key in ("name", "version", "description"):
        expect(declared[key], f"{key} is missing")
    expect(re.fullmatch(r">=\d+\.\d+\.\d+", declared["requires_hermes"]), "requires_hermes")
    expect(declared["platforms"] == ["linux"], "platforms")
    entry = (PLUGIN / "catalog-entry.yaml").read_text()
    for line in (f'version: "{declared["version"]}"', "provides_hooks: [on_session_finalize]"):
        expect(line in entry, f"the catalog's entry says something else than {line}")
    expect(
        (ROOT / "packaging" / PLUGIN.name).samefile(ROOT / re.search(r'subdir: "(.*)"', entry)[1]),
        entry,
    )


@case
def it_needs_nothing_but_python():
    text = (PLUGIN / "__init__.py").read_text()
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {one.name for one in node.names}
        expect(not isinstance(node, ast.ImportFrom), "it imports from somewhere")
    expect(names == {"asyncio", "os", "shutil", "subprocess", "threading"}, str(names))
    # By these, Hermes takes a plugin for one of another kind.
    for trap in ("register_memory_provider", "MemoryProvider", "register_provider"):
        expect(trap not in text, trap)
    expect(not {one for one in Hermes("").probe()["imported"] if "hermes_cli" in one}, "Hermes")


@case
def nothing_is_ended_until_it_is_allowed():
    one = Hermes(RECORDS)
    for settings in ({}, {"allow_sweep": False}, {"allow_sweep": "true"}, "broken"):
        found = one.probe(settings=settings, words=["sweep now"])
        expect("allow_sweep" in found["answers"][0], str(found["answers"]))
        expect(one.said() == [], f"{settings}: {one.said()}")
    one.probe(**ALLOWED, words=["sweep now"])
    expect(one.said() == [HAND_OVER] * 3 + ["sweep --color never"], str(one.said()))


@case
def whatever_happens_to_the_program():
    one = Hermes("")
    found = one.probe(**ALLOWED, words=["", "sweep now"])
    expect(all("is not installed" in said for said in found["answers"]), str(found))
    for body in ("exit 0", FAILS, "kill -9 $$"):
        one.install(body)
        one.probe(**ALLOWED, words=["", "sweep now"])
    program = one.install("exit 0")
    program.write_text("#!/nowhere/sh\n")
    found = one.probe(**ALLOWED, words=[""])
    expect("could not be started" in found["answers"][0], str(found))


@case(timeout=120)
def a_program_that_hangs():
    one = Hermes(HANGS)
    found = one.probe(**ALLOWED, words=[""], values={"SHOW_SECONDS": 1})
    expect(len(found["calls"]) == 3 and len(one.said()) == 4, f"{found['calls']} {one.said()}")
    expect("took longer than 1 s" in found["answers"][0], str(found["answers"]))
    left = [pid for pid in all_pids() if b"bin/orphan-reaper" in read_bytes(f"/proc/{pid}/cmdline")]
    expect(not left, f"{left} are left")


@case
def what_the_slash_command_asks_for():
    one = Hermes(TALKS)
    words = {
        "": "report",
        " status ": "report",
        "explain 4711": "explain 4711",
        "history": "history",
        "sweep": "sweep --dry-run",
        "dry-run": "sweep --dry-run",
    }
    found = one.probe(words=list(words))
    expect(one.said() == [f"{line} --color never" for line in words.values()], str(one.said()))
    for said in found["answers"]:
        lines = said.splitlines()
        expect(len(lines) == 61 and "140 more lines" in lines[-1], said)
    wrong = [
        "explain",
        "explain x",
        "explain 1; sweep",
        "explain -1",
        "explain \u0664",
        "sweep all",
        "kill 1",
    ]
    found = one.probe(words=[*wrong, None])
    expect(all(said.startswith("/orphans: ") for said in found["answers"][:-1]), str(found))
    expect(len(one.said()) == len(words) + 1, str(one.said()))


if __name__ == "__main__":
    sandbox.main(__file__, globals())
