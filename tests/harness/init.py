"""Pid 1 of a test's namespace: starts the case and ends with it, and the kernel ends everything
else then.

With --lazy it reaps nothing but the case itself, as the pid 1 of many containers does.
"""
import os
import sys


def main() -> int:
    lazy = sys.argv[1] == "--lazy"
    command = sys.argv[2:] if lazy else sys.argv[1:]
    with open("/proc/self/comm", "w") as name:
        name.write("init")  # adopters are known by their names
    os.setsid()  # a session that this pid namespace can see
    child = os.posix_spawn(command[0], command, os.environ)
    while True:
        pid, status = os.waitpid(child if lazy else -1, 0)
        if pid == child:
            return os.waitstatus_to_exitcode(status) & 0xFF


if __name__ == "__main__":
    sys.exit(main())
