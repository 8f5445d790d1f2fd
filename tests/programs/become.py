"""Changes what this process is, then execs the rest of its arguments: argv, parent and stdio of what runs then stay as
they were.

    --uids R,E,S       the three uids; the groups become those of R
    --exec-pid         SYSTEMD_EXEC_PID names this process, as systemd does for the main process of a service
    --cgroup FOLDER    moves into this cgroup first; once for each hierarchy
    --pid-namespace    becomes pid 1 of a new pid namespace; the parent outside ends, so that the new one is adopted
    --pid-namespace-member  the same, but as pid 2 below a pid 1 that only waits
    --environment FILE adds these variables, a JSON object
    --pad BYTES        appends one argument of that length
"""
import argparse
import ctypes
import json
import os
import sys

CLONE_NEWPID = 0x20000000


def enter_pid_namespace(member):
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWPID) != 0:
        sys.exit(f"unshare: {os.strerror(ctypes.get_errno())}")
    if os.fork() != 0:
        os._exit(0)
    if member and os.fork() != 0:
        os.environ["STANDIN_NAME"] += "-init"
        os.execve("/bin/sleep", ["sleep", "100"], os.environ)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--uids")
    parser.add_argument("--exec-pid", action="store_true")
    parser.add_argument("--cgroup", action="append", default=[])
    parser.add_argument("--pid-namespace", action="store_true")
    parser.add_argument("--pid-namespace-member", action="store_true")
    parser.add_argument("--environment")
    parser.add_argument("--pad", type=int, default=0)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    wish = parser.parse_args()
    command = wish.command[1:] if wish.command[0] == "--" else wish.command
    for folder in wish.cgroup:
        with open(os.path.join(folder, "cgroup.procs"), "w") as procs:
            procs.write("0")
    if wish.pid_namespace or wish.pid_namespace_member:
        enter_pid_namespace(wish.pid_namespace_member)
    if wish.environment:
        with open(wish.environment) as variables:
            os.environ.update(json.load(variables))
    if wish.uids:
        uids = [int(uid) for uid in wish.uids.split(",")]
        os.setgroups([])
        os.setresgid(uids[0], uids[0], uids[0])
        os.setresuid(*uids)
    if wish.exec_pid:
        os.environ["SYSTEMD_EXEC_PID"] = str(os.getpid())
    if wish.pad:
        command.append("--pad=" + "x" * wish.pad)
    os.execve(command[0], command, os.environ)


if __name__ == "__main__":
    main()
