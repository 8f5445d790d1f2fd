"""Homes on a file system that other machines may have mounted, too: what no process here has
written may be of one there."""
import os
import time

from harness.hung import HungMount
from harness.layout import own_below, put
from harness.sandbox import case, expect, main
from harness.stage import Stage

NO_PID = 4_000_000
OLD = time.time() - 300


def put_records(home, stage):
    """As a daemon and a bridge leave them."""
    records = {
        "bridge.pid": str(NO_PID),
        "bridge-stdio-1.pid": f"{NO_PID + 1}\n",
    }
    for name, text in records.items():
        path = put(home / "daemon" / name, text)
        os.utime(path, (OLD, OLD))
    own_below(home, stage.uid)
    return sorted(home / "daemon" / name for name in records)


def states(result):
    return {one["path"]: (one["state"], one["removed"]) for one in result.json["pidfiles"]}


@case
def records_on_a_shared_file_system_are_kept():
    stage = Stage()
    behind, home = stage.layout.base / "behind/plugin", stage.layout.base / "net/plugin"
    real = put_records(behind, stage)
    local = put_records(stage.layout.base / "local/plugin", stage)
    mount = HungMount(behind, home)
    result = stage.reaper("pidfiles", "--clean", "--json", "--home", str(home))
    found = states(result)
    expect(len(found) == len(real), f"{found} {result.err}")
    expect(set(found.values()) == {("foreign", False)}, found)
    expect(all(path.exists() for path in real), "removed")
    reasons = [one["reason"] for one in result.json["pidfiles"]]
    expect(all(f"lies on {home} (fuse" in one for one in reasons), reasons)
    control = stage.reaper("pidfiles", "--clean", "--json", "--home", str(local[0].parents[1]))
    expect(set(states(control).values()) == {("stale", True)}, control.out)
    expect(not any(path.exists() for path in local), "left")
    mount.go()


@case
def a_link_into_a_shared_file_system_is_followed_to_its_mount():
    stage = Stage()
    behind, place = stage.layout.base / "behind/plugin", stage.layout.base / "net/plugin"
    real = put_records(behind, stage)
    HungMount(behind, place)
    home = stage.layout.home / "plugin"
    home.symlink_to(place)
    result = stage.reaper("pidfiles", "--clean", "--json", "--home", str(home))
    expect(set(states(result).values()) == {("foreign", False)}, result.out)
    expect(all(path.exists() for path in real), "removed")


if __name__ == "__main__":
    main(__file__, globals())
