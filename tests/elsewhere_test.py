#!/usr/bin/python3
"""The program for systems whose processes it cannot see: it judges what Linux saw as Linux does,
says plainly what it cannot do, and is made of nothing that only Linux has. ORPHAN_REAPER is that
program, REAPER_LINUX the one for Linux."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/unit/policy"))
from purity_test import without_comments  # noqa: E402

ELSEWHERE, LINUX = os.environ["ORPHAN_REAPER"], os.environ["REAPER_LINUX"]
POSIX = {
    "arpa/inet.h",
    "dirent.h",
    "fcntl.h",
    "pwd.h",
    "poll.h",
    "sys/ioctl.h",
    "sys/stat.h",
    "sys/types.h",
    "sys/wait.h",
    "unistd.h",
}
LIBRARIES = ("fmt/", "nlohmann/", "CLI/", "tl/")
ONLY_LINUX = (
    r"\b(?:O_PATH|syscall|SYS_\w+|__NR_\w+|pidfd_\w+|signalfd|epoll_\w+|prctl|fdatasync|openat2|"
    r"dl(?:open|sym))\b"
)


def run(program, *arguments, status):
    done = subprocess.run(
        [program, *arguments], capture_output=True, text=True, check=False, cwd="/"
    )
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done


def sources():
    """Every file of the product that is compiled, and what those include, as name: text."""
    compiled = json.loads(pathlib.Path(os.environ["REAPER_COMPILED"]).read_text())
    left = [
        name
        for name in (os.path.relpath(entry["file"], ROOT) for entry in compiled)
        if name.split("/")[0] in ("agent", "policy", "scanner")
    ]
    texts = {}
    while left:
        name = left.pop()
        if name not in texts:
            texts[name] = (ROOT / name).read_text()
            left += re.findall(r'^#include "(.+)"', texts[name], re.M)
    return texts


def test_its_sources_are_no_linux_ones():
    texts = sources()
    assert (
        "agent/commands/platform_other.cpp" in texts and "scanner/other/regular_file.cpp" in texts
    ), sorted(texts)
    assert not [name for name in texts if "linux" in name], [
        name for name in texts if "linux" in name
    ]
    for name, text in texts.items():
        for header in re.findall(r"^#include <(.+)>", text, re.M):
            is_standard = re.fullmatch(r"[a-z_]+", header)
            assert (
                is_standard or header in POSIX or header.startswith(LIBRARIES)
            ), f"{name} includes <{header}>"
        found = re.search(ONLY_LINUX, without_comments(text))
        assert not found, f"{name}: {found.group()}"
        assert (
            name.endswith(".hpp") or '"/proc"' not in text and '"/proc/' not in text
        ), f"{name} reads /proc"


def test_it_needs_no_library_of_linux():
    needed = subprocess.run(
        ["objdump", "-p", ELSEWHERE], capture_output=True, text=True, check=True
    ).stdout
    assert not re.search(r"NEEDED +lib(?:proc2|systemd|seccomp)", needed), needed


def test_facts_are_judged_as_on_linux():
    with tempfile.TemporaryDirectory() as folder:
        fresh = pathlib.Path(folder) / "fresh.json"
        subprocess.run([LINUX, "--facts", fresh, "--all-users"], capture_output=True, check=False)
        for facts in (ROOT / "tests/data/facts/machine.json", fresh):
            for arguments in (
                ["--json"],
                ["--json", "--reap", "abandoned,duplicate,held"],
                ["--format", "prometheus"],
            ):
                here, there = (
                    subprocess.run(
                        [program, "--from-facts", facts, *arguments],
                        capture_output=True,
                        text=True,
                        check=False,
                    )
                    for program in (ELSEWHERE, LINUX)
                )
                took = r'"elapsed_ms": [\d.e-]+|_duration_seconds\S* [\d.e-]+$'
                assert here.returncode == there.returncode < 2, (facts, here.stderr, there.stderr)
                assert re.sub(took, "", here.stdout, flags=re.M) == re.sub(
                    took, "", there.stdout, flags=re.M
                ), facts
        report = json.loads(
            run(
                ELSEWHERE,
                "--from-facts",
                ROOT / "tests/data/facts/machine.json",
                "--json",
                status=1,
            ).stdout
        )
        assert report["summary"]["to_reap"] == 5 and report["host"]["os"] == "linux"
        run(
            ELSEWHERE,
            "explain",
            "100",
            "--from-facts",
            ROOT / "tests/data/facts/machine.json",
            status=1,
        )


def test_what_needs_processes_fails_clearly():
    for arguments in (
        [],
        ["report", "--json"],
        ["sweep"],
        ["sweep", "--dry-run"],
        ["explain", "1"],
        ["--facts", "/dev/null"],
        ["pidfiles"],
        ["pidfiles", "--clean"],
        ["history"],
        ["doctor"],
    ):
        done = run(ELSEWHERE, *arguments, status=4)
        assert "on this system" in done.stderr and "--from-facts FILE" in done.stderr
        assert not done.stdout


def test_a_helper_cannot_be_tied_to_its_host():
    assert (
        "cannot tie a helper to its host on this system"
        in run(ELSEWHERE, "run", "--", "true", status=4).stderr
    )


def test_no_hook_can_be_installed():
    for task in ("install", "remove", "status"):
        done = run(ELSEWHERE, "hooks", task, status=4)
        assert "cannot install hooks on this system" in done.stderr and not done.stdout


def test_nothing_can_be_scheduled():
    for task in ("install", "remove", "status"):
        done = run(ELSEWHERE, "schedule", task, status=4)
        assert "cannot schedule sweeps on this system" in done.stderr and not done.stdout


def test_the_rest_works():
    for arguments in (["--help"], ["rules"], ["rules", "--json"], ["help", "sweep"]):
        assert (
            run(ELSEWHERE, *arguments, status=0).stdout == run(LINUX, *arguments, status=0).stdout
        )
    here, there = (run(one, "--version", status=0).stdout for one in (LINUX, ELSEWHERE))
    assert here.split()[:2] == there.split()[:2] and "sees no processes" in there, (here, there)
    with tempfile.TemporaryDirectory() as folder:
        good, bad = pathlib.Path(folder) / "good.json", pathlib.Path(folder) / "bad.json"
        good.write_text('{"families": {"bridge": {"grace": "1m"}}}')
        bad.write_text('{"families": {"bridge": {"graze": "1m"}}}')
        said = run(ELSEWHERE, "rules", "check", good, status=0).stdout
        assert (
            'grace: "1m", was "30s"' in said
            and "cannot say which match" in said
            and "no process matches" not in said
        )
        assert (
            json.loads(run(ELSEWHERE, "rules", "check", good, "--json", status=0).stdout)[
                "complete"
            ]
            is False
        )
        assert "did you mean" in run(ELSEWHERE, "rules", "check", bad, status=3).stderr


def main():
    if not os.access(LINUX, os.X_OK):
        print(f"skipped: there is no {LINUX} to compare with; build the preset dev")
        sys.exit(125)
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: passed")


main()
