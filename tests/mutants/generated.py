"""Generic mutants of a room: a relation is flipped, a condition forced or negated, a truth value
swapped. `run --generated` tries them."""
import json
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
# What is built for each room, and run with each mutant of it; ISOLATED: in a pid namespace of its
# own.
ROOMS = {
    "policy/verdict": {
        "target": "policy_test",
        "tests": r"^policy_test\.",
        "programs": ["policy/policy_test"],
    },
    "agent/reaping": {
        "target": "reaper_unit_test control_test child_test",
        "tests": r"^(reaper_unit_test\.|control_test$|child_test$)",
        "programs": ["agent/reaper_unit_test", "agent/control_test", "agent/child_test"],
    },
}
FLIPS = {"==": "!=", "!=": "==", "<=": "<", ">=": ">", "<": "<=", ">": ">=", "&&": "||", "||": "&&"}
# Spaces tell a comparison from a template and a shift.
RELATION = re.compile(r"(?<= )(==|!=|<=|>=|<|>|&&|\|\|)(?= )")
TRUTH = re.compile(r"(?<=\breturn )(true|false)(?=;)")
NEGATION = re.compile(r"(?<![\w!])!(?=[\w(])")
CONDITION = re.compile(r"\bif (?=\()")
SWITCHED = {
    "==": "Equal",
    "!=": "Unequal",
    "<=": "AtMost",
    ">=": "AtLeast",
    "<": "Less",
    ">": "Greater",
}
PAIRS = {"(": ")", "[": "]", "{": "}"}
# Where an operand of && or || ends, outside of brackets; the operators themselves apart.
BOUNDARY = re.compile(r"\|\||&&|[;,?]|(?<!:):(?!:)|(?<![=!<>])=(?!=)|\breturn\b")


def blanked(text):
    """The same text, with the letters of comments, strings and directives taken out."""
    pattern = r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|^[ \t]*#[^\n]*'
    return re.sub(pattern, lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.S | re.M)


def closing(text, start):
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    raise ValueError("unbalanced brackets")


def changes(text):
    """(begin, end, replacement) of every mutant of a source text."""
    code = blanked(text)
    found = [(one.start(), one.end(), FLIPS[one[1]]) for one in RELATION.finditer(code)]
    found += [
        (one.start(), one.end(), {"true": "false", "false": "true"}[one[1]])
        for one in TRUTH.finditer(code)
    ]
    found += [(one.start(), one.end(), "") for one in NEGATION.finditer(code)]
    for one in CONDITION.finditer(code):
        end = closing(code, one.end())
        condition = code[one.end() + 1 : end]
        if ";" not in condition and " = " not in condition:  # one that declares nothing
            found += [(one.end() + 1, end, forced) for forced in ("true", "false")]
    return sorted(found)


def operand_end(code, at, stops):
    """Where the expression that begins at `at` ends: before one of `stops`, another boundary, or
    the bracket around it."""
    while at < len(code):
        if code[at] in PAIRS:
            at = matching(code, at, 1)
        elif code[at] in PAIRS.values():
            return at
        elif (found := BOUNDARY.match(code, at)) and (
            found[0] in stops or found[0] not in ("&&", "||")
        ):
            return at
        at += 1
    return at


def operand_begin(code, at, stops):
    """Where the expression that ends at `at` begins."""
    begin = at
    while begin > 0:
        before = begin - 1
        if code[before] in PAIRS.values():
            begin = matching(code, before, -1)
            continue
        if code[before] in PAIRS:
            break
        found = next(
            (
                one
                for one in BOUNDARY.finditer(code, max(0, before - 6), begin + 1)
                if one.end() == begin
            ),
            None,
        )
        if found and (found[0] in stops or found[0] not in ("&&", "||")):
            break
        begin = before
    return begin + len(code[begin:at]) - len(code[begin:at].lstrip())


