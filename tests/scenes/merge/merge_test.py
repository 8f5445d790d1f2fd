"""`merge`: one report of what several machines printed, each with processes of its own."""
import json
import subprocess

from harness import sandbox
from harness.layout import put
from harness.sandbox import case, expect
from harness.stage import Stage

SCHEMA = sandbox.HERE.parents[1] / "packaging/schema/orphan-reaper-fleet.schema.json"


def check_schema(value):
    try:
        import jsonschema  # pylint: disable=import-outside-toplevel
    except ImportError:
        return
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(value)


@case
def reports_of_three_machines():
    """A leak, nothing, and what did not arrive: in files, and through pipes of a shell."""
    stage = Stage()
    folder = stage.layout.base / "reports"
    stage.orphans([stage.bridge("leak")])
    one = stage.reaper("report", "--json", "--min-age", "1ms")
    expect(one.status == 1, one.explain())
    put(folder / "one.json", one.out, stage.uid)
    quiet = json.loads(one.out)
    quiet["host"]["name"], quiet["host"]["boot_id"] = "quiet", "another"
    quiet["processes"], quiet["exit_status"] = [], 0
    quiet["summary"] = dict.fromkeys(quiet["summary"], 0)
    put(folder / "quiet.json", json.dumps(quiet), stage.uid)
    put(folder / "lost.json", "", stage.uid)
    files = [str(folder / f"{name}.json") for name in ("quiet", "one", "lost")]
    text = stage.reaper("merge", *files)
    expect(text.status == 4, text.explain())
    expect(
        text.out.startswith("3 machines: 1 leaked helper on 1 of them, ")
        and text.out.splitlines()[0].endswith("; 1 not read"),
        text.out,
    )
    expect(f"pid {stage.actors['leak'].pid}, bridge/headless" in text.out, text.out)
    expect("it is empty: the report did not arrive" in text.out, text.out)
    fleet = stage.reaper("merge", "--json", *files)
    value = json.loads(fleet.out)
    check_schema(value)
    expect(value["summary"]["left"] == 1 and value["exit_status"] == 4, fleet.out)
    names = [one["name"] for one in value["machines"]]
    expect(names == [files[2], json.loads(one.out)["host"]["name"], "quiet"], f"{names}")
    page = stage.reaper("merge", "--format", "html", *files)
    expect(page.status == 4 and page.out.startswith("<!DOCTYPE html>"), page.explain())
    expect(
        "1 leaked, 0 to look at" in page.out and "the report did not arrive" in page.out, page.out
    )
    both = subprocess.run(
        ["bash", "-c", '"$0" merge <(cat "$1") - <"$2"', stage.layout.binary, *files[:2]],
        capture_output=True,
        text=True,
        check=False,
    )
    expect(both.returncode == 1 and both.stdout.startswith("2 machines: 1 leaked"), f"{both}")


@case
def the_real_sweep_and_preflight_are_read():
    stage = Stage()
    folder = stage.layout.base / "reports"
    stage.orphans([stage.bridge("leak")])
    for name, command in (
        ("swept", ("sweep", "--min-age", "1ms", "--settle", "200ms")),
        ("ready", ("preflight",)),
    ):
        put(folder / name, stage.reaper(*command, "--json").out, stage.uid)
    stage.expect_ended(["leak"])
    fleet = json.loads(
        stage.reaper("merge", "--json", str(folder / "swept"), str(folder / "ready")).out
    )
    check_schema(fleet)
    found = {one["command"]: one for one in fleet["machines"]}
    expect(found["sweep"]["reaped"] == 1 and found["sweep"]["left"] == 0, f"{fleet}")
    expect([one["result"] for one in found["sweep"]["leaks"]] == ["ended_on_term"], f"{fleet}")
    expect(found["preflight"]["ready"] is True, f"{fleet}")


@case
def wrong_usage_is_told():
    stage = Stage()
    for words, told in (
        ((), "expected at least one report"),
        (("-", "-"), "'-' is given twice"),
        (("x", "--user", "root"), "--user is for"),
        (("x", "--format", "jsonl"), "merge: expected text, json or html"),
    ):
        result = stage.reaper("merge", *words)
        expect(result.status == 2 and told in result.err, f"{words}: {result.err}")
    missing = stage.reaper("merge", "/no/such/file")
    expect(missing.status == 4 and "No such file" in missing.out, missing.explain())


if __name__ == "__main__":
    sandbox.main(__file__, globals())
