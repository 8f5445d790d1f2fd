#!/usr/bin/python3
"""How the code is written: comments speak of processes as things, headers carry a contract, lines
fit on a screen."""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
TOPS = ("agent", "policy", "scanner")
# Words that make a process a person. A few comments speak of people.
PERSONS = re.compile(r"\b(who|whom|whoever|nobody|somebody|he|him|his)\b", re.IGNORECASE)
MOST_PERSONS = 0.003  # of all comment lines
LEAST_CONTRACT = 0.25  # of all header lines
MOST_COLUMNS = 100
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"' + r"|(?<!\w)'(?:[^'\\]|\\.)'")


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


def comment_of(line):
    """The comment in a line of C++; None: it has none. No comment of this code is /* of several
    lines */."""
    bare = TEXT.sub(lambda text: " " * len(text.group()), line)
    at = bare.find("//")
    return None if at < 0 else line[at:]


def count(path, text):
    found = Count()
    for number, line in enumerate(text.splitlines(), 1):
        comment = comment_of(line)
        found.lines += 1
        found.comments += comment is not None
        if path.endswith(".hpp"):
            found.header += 1
            found.contract += comment is not None
        if comment and PERSONS.search(comment):
            found.persons.append(f"{path}:{number}: {comment}")
        if len(line) > MOST_COLUMNS:
            found.long.append(f"{path}:{number}: {len(line)} columns")
    return found


def count_rooms():
    """Room -> count, and the count of all."""
    rooms, total = collections.defaultdict(Count), Count()
    for top in TOPS:
        for path in sorted((ROOT / top).rglob("*.[ch]pp")):
            name = path.relative_to(ROOT).as_posix()
            found = count(name, path.read_text())
            rooms[name.rpartition("/")[0]] += found
            total += found
    return rooms, total


def mistakes(total):
    wrong = []
    if total.person_share() > MOST_PERSONS:
        wrong += total.persons
        wrong.append(
            f"{len(total.persons)} of {total.comments} comment lines speak of a person; "
            f"at most {MOST_PERSONS:.1%} may"
        )
    if total.contract_share() < LEAST_CONTRACT:
        wrong.append(
            f"{total.contract} of {total.header} header lines are comments; "
            f"at least {LEAST_CONTRACT:.0%} must be"
        )
    return wrong


def show(rooms):
    print(f"{'room':20}  lines  comments  of persons  header lines  contract  too long")
    for name, room in sorted(rooms.items()):
        print(
            f"{name:20} {room.lines:6} {room.comments:9} {len(room.persons):11} {room.header:13} "
            f"{room.contract_share():9.1%} {len(room.long):9}"
        )


def prove_that_it_sees():
    clean = "// It.\n" + "int x;\n" * 3
    assert mistakes(count("a.hpp", clean)) == []
    assert mistakes(count("a.hpp", clean.replace("It", "Who"))) != []
    assert mistakes(count("a.hpp", "int x;\n" * 4)) != []
    assert count("a.cpp", "x" * 101).long != [] == count("a.cpp", "x" * 100).long
    assert comment_of('f("// he", \'"\');  // it') == "// it"
    assert comment_of('f("// he");') is None
    assert not PERSONS.search("// the process whose hist was here")


def main():
    prove_that_it_sees()
    rooms, total = count_rooms()
    assert len(rooms) > 20 and total.header > 5000, (len(rooms), total.header)
    show(rooms)
    wrong = total.long + mistakes(total)
    print(
        "\n".join(wrong)
        or f"{len(total.persons)} of {total.comments} comment lines speak of a person, "
        f"{total.contract_share():.1%} of the header lines are comments"
    )
    return 1 if wrong else 0


sys.exit(main())
