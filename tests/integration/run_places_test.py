"""`run`: in places where not all can be seen, or not everything can be done."""
import pathlib
import subprocess
import sys

from harness import helper, sandbox
from harness.actor import wait_until
from harness.helper import BINARY
from harness.sandbox import PROGRAMS, PYTHON, case, expect


# The process table of another pid namespace

QUESTION = b"is it another pid namespace's?"
COMMANDS = (("run", "--", "echo", "started"), ("run", "--parent", "1", "--", "echo", "started"), ("report",), ("sweep",), ("explain", "1"),
            ("preflight",), ("preflight", "--", "echo", "started"), ("pidfiles",), ("pidfiles", "--clean"))
INSIDE = ("unshare", "--pid", "--fork", "--kill-child")


def expect_refused(words, status, out, err):
    expect(status == 4 and QUESTION in err and b"started" not in out, f"{words}: {status}, {out}, {err}")


@case
def the_table_of_another_pid_namespace_is_refused():
    """Its pids are those of other processes here."""
    for words in COMMANDS:
        done = subprocess.run([*INSIDE, BINARY, *words], capture_output=True, timeout=20, check=False)
        expect_refused(words, done.returncode, done.stdout, done.stderr)
    watch = subprocess.Popen([*INSIDE, BINARY, "watch"], stderr=subprocess.PIPE)  # it goes on: a look may fail
    expect(b"watching 0 hosts" in (said := watch.stderr.readline()) and QUESTION in said, said)
    watch.kill()


@case
def also_where_this_program_has_the_same_pid_in_it():
    inside = ("import subprocess, sys\nnumber = sys.stdin.readline()\nopen('/proc/sys/kernel/ns_last_pid', 'w').write(number)\n"
              "child = subprocess.Popen(sys.argv[1:])\nassert child.pid == int(number) + 1\nsys.exit(child.wait())")
    for words in COMMANDS:
        done = subprocess.Popen([*INSIDE, PYTHON, "-c", inside, BINARY, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_until(lambda: helper.children_of(done.pid), "the first of the namespace")  # pylint: disable=cell-var-from-loop
        pathlib.Path("/proc/sys/kernel/ns_last_pid").write_text("5000")
        out, err = done.communicate(b"5000\n", timeout=20)
        expect_refused(words, done.returncode, out, err)


# What the system refuses

def denying(*denials):
    """Words before a command to which the kernel denies these calls."""
    return (PYTHON, PROGRAMS / "deny_calls.py", *denials, "--")


def after(*before):
    return subprocess.run([*before, BINARY, "run", "--", "echo", "started"], stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=False)


@case
def what_the_system_refuses_is_no_mistake_of_the_command_line():
    for answer in ("ENOSYS", "EPERM"):
        done = after(*denying(f"pidfd_open={answer}"))
        expect(done.returncode == 4 and b"cannot open a handle of pid" in done.stderr and not done.stdout, f"{answer}: {done}")
    for limit in range(4, 20):
        done = after("/usr/bin/prlimit", f"--nofile={limit}")
        refused = done.returncode == 4 and b"Too many open files" in done.stderr and not done.stdout
        expect(refused or limit > 6 and done.stdout == b"started\n", f"{limit} descriptors: {done}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        helper.enter_cgroup()
    sandbox.main(__file__, globals())
