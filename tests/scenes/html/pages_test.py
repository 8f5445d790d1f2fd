"""The pages of `--format html`, as a real browser shows them: on a phone, a tablet and a desk,
light and dark, open and closed, printed, and for a screen reader."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from harness import pages, sandbox
from harness.browser import Browser
from harness.sandbox import case, expect
from harness.stage import Stage

QUICK = ("--min-age", "1ms", "--settle", "200ms", "--grace", "1s")
MOST_BYTES = 2_000_000
MOST_PICTURE = 120_000
SCREENSHOTS = pathlib.Path(__file__).resolve().parents[3] / "packaging/screenshots"
LONGEST = 1.0  # seconds until it is shown
HOSTILE = "<script>fetch('http://x')</script>\"'><img src=x onerror=alert(1)>&amp;\x1b[31m"


class Scene:
    """Helpers, and a browser that looks at what the program says of them."""

    def __init__(self):
        self.axe = pages.axe_script()
        self.stage = Stage()
        self.folder = self.stage.layout.base / "browser"

    def page(self, *command, status=0, **more):
        """Where the page of a command is, and its text."""
        result = self.stage.reaper(*command, "--format", "html", **more)
        expect(result.status == status, f"{command}: {result.status} {result.err}")
        return self.keep(result.out, command[0]), result.out

    def keep(self, text, name):
        path = self.folder / f"{name}.html"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def browser(self):
        return Browser(self.folder)

    def expect_good(self, *paths):
        with self.browser() as browser:
            for path in paths:
                pages.expect_good(browser, path, self.axe)

    def replayed(self, facts, name="report", *more):
        """The page of facts in a file."""
        path = self.folder / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(facts))
        path.chmod(0o644)
        return self.page("report", "--from-facts", str(path), *more, status=1)


def expect_says(text, *patterns):
    for pattern in patterns:
        expect(re.search(pattern, text), f"the page does not say {pattern}")


def leak_some(stage, name="dead", count=3):
    home = stage.layout.data_home(name)
    names = [f"{name}-{number}" for number in range(count)]
    stage.orphans([stage.bridge(each, home=home) for each in names])
    return names


@case(timeout=240)
def a_report_and_the_last_sweep():
    """The tiles say what JSON says; equal leaks are one row; the last sweep is told."""
    scene = Scene()
    stage = scene.stage
    stage.start_host("gateway", [stage.bridge("used"), stage.worker("worker", session="s")])
    _, before = scene.page("report", "--min-age", "1ms")
    expect_says(before, "none recorded")
    leak_some(stage, "first", 1)
    expect(stage.sweep().status == 0, "the sweep failed")
    leak_some(stage, "second", 6)
    report = stage.report()
    path, page = scene.page("report", "--min-age", "1ms", status=1)
    expect_says(page, "6 bridges of [^<]*/profiles/second/memos-plugin")
    leaked = re.search(r"Leaked</dt><dd class=\"value\">(\d+)<", page)[1]
    expect(int(leaked) == report.json["summary"]["to_reap"] == 6, leaked)
    expect_says(page, r"\d+[sm] ago</dd><dd>the last that ended something: 1 helper,")
    expect_says(page, 'class="bars"')
    scene.expect_good(path)


@case(timeout=240)
def a_sweep_and_its_history():
    scene = Scene()
    stage = scene.stage
    stage.start_host("gateway", [stage.bridge("used")])
    leak_some(stage, "dead", 2)
    stage.orphans([stage.worker("deaf", session="d", ignore_term=True)])
    planned, text = scene.page("sweep", "--dry-run", *QUICK, status=1)
    expect_says(text, "Would be ended", "<h1>.*dry run: 3 leaked helpers would be ended")
    planned = planned.rename(planned.with_name("plan.html"))
    swept, text = scene.page("sweep", *QUICK)
    expect_says(text, "ended on KILL", "3 leaked helpers ended")
    past, text = scene.page("history")
    expect(text.count('<span class="what">') == 3, "three records")
    expect_says(text, '<td>bridge</td><td class="number">2</td>')
    scene.expect_good(planned, swept, past)


@case(timeout=240)
def a_preflight_that_is_not_ready_and_one_that_is():
    scene = Scene()
    stage = scene.stage
    ready, text = scene.page("preflight", *QUICK)
    expect_says(text, "ready: nothing is in the way")
    ready = ready.rename(ready.with_name("ready.html"))
    leak_some(stage, "dead", 2)
    stage.start_host("gateway", [stage.bridge("used")], kind="tui")
    blocked, text = scene.page("preflight", "--dry-run", *QUICK, status=6)
    expect_says(text, "What to do: ", "not ready: 1 thing is in the way")
    scene.expect_good(ready, blocked)


@case(timeout=240)
def the_reports_of_three_machines():
    scene = Scene()
    leak_some(scene.stage, "dead", 6)
    one = scene.stage.report().out
    two = json.loads(one)
    two["host"] |= {"name": HOSTILE, "boot_id": "another"}
    for process in two["processes"]:
        process |= {"home": HOSTILE, "user": "x" * 200, "verdict": HOSTILE}
    folder = scene.folder
    folder.mkdir(exist_ok=True)
    for name, text in (("one", one), ("two", json.dumps(two)), ("lost", "")):
        (folder / name).write_text(text)
        (folder / name).chmod(0o644)
    files = [str(folder / name) for name in ("one", "two", "lost")]
    page, text = scene.page("merge", *files, status=4)
    expect_says(text, "3 machines: 12 leaked helpers on 2 of them", "the report did not arrive")
    expect("<script" not in text and "<img" not in text, "it can be driven by what it shows")
    scene.expect_good(page)


@case
def only_pages_and_metrics_read_the_history_to_show_it():
    if not shutil.which("strace"):
        raise sandbox.Skip("needs strace")
    stage = Stage()
    leak_some(stage, "dead", 1)
    expect(stage.sweep().status == 0, "the sweep failed")
    for form, wanted in (("text", False), ("json", False), ("prometheus", True), ("html", True)):
        calls = stage.run / f"{form}.calls"
        tracer = ("strace", "-f", "-e", "trace=openat", "-o", str(calls))
        quiet = {"ASAN_OPTIONS": "detect_leaks=0"}  # which cannot work below ptrace
        result = stage.reaper("report", "--format", form, before=tracer, env=quiet)
        expect(result.status == 0, result.explain())
        read = "history.jsonl" in calls.read_text()
        expect(read == wanted, f"{form}: the history was{'' if read else ' not'} read")


@case(timeout=240)
def an_explanation():
    scene = Scene()
    (name,) = leak_some(scene.stage, "dead", 1)
    path, text = scene.page(
        "explain", str(scene.stage.actors[name].pid), "--min-age", "1ms", status=1
    )
    expect_says(text, "parent.adopter", '<details open="open">')
    scene.expect_good(path)


@case(timeout=240)
def what_processes_say_of_themselves_stays_text():
    """As long as can be, without a space, and full of markup."""
    scene = Scene()

    def spoil(candidate, number):
        pages.set_home(candidate, f"/home/u/{HOSTILE * number}{'x' * 300}")
        candidate["row"]["command_line"]["value"]["argv"].append(f"--{HOSTILE}")
        candidate["row"]["comm"] = HOSTILE
        candidate["user"] = HOSTILE

    facts = pages.crowd_of_facts(4, spoil)
    facts["machine"]["name"] = HOSTILE
    path, text = scene.replayed(facts)
    expect_says(text, "&lt;script&gt;")
    expect("<script" not in text and "<img" not in text, "markup of a stranger")
    scene.expect_good(path)


@case(timeout=240, alone=True)
def a_thousand_processes():
    """All equal, or each of its own home: small enough to send, and shown at once."""
    scene = Scene()

    def move(candidate, number):
        pages.set_home(candidate, f"/home/u/.hermes/profiles/p{number}/memos-plugin")

    slow = float(os.environ.get("REAPER_SLOWDOWN") or 1)
    for name, change in (("equal", None), ("apart", move)):
        path, text = scene.replayed(pages.crowd_of_facts(1000, change), name)
        expect(len(text) < MOST_BYTES, f"{name}: {len(text)} bytes")
        expect_says(text, r"and \d+ more: <code>orphan-reaper report --json")
        with scene.browser() as browser:
            browser.open(path)  # the browser itself is warm then
            for width in (390, 1280):
                browser.show_as(width)
                took = min(browser.open(path) for _ in range(3))
                print(f"     {name}: {len(text)} bytes, {took:.2f} s at {width} pixels")
                expect(took < LONGEST * slow, f"{name}: {took:.2f} s at {width} pixels")
                wrong = pages.look_mistakes(browser, width)
                expect(not wrong, "\n".join(wrong))


@case(timeout=120)
def the_markup_is_valid():
    scene = Scene()
    stage = scene.stage
    leak_some(stage, "dead", 2)
    pid = str(stage.actors["dead-0"].pid)
    paths = [
        scene.page(*command, *QUICK[:2], status=status)[0]
        for command, status in ((("report",), 1), (("explain", pid), 1), (("preflight",), 0))
    ]
    paths.append(scene.page("history")[0])
    wrong = pages.markup_mistakes(scene.folder, *paths)
    expect(not wrong, wrong)
    text = paths[0].read_text()
    for right, fault in (("</h2>", "</h3>"), ("</small>", ""), ('id="leaked"', 'id="main"')):
        expect(right in text, right)
        bad = scene.keep(text.replace(right, fault, 1), "fault")
        expect(pages.markup_mistakes(scene.folder, bad), f"{fault} for {right}: not found")


@case(timeout=120)
def for_a_screen_reader():
    """Landmarks, headings in their order, pictures in words, and rows that say their state."""
    scene = Scene()
    path, _ = scene.replayed(pages.crowd_of_facts(2))
    with scene.browser() as browser:
        browser.open(path)
        nodes = browser.spoken()
    for landmark in ("banner", "navigation", "main", "contentinfo"):
        expect(len(nodes[landmark]) == 1, f"{landmark}: {nodes[landmark]}")
    headings = [name for name, _ in nodes["heading"]]
    expect("leaked helpers, " in headings[0], str(headings))
    expect(headings[-2:] == ["Kept", "About this run"], str(headings))
    pictures = dict(nodes["image"])
    expect(set(pictures) == {"No living host", "On their own", "python3.11"}, str(pictures))
    expect("5 bridges of ~/.hermes/memos-plugin" in pictures["No living host"], str(pictures))
    rows = [name for name, _ in nodes["DisclosureTriangle"]]
    states = ("leaked: ", "to look at: ", "kept: ", "The same in numbers")
    expect(len(rows) > 4 and all(any(one in row for one in states) for row in rows), str(rows))


@case(timeout=120)
def on_paper():
    """What is closed on a screen can be read, and what is only to be clicked is not there."""
    scene = Scene()
    path, _ = scene.replayed(pages.crowd_of_facts(2))
    pieces = "[...document.querySelectorAll('.evidence')].map(one => one.checkVisibility())"
    ink = "getComputedStyle(document.querySelector('h1')).color"
    with scene.browser() as browser:
        browser.open(path)
        browser.show_as(1280)
        hidden = browser.run(pieces)
        expect(len(hidden) > 5 and not any(hidden), f"{hidden} can be read before a click")
        browser.show_as(794, media="print", dark=True)
        shown = browser.run(pieces)
        expect(all(shown), f"{shown} can be read")
        expect(browser.run("document.querySelector('nav').offsetHeight") == 0, "links on paper")
        pages.expect_dark(browser, False)
        black = [int(part) for part in browser.run(ink)[4:-1].split(",")]
        expect(sum(black) < 200, f"ink of the colour {black}")
        count = browser.pdf().count(b"/Type /Page\n")
        print(f"     {count} pages")
        expect(1 < count < 12, f"{count} pages")


@case(timeout=120)
def the_screenshots_can_be_made_again():
    scene = Scene()
    made = scene.folder / "made"
    made.mkdir(parents=True)
    script = SCREENSHOTS / "make"
    subprocess.run([str(script), str(scene.stage.layout.binary), str(made)], check=True)
    names = sorted(path.name for path in made.iterdir())
    for name in names:
        for picture in (made / name, SCREENSHOTS / name):
            data = picture.read_bytes()
            expect(data.startswith(b"\x89PNG") and len(data) < MOST_PICTURE, f"{picture}")
    shown = sorted(path.name for path in SCREENSHOTS.glob("*.png"))
    expect(names == shown and len(names) <= 2, f"{names}, and there are {shown}")


FAULTS = {
    "color-contrast of the dark half": ("--faint: #9fa9b5", "--faint: #2a2f36"),
    "color-contrast of the light half": ("--faint: #57606a", "--faint: #d0d4d8"),
    "html-has-lang": ('<html lang="en">', "<html>"),
    "too wide": ('<main id="main"', '<main style="max-width: none; width: 1300px" id="main"'),
    "scrolls sideways": ("overflow-wrap: anywhere; }", "white-space: nowrap; }"),
    "row": ("min-height: 2.75rem; padding: .5rem", "min-height: 20rem; padding: .5rem"),
    "out of its drawing": ('<text class="name" x="52"', '<text class="name" x="252"'),
    "broken into letters": ("minmax(0, 1fr) auto .75rem", "1rem auto .75rem"),
    "too small": ("font-size: 11.5px", "font-size: 7px"),
    "heading-order": ("<h2>Leaked</h2>", "<h5>Leaked</h5>"),
    "Content Security Policy": ("</body>", "<script>1</script></body>"),
    "nothing is shown": ("<body>", "<body hidden>"),
}


@case(timeout=240)
def a_page_with_a_fault_is_found():
    """Each check can fail."""
    scene = Scene()
    _, text = scene.replayed(pages.crowd_of_facts(2))
    with scene.browser() as browser:
        for name, (right, wrong) in FAULTS.items():
            expect(right in text, f"{right} is not in the page")
            path = scene.keep(text.replace(right, wrong), "fault")
            try:
                pages.expect_good(browser, path, scene.axe, widths=(1280,))
            except AssertionError as found:
                kind = name.partition(" of ")[0]
                expect(kind in str(found), f"{name}: {found}")
            else:
                expect(False, f"{name}: not found")


if __name__ == "__main__":
    if sys.argv[1:2] not in (["--inside"], ["--list"]) and not sandbox.missing_here():
        pages.install_checkers()
    sandbox.main(__file__, globals())
