#!/usr/bin/python3
"""What the README prints as a rule file has to be one: the program takes it, and says what it says."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

README = pathlib.Path(__file__).parent.parent / "README.md"


def main():
    examples = re.findall(r"^```json\n(.*?)^```$", README.read_text(), re.S | re.M)
    if not examples:
        sys.exit("the README has no example of a rule file any more")
    for example in examples:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rules.json"
            path.write_text(example)
            path.chmod(0o600)
            done = subprocess.run([os.environ["ORPHAN_REAPER"], "report", "--json", "--config", path],
                                  capture_output=True, text=True, check=False)
            if done.returncode not in (0, 1, 4):
                sys.exit(f"exit status {done.returncode}: {done.stderr}")
            families = json.loads(done.stdout)["scope"]["families"]
            if "slash_worker" in families or not {"bridge", "indexer"} <= set(families):
                sys.exit(f"the example switches on {families}")
    print(f"{len(examples)} example taken")


main()
