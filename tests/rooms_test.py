#!/usr/bin/python3
"""What a file may include: its own room, and the rooms that its room USES in the CMakeLists.txt. No
two files include each other, not even by way of others, and no two define a type of one name. Every
folder with sources is a room, and every folder of unit tests mirrors one."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
TOPS = ("agent", "policy", "scanner")
PARTS = {
    "agent/report/html": "agent/report",
    "agent/report/json": "agent/report",
    "agent/report/text": "agent/report",
}  # folders within a room
KERNELS = {
    "scanner/linux",
    "scanner/darwin",
    "scanner/other",
}  # built into the room scanner; it cannot use them
MODEL = {"scanner/model", "scanner/parse", "scanner/json"}


def declared():
    """Room -> rooms that it names after USES."""
    rooms = {}
    for top in TOPS:
        text = re.sub(r"#.*", "", (ROOT / top / "CMakeLists.txt").read_text())
        for words in re.findall(r"\breaper_room\(([^)]*)\)", text):
            room, *rest = words.split()
            uses = []
            for word in rest:
                if word in ("SOURCES", "LOOKING"):
                    break
                uses.append(word)
            rooms[room] = set(uses) - {"USES"}
    return rooms


def room_of(path):
    folder = str(pathlib.PurePosixPath(path).parent)
    return PARTS.get(folder, folder)


def allowed(rooms, room):
    """The rooms that a file of this one may include."""
    if room == "agent":
        return set(rooms) | {room}
    if room in KERNELS:
        return rooms["scanner"] | {"scanner", room}
    own = rooms[room] | {room}
    if room.startswith("agent/"):
        return own | {other for other in rooms if not other.startswith("agent/")}
    if room.startswith("policy/"):
        return own | MODEL | {"scanner"}
    return own


def includes(text):
    return re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M)


def wrong_includes(rooms, files):
    """`files`: path -> text. One line for each include that the table forbids."""
    wrong = []
    for path, text in files.items():
        room = room_of(path)
        if room != "agent" and room not in rooms and room not in KERNELS:
            wrong.append(f"{path}: {room} is no room of any CMakeLists.txt")
            continue
        may = allowed(rooms, room)
        wrong += [
            f"{path} includes {target}: {room} does not use {room_of(target)}"
            for target in includes(text)
            if target in files and room_of(target) not in may
        ]
        wrong += [
            f"{path} includes {target}, which is not there"
            for target in includes(text)
            if target.split("/")[0] in TOPS and target not in files
        ]
    return wrong


def cycle_in(graph):
    """A list of nodes, the first one again at the end; None: there is none."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node) :] + [node]
        if node in done:
            return None
        path.append(node)
        for target in sorted(graph.get(node, ())):
            if found := visit(target):
                return found
        done.add(path.pop())
        return None

    return next((found for node in sorted(graph) if (found := visit(node))), None)


def room_cycle(rooms):
    return cycle_in({room: uses for room, uses in rooms.items()})


def file_cycle(files):
    return cycle_in(
        {
            path: [target for target in includes(text) if target in files]
            for path, text in files.items()
        }
    )


def tests_without_room(rooms):
    folders = {
        path.parent.relative_to(ROOT / "tests/unit").as_posix()
        for path in (ROOT / "tests/unit").rglob("*_test.cpp")
    }
    known = set(rooms) | set(PARTS) | KERNELS
    return [f"tests/unit/{folder} mirrors no room" for folder in sorted(folders - known)]


def types_of(text):
    """Namespace and name of each type that other files could know."""
    found, space, hidden = set(), "", False
    for line in text.splitlines():
        if opened := re.match(r"namespace *([\w:]*) *\{", line):
            hidden = not opened[1]
            space = opened[1] or space
        elif re.match(r"\}  // namespace$", line):
            hidden = False
        named = re.match(r"(?:struct|class|enum class) (\w+)(?: final)?(?: : [^{]*)? \{", line)
        if named and not hidden:
            found.add((space, named[1]))
    return found


def types_defined_twice(files):
    """The program has one of them, at random, for both, and only a sanitizer would tell."""
    places = {}
    for path, text in files.items():
        for one in types_of(text):
            places.setdefault(one, []).append(path)
    return [
        f"{'::'.join(one)} is defined in {' and '.join(paths)}"
        for one, paths in sorted(places.items())
        if len(paths) > 1
    ]


def sources():
    return {
        path.relative_to(ROOT).as_posix(): path.read_text()
        for top in TOPS
        for path in sorted((ROOT / top).rglob("*.[ch]pp"))
    }


def prove_that_it_sees():
    rooms = {"agent/low": set(), "agent/high": {"agent/low"}, "policy/a": set(), "scanner": set()}

    def count(path, target):
        return len(wrong_includes(rooms, {path: f'#include "{target}"\n', target: ""}))

    assert count("agent/high/a.cpp", "agent/low/b.hpp") == 0
    assert count("agent/low/a.cpp", "agent/high/b.hpp") == 1
    assert count("policy/a/a.cpp", "agent/low/b.hpp") == 1
    assert count("agent/low/a.cpp", "scanner/linux/b.hpp") == 1
    assert count("policy/a/a.cpp", "scanner/linux/b.hpp") == 1
    assert count("scanner/linux/a.cpp", "scanner/b.hpp") == 0
    assert count("agent/nowhere/a.cpp", "scanner/b.hpp") == 1
    assert file_cycle({"a": '#include "b"\n', "b": '#include "c"\n', "c": '#include "a"\n'}) == [
        "a",
        "b",
        "c",
        "a",
    ]
    assert file_cycle({"a": '#include "b"\n', "b": ""}) is None
    one = "namespace n {\nstruct A : B {\n"
    assert len(types_defined_twice({"a": one, "b": "namespace n {\n\nclass A {\n"})) == 1
    assert not types_defined_twice({"a": one, "b": "namespace m {\nstruct A {\n"})
    assert not types_defined_twice({"a": one, "b": "namespace n {\nnamespace {\nstruct A {\n"})


def main():
    prove_that_it_sees()
    rooms, files = declared(), sources()
    assert len(rooms) > 20 and len(files) > 300, (len(rooms), len(files))
    wrong = wrong_includes(rooms, files) + tests_without_room(rooms) + types_defined_twice(files)
    for cycle in (room_cycle(rooms), file_cycle(files)):
        if cycle:
            wrong.append("a circle: " + " -> ".join(cycle))
    print("\n".join(wrong) or f"{len(files)} files in {len(rooms)} rooms include what they may")
    return 1 if wrong else 0


sys.exit(main())
