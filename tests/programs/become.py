"""Changes what this process is, then execs the rest of its arguments: argv, parent and stdio of
what runs then stay as they were.

    --uids R,E,S       the three uids; the groups become those of R
    --exec-pid         SYSTEMD_EXEC_PID names this process, as systemd does for the main process of
                       a service
    --cgroup FOLDER    moves into this cgroup first; once for each hierarchy
    --pid-namespace    becomes pid 1 of a new pid namespace; the parent outside ends, so that the
                       new one is adopted
    --pid-namespace-member  the same, but as pid 2 below a pid 1 that only waits
    --user-namespace   what follows is done as root of a user namespace of its own; its user stays
                       the same
    --mount A:B        A is mounted over B in a mount namespace of its own; "tmpfs" as A is an empty
                       folder; may be repeated
    --root FOLDER      this folder becomes its root directory
    --environment FILE adds these variables, a JSON object
    --pad BYTES        appends one argument of that length
"""
import argparse
import ctypes
import json
import os
import sys

CLONE_NEWPID = 0x20000000
CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
MS_BIND, MS_REC, MS_SLAVE = 0x1000, 0x4000, 0x80000

libc = ctypes.CDLL(None, use_errno=True)


def must(result, what):
    if result != 0:
        sys.exit(f"{what}: {os.strerror(ctypes.get_errno())}")


def enter_user_namespace():
    ids = (
        ("setgroups", "deny"),
        ("uid_map", f"{os.getuid()} {os.getuid()} 1"),
        ("gid_map", f"{os.getgid()} {os.getgid()} 1"),
    )
    must(libc.unshare(CLONE_NEWUSER), "unshare")
    for name, text in ids:
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def mount_over(mounts):
    must(libc.unshare(CLONE_NEWNS), "unshare")
    must(libc.mount(b"none", b"/", None, MS_REC | MS_SLAVE, None), "mount /")
    for source, _, target in (one.partition(":") for one in mounts):
        if source == "tmpfs":
            must(libc.mount(b"tmpfs", target.encode(), b"tmpfs", 0, b"mode=755"), f"mount {target}")
        else:
            must(
                libc.mount(source.encode(), target.encode(), None, MS_BIND | MS_REC, None),
                f"mount {target}",
            )


def enter_pid_namespace(member):
    must(libc.unshare(CLONE_NEWPID), "unshare")
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
    parser.add_argument("--user-namespace", action="store_true")
    parser.add_argument("--mount", action="append", default=[])
    parser.add_argument("--root")
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
    folder = os.getcwd()
    if wish.user_namespace:
        enter_user_namespace()
    if wish.mount:
        mount_over(wish.mount)
    if wish.root:
        os.chroot(wish.root)
    if wish.mount or wish.root:
        os.chdir(folder)  # as it is there
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
