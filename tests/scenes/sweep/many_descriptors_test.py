"""Helpers of one user that have very many descriptors open cost a bounded time: not all of them are
read, which is said, and keeps nothing of another user."""
from harness.layout import OTHER_UID
from harness.sandbox import PYTHON, case, expect, main
from harness.stage import Stage

MANY = 18_000  # below the usual hard limits of containers
NAMES = [f"full{at}" for at in range(8)]  # more descriptors than are read of one user

OPEN_MANY = f"""
import fcntl, os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, ({MANY} + 1000, {MANY} + 1000))
null = os.open("/dev/null", os.O_RDONLY)
for _at in range({MANY}):
    fcntl.fcntl(null, fcntl.F_DUPFD, 10)  # which the next program inherits
os.execv(sys.argv[1], sys.argv[1:])
"""


def full_bridge(stage, name):
    child = stage.bridge(name, become=("--uids", f"{OTHER_UID},{OTHER_UID},{OTHER_UID}"))
    child["argv"] = [PYTHON, "-B", "-c", OPEN_MANY, *child["argv"]]  # as root, for the limit
    return child


@case
def one_user_has_too_many_and_another_one_is_swept():
    stage = Stage()
    stage.orphans([stage.bridge("good")])
    stage.orphans([full_bridge(stage, name) for name in NAMES], uid=0)
    report = stage.report("--all-users", uid=0)
    verdicts = {name: report.process(stage.actors[name].pid)["verdict"] for name in NAMES}
    expect(report.status == 4 and "unknown" in verdicts.values(), f"{report.status} {verdicts}")
    stage.expect_verdicts(report, {"good": ("orphan", "reap")})
    result = stage.sweep("--all-users", uid=0)
    stage.expect_ended(["good"])
    expect(result.status in (0, 4), result.explain())


if __name__ == "__main__":
    main(__file__, globals())
