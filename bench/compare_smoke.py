#!/usr/bin/python3
"""Runs bench/compare on a small table and checks what it wrote; checks that its targets can be
missed."""
import argparse
import importlib.machinery
import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

COMPARE = Path(__file__).resolve().parent / "compare"
SKIPPED = 125


def run_compare(build, *options):
    with tempfile.TemporaryDirectory() as directory:
        output = Path(directory) / "compare.json"
        command = [
            COMPARE,
            "--build",
            build,
            "--rounds",
            "1",
            "--processes",
            "200",
            "-o",
            output,
            *options,
        ]
        done = subprocess.run(command)
        return done.returncode, json.loads(output.read_text()) if output.exists() else None


def check_report(report):
    assert report["schema"] == "orphan-reaper/bench/1", report["schema"]
    assert [(t["size"], t["case"]) for t in report["tables"]] == [
        (0, "all users"),
        (0, "own"),
        (200, "all users"),
        (200, "own"),
    ]
    for table in report["tables"]:
        assert set(table["tools"]) >= {"orphan-reaper", "pgrep -f", "ps", "floor"}, table[
            "tools"
        ].keys()
        assert set(table["ratios"]) == set(table["tools"]) - {"orphan-reaper"}
        for figures in table["tools"].values():
            assert 0 < figures["wall_ms"]["min"] <= figures["wall_ms"]["median"]
            assert figures["max_rss_kib"] > 0 and figures["runs"] == table["rounds"] == 5
    assert 195 <= report["tables"][2]["processes"] <= 205, report["tables"][2]["processes"]


def load_compare():
    loader = importlib.machinery.SourceFileLoader("compare", str(COMPARE))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def made_up(size, case, wall_ms, pgrep=20.0, floor=2.0, rss=4096):
    return {
        "size": size,
        "case": case,
        "processes": size + 30,
        "ratios": {"pgrep -f": pgrep, "floor": floor},
        "tools": {
            "orphan-reaper": {"max_rss_kib": rss, "wall_ms": {"median": wall_ms, "min": wall_ms}}
        },
    }


def missed(compare, **changed):
    """Targets that are missed when one table is as given and the others are good."""
    tables = {
        "empty": made_up(0, "all users", 1.0),
        "small": made_up(150, "all users", 2.0),
        "medium": made_up(2000, "all users", 21.0),
        "large": made_up(10000, "all users", 101.0),
        "own": made_up(10000, "own", 30.0),
        **changed,
    }
    return [n for n, target in enumerate(compare.judge(list(tables.values()))) if not target["met"]]


def check_targets():
    compare = load_compare()
    assert missed(compare) == []
    assert missed(compare, large=made_up(10000, "all users", 101.0, pgrep=7.9)) == [0]
    assert missed(compare, large=made_up(10000, "all users", 101.0, floor=1.6)) == [1]
    assert missed(compare, own=made_up(10000, "own", 30.0, pgrep=11.9)) == [2]
    assert missed(compare, own=made_up(10000, "own", 30.0, rss=8193)) == [3]
    assert missed(compare, small=made_up(150, "all users", 6.1)) == [4]
    assert missed(compare, large=made_up(10000, "all users", 160.0)) == [5]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    args = parser.parse_args()
    check_targets()
    status, report = run_compare(args.build)
    if status == SKIPPED:
        return SKIPPED
    assert status == 0, status
    check_report(report)
    assert run_compare(args.build, "--check") == (
        2,
        None,
    ), "--check passed without the table of 10000"
    assert run_compare(args.build, "--program", "/bin/true") == (
        2,
        None,
    ), "a program that finds nothing was timed"
    assert run_compare(args.build, "--program", "/nonexistent") == (2, None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
