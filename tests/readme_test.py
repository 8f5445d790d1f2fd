#!/usr/bin/python3
"""What users read: the README stays short, its links and those of the manual lead somewhere, a page
says what only its command takes, and every command that is shown is run by a test. Prints which
test runs it."""
import os
import pathlib
import re
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS), str(TESTS / "scenes/sweep")]
import examples_test  # noqa: E402  pylint: disable=wrong-import-position
import shown_test  # noqa: E402  pylint: disable=wrong-import-position
from harness import shown  # noqa: E402  pylint: disable=wrong-import-position

ROOT = TESTS.parent
NAMES = {f"{page.stem} {page.suffix[1:]}" for page in shown.PAGES}
# What installs or builds, by the step of packaging/check that runs it.
STEPS = {
    "packaging/quickstart": "quickstart",
    "packaging/quickstart --demo": "demo",
    "cmake --install build/release": "install",
}
# What gets it: the test that does so, and what that says.
ELSEWHERE = {
    "apt install ./orphan-reaper_*.deb": ("system/release_test", "apt install -y ./*.deb"),
    "git clone ADDRESS orphan-reaper": ("../packaging/clean-root", " clone --quiet"),
    "*/5 * * * * /usr/local/bin/orphan-reaper sweep --quiet": (
        "system/booted/sweeps",
        "* * * * * %s sweep --quiet",
    ),
    "orphan-reaper hooks install": ("scenes/hooks/hooks_test.py", "install"),
    "orphan-reaper mcp": ("harness/mcp.py", "mcp"),
    "claude mcp add orphan-reaper -- orphan-reaper mcp": (
        "scenes/mcp/mcp_clients_test.py",
        "claude mcp add orphan-reaper -- orphan-reaper mcp",
    ),
    "codex mcp add orphan-reaper -- orphan-reaper mcp": (
        "scenes/mcp/mcp_clients_test.py",
        "codex mcp add orphan-reaper -- orphan-reaper mcp",
    ),
    "cd orphan-reaper": ("../packaging/clean-root", "cd /srv/orphan-reaper"),
}
wrong = []


def expect(condition, message):
    if not condition:
        wrong.append(message)


def step(name):
    return re.search(
        rf"^step_{name}\(\) \{{\n(.*?)^\}}", (ROOT / "packaging/check").read_text(), re.S | re.M
    )[1]


def test_of(command, files):
    """The test that runs this command; empty: none does."""
    # That every one of its commands is run, the_page_has_four_examples says.
    if set(files) == {"orphan-reaper-rules.5"}:
        return "scenes/sweep/examples_test.py"
    if command in shown_test.RUN:
        return f"scenes/sweep/shown_test.py {shown_test.RUN[command]}"
    if command in STEPS and command in step(STEPS[command]):
        return f"packaging/check {STEPS[command]}"
    if command in ELSEWHERE:
        name, said = ELSEWHERE[command]
        return name if said in (TESTS / name).read_text() else ""
    for part in sorted((TESTS / "system/booted").iterdir()):
        if command in part.read_text():
            return f"system/booted/{part.name}"
    if command.startswith("man "):
        return "readme_test.py" if shows_page(command.split()[1]) else ""
    return ""


def shows_page(name):
    """A page by its file, or one that packaging/check finds installed."""
    if "/" not in name:
        return any(page.stem == name for page in shown.PAGES)
    return (
        subprocess.run(["mandoc", "-Tlint", "-Werror", ROOT / name], check=False).returncode == 0
        if mandoc()
        else (ROOT / name).exists()
    )


def mandoc():
    return any(
        os.access(f"{folder}/mandoc", os.X_OK) for folder in os.environ.get("PATH", "").split(":")
    )


def every_command_is_run():
    commands = shown.commands()
    for command, files in commands.items():
        test = test_of(command, files)
        print(f"{command}: {test or 'NO TEST'}")
        expect(test, f"no test runs what {', '.join(sorted(set(files)))} shows: {command}")
    expect(len(commands) > 30, f"only {len(commands)} commands were found")
    stale = [
        command for command in [*shown_test.RUN, *STEPS, *ELSEWHERE] if command not in commands
    ]
    expect(not stale, f"run, and shown nowhere: {stale}")


def the_readme_is_short():
    text = shown.README.read_text()
    expect(len(text.split()) <= 1500, f"the README has {len(text.split())} words")
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        expect((ROOT / link).exists(), f"the README links to {link}")
    for name in re.findall(r"man (orphan-reaper[a-z-]*)", text):
        expect(any(page.stem == name for page in shown.PAGES), f"the README names the page {name}")


def headings(page):
    """As a terminal shows them; where there is no mandoc, as they are written."""
    if not mandoc():
        written = re.findall(r"^\.S[hs] (.*)$", page.read_text(), re.M)
        return {heading.replace("\\&", "") for heading in written}
    shown_text = subprocess.run(
        ["mandoc", "-Tascii", page], capture_output=True, text=True, check=True
    ).stdout
    return set(re.findall(r"^(?: {3})?(\S.*)$", re.sub(r".\x08", "", shown_text), re.M))


def links_lead_to_pages():
    listed = (ROOT / "packaging/cmake/install.cmake").read_text()
    linked = set()
    for page in shown.PAGES:
        text = page.read_text()
        links = set(re.findall(r"Xr (orphan-reaper[a-z-]* \d)", text))
        linked |= links if page.name == "orphan-reaper.1" else set()
        expect(links <= NAMES, f"{page.name} links to {links - NAMES}")
        expect(".Sh SEE ALSO" in text, f"{page.name} has no SEE ALSO")
        sections = headings(page)
        inside = set(re.findall(r"Sx (?:\\&)?(.+?)(?: [.,;)]| Pc)?$", text, re.M))
        expect(inside <= sections, f"{page.name} links to its sections {inside - sections}")
        expect(re.search(rf"\b{page.stem}\b(?!-)", listed), f"{page.name} is not installed")
    expect(
        linked == NAMES - {"orphan-reaper 1"}, f"orphan-reaper.1 does not link to {NAMES - linked}"
    )


def options_of(command):
    """Long names, as its help lists them."""
    said = subprocess.run(
        [os.environ["ORPHAN_REAPER"], command, "--help"], capture_output=True, text=True, check=True
    ).stdout
    return set(re.findall(r"^ {2,6}(?:-\w, )?--([a-z-]+)", said, re.M))


def pages_name_what_only_their_command_takes():
    commands = {
        command: options_of(command)
        for command in (
            "report",
            "sweep",
            "preflight",
            "run",
            "watch",
            "explain",
            "rules",
            "pidfiles",
            "history",
            "doctor",
            "schedule",
        )
    }
    for command, options in commands.items():
        page = ROOT / f"packaging/man/orphan-reaper-{command}.1"
        if not page.exists():
            continue
        other = set().union(*(more for name, more in commands.items() if name != command))
        expect(options, f"{command} --help lists no option")
        for option in sorted(options - other):
            expect(f"Fl -{option}" in page.read_text(), f"{page.name} does not name --{option}")


every_command_is_run()
the_readme_is_short()
links_lead_to_pages()
pages_name_what_only_their_command_takes()
sys.exit("\n".join(wrong) if wrong else 0)
