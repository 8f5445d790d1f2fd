#!/usr/bin/python3
"""How the code is written: comments speak of processes as things, headers carry a contract, lines
fit on a screen."""
import ast
import collections
import io
import pathlib
import re
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parents[1]
PRODUCT = ("agent", "policy", "scanner")
AROUND = ("CMakeLists.txt", ".ci", "bench", "packaging", "tests")
DATA = "tests/data/"
PICTURE = ".png"
# Words that make a process a person. A few comments speak of people.
PERSONS = re.compile(r"\b(who|whom|whoever|nobody|somebody|he|him|his)\b", re.IGNORECASE)
MOST_PERSONS = 0.003  # of all comment lines
LEAST_CONTRACT = 0.25  # of all header lines
MOST_COLUMNS = 100
# Raw strings are the text that is tested: a new line in them would be another text. clang-format
# wraps all else in these files.
RAW_STRINGS = {
    "tests/unit/agent/history/history_test.cpp",
    "tests/unit/agent/history/writer_test.cpp",
    "tests/unit/agent/report/text/report_test.cpp",
    "tests/unit/policy/match/match_test.cpp",
    "tests/unit/policy/rules/json_test.cpp",
    "tests/unit/policy/rules/rule_file_test.cpp",
    "tests/unit/scanner/json/record_reader_test.cpp",
    "tests/unit/scanner/parse/claim_text_test.cpp",
}
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"' + r"|(?<!\w)'(?:[^'\\]|\\.)'")
SUFFIXES = {
    ".cpp": "C++",
    ".hpp": "C++",
    ".py": "Python",
    ".bash": "script",
    ".sh": "script",
    ".cmake": "script",
}


class Count:
    """Lines of one room, or of several."""

    def __init__(self):
        self.lines = self.comments = self.header = self.contract = 0
        self.persons, self.long = [], []

    def __iadd__(self, other):
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    def person_share(self):
        return len(self.persons) / max(self.comments, 1)

    def contract_share(self):
        return self.contract / max(self.header, 1)


def language(name, text):
    """C++, Python, script (bash or CMake); None: data, or text of another kind."""
    path = pathlib.PurePath(name.removesuffix(".in"))
    first = text.partition("\n")[0]
    if path.name == "CMakeLists.txt" or re.match(r"#!.*sh$|# shellcheck shell=", first):
        return "script"
    if re.match(r"#!.*python", first):
        return "Python"
    return SUFFIXES.get(path.suffix)


def comment_of(line):
    """The comment in a line of C++; None: it has none. No comment of this code is /* of several
    lines */."""
    bare = TEXT.sub(lambda text: " " * len(text.group()), line)
    at = bare.find("//")
    return None if at < 0 else line[at:]


def python_comments(text):
    """Number of each line with a comment, or of a docstring -> that."""
    lines, found = text.splitlines(), {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            found[token.start[0]] = token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(
            node
        ):
            string = node.body[0]
            for number in range(string.lineno, string.end_lineno + 1):
                found[number] = lines[number - 1]
    return found


def comments_of(kind, text):
    """Number of each line with a comment -> the comment."""
    if kind == "Python":
        return python_comments(text)
    each = enumerate(text.splitlines(), 1)
    if kind == "C++":
        return {number: comment for number, line in each if (comment := comment_of(line))}
    found = {number: re.search(r"(?:^|\s)#.*", line) for number, line in each}
    return {number: comment.group() for number, comment in found.items() if comment}


def count(name, text):
    kind = language(name, text)
    found, comments = Count(), comments_of(kind, text) if kind else {}
    for number, line in enumerate(text.splitlines() if kind else (), 1):
        found.lines += 1
        if len(line) > MOST_COLUMNS and name not in RAW_STRINGS:
            found.long.append(f"{name}:{number}: {len(line)} columns")
    found.comments = len(comments)
    for number, comment in comments.items():
        if PERSONS.search(comment):
            found.persons.append(f"{name}:{number}: {comment.strip()}")
    if name.endswith(".hpp"):
        found.header, found.contract = found.lines, len(comments)
    return found


def count_rooms(tops):
    """Room -> count, and the count of all. A room is a folder of the product; what is around it
    has two levels."""
    rooms, total = collections.defaultdict(Count), Count()
    for path in sorted(path for top in tops for path in (ROOT / top, *(ROOT / top).rglob("*"))):
        name = path.relative_to(ROOT).as_posix()
        if not path.is_file() or path.suffix == PICTURE:
            continue
        if not name.startswith(DATA) and "__pycache__" not in name:
            found = count(name, path.read_text())
            room = name.rpartition("/")[0] or "."
            if found.lines:
                rooms[room if tops is PRODUCT else "/".join(room.split("/")[:2])] += found
            total += found
    return rooms, total


def too_personal(total):
    if total.person_share() <= MOST_PERSONS:
        return []
    return [
        *total.persons,
        f"{len(total.persons)} of {total.comments} comment lines speak of a person; "
        f"at most {MOST_PERSONS:.1%} may",
    ]


def mistakes(total):
    wrong = too_personal(total)
    if total.contract_share() < LEAST_CONTRACT:
        wrong.append(
            f"{total.contract} of {total.header} header lines are comments; "
            f"at least {LEAST_CONTRACT:.0%} must be"
        )
    return wrong


def show(rooms):
    print(f"{'room':21}  lines  comments  of persons  header lines  contract  too long")
    for name, room in sorted(rooms.items()):
        print(
            f"{name:21} {room.lines:6} {room.comments:9} {len(room.persons):11} {room.header:13} "
            f"{room.contract_share():9.1%} {len(room.long):9}"
        )


def prove_that_it_sees():
    clean = "// It.\n" + "int x;\n" * 3
    assert mistakes(count("a.hpp", clean)) == []
    assert mistakes(count("a.hpp", clean.replace("It", "Who"))) != []
    assert mistakes(count("a.hpp", "int x;\n" * 4)) != []
    for name in ("a.cpp", "a.py", "a.cmake", "CMakeLists.txt"):
        assert count(name, "x" * 101).long != [] == count(name, "x" * 100).long
    assert comment_of('f("// he", \'"\');  // it') == "// it"
    assert comment_of('f("// he");') is None
    assert not PERSONS.search("// the process whose hist was here")
    assert list(python_comments('"""A.\nB."""\nx = "# he"  # it\n')) == [3, 1, 2]
    assert too_personal(count("run", '#!/usr/bin/python3\n"""Whoever."""\n')) != []
    assert list(comments_of("script", "x ${#x}\ny  # it\n")) == [2]
    assert count("list.json", "x" * 101).lines == 0


def main():
    prove_that_it_sees()
    rooms, product = count_rooms(PRODUCT)
    places, around = count_rooms(AROUND)
    assert len(rooms) > 20 and product.header > 5000, (len(rooms), product.header)
    assert len(places) > 10 and around.comments > 1500, (len(places), around.comments)
    show({**rooms, **places})
    wrong = product.long + mistakes(product) + around.long + too_personal(around)
    for total in (product, around):
        print(f"{len(total.persons)} of {total.comments} comment lines speak of a person")
    print("\n".join(wrong) or f"{product.contract_share():.1%} of the header lines are comments")
    return 1 if wrong else 0


sys.exit(main())
