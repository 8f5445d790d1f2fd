"""The commands that the README and the EXAMPLES of the manual show, as they are printed."""
import collections
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
PAGES = sorted((ROOT / "packaging/man").iterdir())
COMMAND = re.compile(
    r"(orphan-reaper |packaging/quickstart|packaging/check|systemctl |journalctl |loginctl |cmake "
    r"|man |\*/5 )"
)


def blocks():
    """The indented blocks of the README, with spaces in front of each line."""
    return re.findall(r"(?:^    .*\n|^\n(?=    ))+", README.read_text(), re.M)


def report():
    """The block that is no list of commands."""
    (found,) = [block for block in blocks() if "exit status" in block]
    return found


def in_readme():
    text = README.read_text().replace(report(), "")
    lines = [
        line.partition("  #")[0].strip()
        for block in blocks()
        if block in text
        for line in block.splitlines()
    ]
    spans = [span for span in re.findall(r"`([^`\n]+)`", text) if COMMAND.match(span)]
    return [line for line in lines if line] + spans


def in_page(page):
    examples = re.search(r"^\.Sh EXAMPLES\n(.*?)(?=^\.Sh |\Z)", page.read_text(), re.S | re.M)
    lines = re.findall(r"^\.Dl (?:[$#] )?(.*)$", examples[1], re.M) if examples else []
    return [line.replace(r"\-", "-").replace(r"\(ti", "~") for line in lines]


def commands():
    """command -> names of the files that show it"""
    found = collections.defaultdict(list)
    for path, shown in [(README, in_readme()), *((page, in_page(page)) for page in PAGES)]:
        for command in shown:
            found[command].append(path.name)
    return dict(found)
