"""The demo is the first thing that a stranger sees: it works for an ordinary user too, whatever is
set up on the machine, and calls nothing a bug that is none."""
import json
import os
import pathlib
import re
import shutil

from harness import product, sandbox, shown
from harness.layout import UID, Layout, put
from harness.sandbox import case, expect

DEMO = sandbox.HERE.parent.parent / "packaging/demo"
OFF = json.dumps({"families": {"bridge": {"enabled": False}, "slash_worker": {"enabled": False}}})


def prepare():
    """A copy that any user can read, beside the program."""
    layout = Layout(pathlib.Path(os.environ["ORPHAN_REAPER"]).resolve())
    shutil.copytree(DEMO, layout.base / "demo")
    temporary = layout.base / "tmp"
    temporary.mkdir()
    temporary.chmod(0o1777)
    return layout


def set_rules_of_this_machine(layout):
    """Root's home is closed, and both there and in /etc a rule file switches off what the demo
    shows."""
    for folder in ("upper", "work"):
        (layout.base / folder).mkdir()
    try:
        sandbox.mount(
            "overlay",
            "/etc",
            "overlay",
            data=f"lowerdir=/etc,upperdir={layout.base}/upper,workdir={layout.base}/work",
        )
    except OSError as error:
        raise sandbox.Skip(
            f"no rule file can be put into /etc for this case alone: {error}"
        ) from error
    sandbox.mount("tmpfs", "/root", "tmpfs", data="mode=700")
    for folder in ("/etc", "/root/.config"):
        put(pathlib.Path(folder) / "orphan-reaper/rules.d/off.json", OFF, uid=0)
    rules = product.run([str(layout.binary), "rules"], uid=0, home="/root")
    expect("off.json" in rules.out, f"control: the rules are in effect: {rules.explain()}")


def show(layout, uid, home, program=None):
    argv = ["/bin/bash", str(layout.base / "demo/run"), str(program or layout.binary)]
    result = product.run(argv, uid=uid, home=home, env={"TMPDIR": str(layout.base / "tmp")})
    if result.status == 2 and "namespaces of its own" in result.err:
        raise sandbox.Skip(result.err.strip())
    left = os.listdir(layout.base / "tmp")
    expect(not left, f"the demo left {left} behind")
    return result


def expect_shown(result):
    expect(result.status == 0 and "this is a bug" not in result.out, result.explain())
    expect("3 leaked helpers ended" in result.out, result.explain())
    expect("is alive and answers" in result.out and "are gone." in result.out, result.explain())


@case
def as_an_ordinary_user_that_cannot_look_into_roots_home():
    layout = prepare()
    set_rules_of_this_machine(layout)
    expect_shown(show(layout, UID, layout.home))


@case
def as_root_whose_own_rules_switch_the_helpers_off():
    layout = prepare()
    set_rules_of_this_machine(layout)
    expect_shown(show(layout, 0, "/root"))


def without_numbers(text):
    """The same for every run: no pids, sizes, times, temporary folders or line breaks."""
    text = re.sub(r"\S*/home/\.hermes", "~/.hermes", " ".join(text.split()))
    return re.sub(r"\d+", "0", text)


@case
def the_readme_prints_its_report():
    said = show(prepare(), 0, "/root").out
    report = re.search(r"==> orphan-reaper report\n(.*?)\n==>", said, re.S)[1]
    expect(
        without_numbers(shown.report()) == without_numbers(report),
        f"the README has another report: {report}",
    )


@case
def a_sweep_that_could_not_work_is_no_bug():
    layout = prepare()
    for status, words in ((3, "says why (exit status 3)"), (0, "this is a bug")):
        program = put(layout.base / f"bin/ends-with-{status}", f"#!/bin/sh\nexit {status}\n")
        program.chmod(0o755)
        result = show(layout, 0, "/root", program)
        expect(result.status == 1 and words in result.out, result.explain())
        expect(("this is a bug" in result.out) == (status == 0), result.explain())


if __name__ == "__main__":
    sandbox.main(__file__, globals())
