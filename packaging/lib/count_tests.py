"""count_tests.py FILE: reads what `ctest --output-junit` wrote. First line: passed failed skipped.
Then one line for each test that was skipped, with its reason, and for each that failed, with what
it said of that."""
import sys
import xml.etree.ElementTree as ET


def complaints(case, most=12):
    """What a failed test said: of a scene that goes on after a failed case, from the first one
    on."""
    lines = [
        line.rstrip() for line in (case.findtext("system-out") or "").splitlines() if line.strip()
    ]
    told = [number for number, line in enumerate(lines) if line.startswith(("Traceback", "FAIL "))]
    return lines[told[0] :][:most] if told else lines[-most:]


def last_words(case):
    """A test that skips says why on its last line."""
    lines = [
        line.strip() for line in (case.findtext("system-out") or "").splitlines() if line.strip()
    ]
    return lines[-1] if lines else "no reason was given"


def verdict(case):
    status = case.get("status")
    if status == "run":
        return "passed"
    skipped = case.find("skipped")
    chosen = skipped is not None and skipped.get("message", "").startswith("SKIP_")
    # A test that ctest could not even start is "notrun" too; that is a failure, not a choice.
    return "skipped" if chosen or status == "disabled" else "failed"


def main():
    cases = [
        (case.get("name"), verdict(case), case)
        for case in ET.parse(sys.argv[1]).getroot().iter("testcase")
    ]
    print(
        *(
            sum(found == wanted for _, found, _ in cases)
            for wanted in ("passed", "failed", "skipped")
        )
    )
    for name, found, case in cases:
        if found == "skipped":
            print(f"SKIPPED {name}: {last_words(case)}")
        elif found == "failed":
            print(f"FAILED {name}", *complaints(case), sep="\n    ")


main()
