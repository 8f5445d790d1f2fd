#!/usr/bin/python3
"""What is installed names the options that the program takes: the manual, and each shell that
completes a line. And agent hosts find the plugin there."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

REAPER = os.environ["ORPHAN_REAPER"]
COMMANDS = re.search(
    r"expected (.*)",
    subprocess.run([REAPER, "-", "x"], capture_output=True, text=True, check=False).stderr,
)[1].split(", ")

BASH = (
    '. "$1/bash-completion/completions/orphan-reaper"; '
    'COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2)); _orphan_reaper; printf "%s\\n" "${COMPREPLY[@]}"'
)
# Shows what the function gives to zsh: first for a line without a command, then for one of that
# command.
ZSH = """_arguments() {
  if [[ $1 == -C ]]; then state=argument words=($command); else print -rl -- "$@"; fi
}
command=$2; source $1/zsh/site-functions/_orphan-reaper"""
FISH = (
    "source $argv[1]/fish/vendor_completions.d/orphan-reaper.fish; "
    'complete -C "orphan-reaper $argv[2] -"'
)


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.stderr:
        sys.exit(f"{words}: {done.stderr}")
    return done.stdout


def taken(command):
    """The options that the help of a command lists."""
    pairs = re.findall(r"^  (-\w, |    )(--[\w-]+) ", run(REAPER, command, "--help"), re.M)
    return {name for name, letter in ((long, short) for short, long in pairs)} | {
        short[:2] for short, _ in pairs if short.strip()
    }


def completed(shell, share, command):
    if shell == "bash":
        words = run("bash", "-c", BASH, "bash", share, "orphan-reaper", command, "-").split()
    elif shell == "zsh":
        words = re.findall(
            r"^(?:\*|\([^)]*\))(--?[\w-]+)\[", run("zsh", "-fc", ZSH, "zsh", share, command), re.M
        )
    else:
        words = [
            line.split("\t")[0]
            for line in run("fish", "--no-config", "-c", FISH, share, command).splitlines()
        ]
    return set(words) - {"--"}


def choices(option):
    """What the program says that it expects."""
    refused = subprocess.run(
        [REAPER, option, "none of them"], capture_output=True, text=True, check=False
    ).stderr
    return set(re.search(r"; expected (.*)", refused)[1].split(", "))


def expect_same(what, found, wanted):
    if found != wanted:
        sys.exit(
            f"{what}: missing {sorted(wanted - found)}, and {sorted(found - wanted)} is nothing "
            f"that the program takes"
        )


def check_marketplace(place):
    """What `/plugin marketplace add` is given leads to the plugin, whole."""
    market = json.loads((place / ".claude-plugin/marketplace.json").read_text())
    (entry,) = market["plugins"]
    plugin = place / entry["source"]
    manifest = json.loads((plugin / ".claude-plugin/plugin.json").read_text())
    if manifest["name"] != entry["name"]:
        sys.exit(f"the marketplace has {entry['name']}, and the plugin is {manifest['name']}")
    for name in (".mcp.json", "hooks/hooks.json", "skills/orphan-reaper/SKILL.md"):
        if not (plugin / name).is_file():
            sys.exit(f"{plugin} has no {name}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        run("cmake", "--install", os.environ["REAPER_BUILD"], "--prefix", folder)
        share = f"{folder}/share"
        check_marketplace(pathlib.Path(share, "orphan-reaper"))
        everything = set().union(*(taken(command) for command in COMMANDS))
        manual = pathlib.Path(share, "man/man1/orphan-reaper.1").read_text()
        entries = re.search(r"^\.Sh OPTIONS$.*?^\.Ss Other$.*?^\.El$", manual, re.S | re.M)[0]
        lines = "\n".join(re.findall(r"^\.It (.*)$", entries, re.M))
        expect_same(
            "the manual", {"-" + name for name in re.findall(r"Fl (\S+)", lines)}, everything
        )
        shells = [shell for shell in ("bash", "zsh", "fish") if shutil.which(shell)]
        for shell in shells:
            for command in COMMANDS:
                expect_same(f"{shell}, {command}", completed(shell, share, command), taken(command))
        for option in ("--reap", "--format", "--color", "--events"):
            words = run("bash", "-c", BASH, "bash", share, "orphan-reaper", option, "")
            expect_same(f"bash, {option}", set(words.split()), choices(option))
    print(
        f"{len(everything)} options of {len(COMMANDS)} commands compared in the manual and in "
        f"{', '.join(shells)}"
    )


main()
