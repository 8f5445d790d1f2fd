"""A helper that leaves nothing undone to survive: children in sessions of their own, daemons by a
double fork, a stopped one, and one more whenever it is told to end. None of them minds TERM. Says
"ready" once all are there."""
import os
import signal
import sys
import time


def stay():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.alarm(100)  # nothing outlives a test that was forgotten
    while True:
        time.sleep(100)


def branch(*, session=False, twice=False, stopped=False):
    read, write = os.pipe()
    if os.fork() == 0:
        if session:
            os.setsid()
        if twice and os.fork() != 0:
            os._exit(0)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.write(write, b"x")
        if stopped:
            signal.raise_signal(signal.SIGSTOP)
        stay()
    os.read(read, 1)
    os.close(read)
    os.close(write)


def main():
    def another_one(_signal, _frame):
        branch(session=True, twice=True)

    branch()
    branch(session=True)
    branch(session=True, twice=True)
    branch(twice=True)
    branch(stopped=True)
    signal.signal(signal.SIGTERM, another_one)
    signal.alarm(100)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while True:
        time.sleep(100)


main()
