#!/usr/bin/python3
"""The skill is as agent hosts want it, and what it says is true of this program."""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SKILL = ROOT / "packaging/plugin/skills/orphan-reaper/SKILL.md"
REAPER = os.environ["ORPHAN_REAPER"]
KEYS = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
MOST_LINES = 500
MOST_WORDS = 3500  # some 5,000 tokens
wrong = []


def expect(condition, message):
    if not condition:
        wrong.append(message)


def frontmatter(text):
    """key -> its text, of a metadata a dictionary. Of YAML only what the skill uses: plain values
    of one line, and one level below."""
    head = re.match(r"---\n(.*?)\n---\n", text, re.S)[1]
    values, above = {}, None
    for line in head.splitlines():
        below, key, value = re.fullmatch(r"( *)([a-z-]+): ?(.*)", line).groups()
        if below:
            values[above][key] = value
        else:
            above = key
            values[key] = value or {}
    return values, text[len(head) + 9 :]


def check_head(values):
    expect(set(values) <= KEYS, f"keys that no host knows: {set(values) - KEYS}")
    name = values["name"]
    expect(name == SKILL.parent.name, f"{name} is not the name of its folder")
    expect(len(name) <= 64 and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name), name)
    for key, most in (("description", 1024), ("compatibility", 500)):
        expect(1 <= len(values[key]) <= most, f"{key} has {len(values[key])} characters")
        # A colon and a blank, or " #", would be something else to YAML.
        expect(not re.search(r": | #|^[\"'\[{&*!|>%@`]", values[key]), f"{key} needs quotes")
    expect("Use it when" in values["description"], "the description does not say when")
    version = values["metadata"]["version"]
    project = re.search(r"project\([^)]*?VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[
        1
    ]
    expect(version == f'"{project}"', f"version {version}, and the program's is {project}")


def run(*words):
    return subprocess.run([REAPER, *words], capture_output=True, text=True, check=False)


def check_commands(text):
    """What it shows is a command of this program, with options that this command takes."""
    spans = re.findall(r"`(orphan-reaper [^`\n]*)`", text)
    shown = [*spans, *re.findall(r"^    (orphan-reaper .*)$", text, re.M)]
    expect(len(shown) > 8, f"only {shown}")
    for line in shown:
        command, *words = line.split(" -- ")[0].split()[1:]
        told = run(command, "--help")
        expect(told.returncode == 0, f"{line}: {told.stderr}")
        for word in words:
            known = re.search(rf"\s{re.escape(word)}\b", told.stdout)
            expect(not word.startswith("--") or known, f"{line}: {command} has no {word}")


def check_words(text):
    verdicts = re.search(r"expected (.*)", run("sweep", "--reap", "x").stderr)[1].split(", ")
    for verdict in verdicts[:3]:
        expect(f"`{verdict}`" in text, f"the verdict {verdict} is missing")
    told = run("--help").stdout.partition("Exit status:")[2]
    said = set(re.findall(r"^\| (\d+) \|", text, re.M))
    expect(said == set(re.findall(r"^  (\d+) ", told, re.M)), f"exit status {sorted(said)}")
    for word in ("kill", "pkill", "killall"):
        expect(f"`{word}`" in text, f"it does not forbid {word}")
    # Nothing that it shows as a command ends anything by hand.
    expect(not re.search(r"^    .*\bp?kill", text, re.M), "it shows a kill")


def check_tools(text):
    """What it says that tools of `mcp` take, they take."""
    tools = json.loads((ROOT / "packaging/schema/orphan-reaper-mcp-tools.json").read_text())[
        "tools"
    ]
    (report,) = [tool for tool in tools if tool["name"] == "report"]
    said = re.findall(r"`report` with `(\w+): \[\"(\w+)\"\]`", text)
    expect(said == [("families", "agents")], f"the tool report: {said}")
    for name, word in said:
        expect(name in report["inputSchema"]["properties"], f"the tool report takes no {name}")
        told = run("rules", "--family", word)
        expect(told.returncode == 0, f"{word}: {told.stderr}")


def main():
    text = SKILL.read_text()
    values, body = frontmatter(text)
    check_head(values)
    expect(body.count("\n") < MOST_LINES, "it is too long")
    expect(len(body.split()) < MOST_WORDS, "it has too many words")
    expect(text.isascii(), "it is not ASCII")
    check_commands(body)
    check_words(body)
    check_tools(body)
    if wrong:
        sys.exit("\n".join(wrong))


main()