def matching(code, at, step):
    """The other bracket of the one at `at`, onward or backward."""
    depth, opening = 0, set(PAIRS)
    while 0 <= at < len(code):
        if code[at] in opening or code[at] in PAIRS.values():
            depth += 1 if (code[at] in opening) == (step > 0) else -1
        if depth == 0:
            return at
        at += step
    raise ValueError("unbalanced brackets")


def pieces(code, change, number):
    """(begin, end, order, text) of what is put in so that the mutant is there, and alive only when
    it is switched on."""
    begin, end, becomes = change
    old = code[begin:end]
    if becomes == "":
        return [(begin, end, 0, f"mutant::Not{{{number}}} ->* ")]
    if old in SWITCHED:
        return [(begin, end, 0, f"{old} mutant::{SWITCHED[old]}{{{number}}} {old}")]
    if old in ("true", "false"):
        return [(begin, end, 0, f"(mutant::on({number}) != {old})")]
    if old in ("&&", "||"):
        # What the left side must be, to be the answer.
        short = f"mutant::on({number})" if old == "&&" else f"!mutant::on({number})"
        left = operand_begin(code, begin, ("||",) if old == "&&" else ())
        right = operand_end(code, end, (old, "||"))
        return [
            (left, left, 1, "((bool)("),
            (begin, end, 0, f") == {short} ? {short} : (bool)("),
            (right, right, -1, "))"),
        ]
    whole = f"mutant::on({number}) || (" if becomes == "true" else f"!mutant::on({number}) && ("
    return [(begin, begin, 2, whole), (end, end, -2, ")")]


def switched(text, numbered):
    """The source with all these (number, change) in it, each asleep. No line moves."""
    code = blanked(text)
    put = sorted(
        (piece for number, change in numbered for piece in pieces(code, change, number)),
        key=lambda piece: (piece[0], piece[2] < 0 and piece[2] or 10 - piece[2]),
    )
    made, at = "", 0
    for begin, end, _, new in put:
        made, at = made + text[at:begin] + new, end
    return made + text[at:]


def name_of(path, text, change, seen):
    """By the line's own words, not by its number, so that an explanation outlives what moves it."""
    begin, end, replacement = change
    line = text[text.rfind("\n", 0, begin) + 1 : text.find("\n", end)].strip()
    name = " ".join(f"{path}: {line}: {text[begin:end]} -> {replacement or 'nothing'}".split())
    seen[name] = seen.get(name, 0) + 1
    return name if seen[name] == 1 else f"{name} ({seen[name]})"


def mutants(root, rooms):
    """Of all sources of these rooms, in the order of files and places."""
    made = []
    for room in rooms:
        for path in sorted((root / room).glob("*.cpp")):
            text, seen = path.read_text(), {}
            file = path.relative_to(root).as_posix()
            made += [
                {
                    **ROOMS[room],
                    "name": name_of(file, text, change, seen),
                    "file": file,
                    "span": change[:2],
                    "becomes": change[2],
                    "room": room,
                }
                for change in changes(text)
            ]
    return made


def explained():
    """Name -> why that mutant changes nothing that a test could see."""
    return json.loads((HERE / "explained.json").read_text())


def prove_that_it_sees():
    text = (
        'if (a == b && !c) return true;  // a == b\nauto d = e < f ? "x == y" : g;\n'
        'if (auto h = i()) return;\n'
    )
    made = [text[begin:end] + "/" + by for begin, end, by in changes(text)]
    assert made == [
        "a == b && !c/false",
        "a == b && !c/true",
        "==/!=",
        "&&/||",
        "!/",
        "true/false",
        "</<=",
    ], made


def prove_that_it_switches():
    text = "if (a(1, x) && b || !c && d == e)\n    return true;\n"
    made = switched(text, list(enumerate(changes(text))))
    assert made.count("\n") == 2 and made.count("(") == made.count(")"), made
    assert "!mutant::on(0) && (mutant::on(1) || (((bool)(((bool)(a(1, x) ) == " in made, made


prove_that_it_sees()
prove_that_it_switches()
