"""What is true of every page: it fits, can be read by all, and fetches nothing. Asked of a real
browser, at the sizes of a phone, a tablet and a desk."""
import copy
import json
import pathlib
import subprocess

from . import npm
from .sandbox import NODE, Skip, expect

AXE = "axe-core-4.14.0"
AXE_PACKAGE = "axe-core@4.14.0"
VALIDATOR = "html-validate-9.7.1"
VALIDATOR_PACKAGE = "html-validate@9.7.1"
FACTS = pathlib.Path(__file__).parents[1] / "data/facts/machine.json"
WIDTHS = (390, 768, 1280)
TALLEST_ROW = 120  # pixels, of a closed one
SMALLEST_TAP = 44
SMALLEST_TEXT = 9.5

WHAT_IS_TOO_WIDE = """
[...document.querySelectorAll('body *')].filter(one => {
  const box = one.getBoundingClientRect();
  return !one.matches('.skip, .shapes, .shapes *, .twig') && box.width > 0 &&
    (box.right > innerWidth + 1 || box.left < -1);
}).map(one => one.tagName + '.' + one.getAttribute('class') + ': ' + one.textContent.slice(0, 60))
"""
# A column that is too narrow for its words breaks them letter by letter.
BROKEN_WORDS = """
[...document.querySelectorAll('body *')].filter(one => one.checkVisibility() &&
  [...one.childNodes].some(node => {
    if (node.nodeType !== Node.TEXT_NODE || !/[a-z]{4}/.test(node.data)) return false;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    return box.width > 0 && box.width < 16 && box.height > 40;
  })).map(one => one.textContent)
"""
# A drawing does not wrap its words.
WORDS_OUT_OF_THEIR_DRAWING = """
[...document.querySelectorAll('svg text')].filter(one => {
  const box = one.getBoundingClientRect(), svg = one.ownerSVGElement.getBoundingClientRect();
  return box.right > svg.right + 8 || box.left < svg.left - 8 || box.bottom > svg.bottom + 4;
}).map(one => one.textContent)
"""
SHOWN_ROWS = "[...document.querySelectorAll('summary')].filter(one => one.checkVisibility())"
# [height, whether it is closed, words] of each
TALL_ROWS = (
    SHOWN_ROWS
    + ".map(one => [one.offsetHeight, !one.parentElement.open, one.textContent])"
    + ".filter(([height, closed]) =>"
)
SMALL_TEXT = """
[...document.querySelectorAll('svg text')].map(one => [one.textContent,
  parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a]).filter(([, size]) =>
"""
AXE_FINDINGS = """
axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']}).then(
  found => found.violations.map(one => one.id + ': ' + one.nodes.slice(0, 3).map(
    node => node.html.slice(0, 160) + ' ' + node.failureSummary).join(' | ')))
"""
OPEN_ALL = "document.querySelectorAll('details').forEach(one => one.open = true)"
# Whether there was something to look at: a check of nothing finds nothing.
LOOKED_AT = """
[...document.querySelectorAll('h1, h2, .tile, .card')].filter(one => one.checkVisibility()).length
"""


def install_checkers():
    npm.install(AXE, AXE_PACKAGE)
    npm.install(VALIDATOR, VALIDATOR_PACKAGE)


def markup_mistakes(folder, *paths):
    """What html-validate finds in pages. folder: for its configuration."""
    program = npm.CACHE / VALIDATOR / "node_modules/html-validate/bin/html-validate.mjs"
    if not program.exists():
        raise Skip(f"{VALIDATOR} is not in {npm.CACHE}, and npm could not fetch it")
    rules = folder / "rules.json"
    rules.write_text('{"root": true, "extends": ["html-validate:standard"]}')
    command = [NODE, str(program), "--config", str(rules), *map(str, paths)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def axe_script():
    script = npm.CACHE / AXE / "node_modules/axe-core/axe.min.js"
    if not script.exists():
        raise Skip(f"{AXE} is not in {npm.CACHE}, and npm could not fetch it")
    return script.read_text()


def look_mistakes(browser, width):
    """What a person would see to be wrong, with the page as it is shown."""
    wrong = [f"too wide: {one}" for one in browser.run(WHAT_IS_TOO_WIDE)]
    total = browser.run("document.documentElement.scrollWidth")
    if total > width:
        wrong.append(f"scrolls sideways: {total} pixels at {width}")
    wrong += [f"out of its drawing: {one}" for one in browser.run(WORDS_OUT_OF_THEIR_DRAWING)]
    wrong += [f"broken into letters: {one}" for one in browser.run(BROKEN_WORDS)]
    wrong += [f"too small: {one}" for one in browser.run(SMALL_TEXT + f"size < {SMALLEST_TEXT})")]
    wrong += [
        f"too tall or small a row: {one}"
        for one in browser.run(
            TALL_ROWS + f"closed && height > {TALLEST_ROW} || height < {SMALLEST_TAP})"
        )
    ]
    return wrong


def access_mistakes(browser):
    """What axe-core finds."""
    return browser.run(AXE_FINDINGS)


def expect_good(browser, page, axe=None, widths=WIDTHS):
    """axe: its script; None: only what can be seen is looked at."""
    for width in widths:
        for dark in (False, True):
            browser.show_as(width, dark=dark)
            browser.open(page)
            where = f"{page}, {width} pixels, {'dark' if dark else 'light'}"
            expect(browser.run(LOOKED_AT) >= 5, f"{where}: nothing is shown")
            expect_dark(browser, dark)
            wrong = look_mistakes(browser, width)
            expect(browser.requests() == [pathlib.Path(page).resolve().as_uri()], where)
            expect(not browser.complaints(), f"{where}: {browser.complaints()}")
            wrong += accessible(browser, axe)
            browser.run(OPEN_ALL)
            wrong += [one for one in look_mistakes(browser, width) if "a row" not in one]
            wrong += accessible(browser, None if width == 768 else axe)
            expect(not wrong, f"{where}:\n" + "\n".join(map(str, wrong)))


def accessible(browser, axe):
    if not axe:
        return []
    if not browser.run("typeof axe === 'object'"):
        browser.run(axe + ";0")
    return access_mistakes(browser)


def expect_dark(browser, dark):
    """The page does follow what is asked for."""
    color = browser.run("getComputedStyle(document.body).backgroundColor")
    light = sum(int(part) for part in color[4:-1].split(","))
    expect((light < 200) == dark, f"dark: {dark}, and its background is {color}")


def crowd_of_facts(count, change=None):
    """The facts of a machine with so many more leaked bridges. change: what is done to each."""
    facts = json.loads(FACTS.read_text())
    (one,) = [each for each in facts["candidates"] if each["row"]["pid"] == 100]
    for pid in range(1_000_001, 1_000_001 + count):
        more = copy.deepcopy(one)
        more["row"]["pid"] = more["identity"]["pid"] = pid
        more["identity"]["pidfs_inode"] = pid
        more["namespace_pids"]["value"] = [pid]
        if change:
            change(more, pid - 1_000_001)
        facts["candidates"].append(more)
    facts["candidates"].sort(key=lambda each: each["row"]["pid"])
    return facts


def set_home(candidate, home):
    """The data home that it serves."""
    for variable in candidate["environment"]["value"]:
        if variable["name"] == "MEMOS_HOME":
            variable["value"] = home
