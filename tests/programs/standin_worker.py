"""Stand-in of tui_gateway.slash_worker. What it does comes from STANDIN, because argv has to be the
real thing's."""
import fcntl
import json
import os
import signal
import sys
import time

wish = json.loads(os.environ["STANDIN"])
signal.alarm(int(wish.get("life", 100)))  # nothing outlives a test that was forgotten


def path(ending):
    return os.path.join(wish["dir"], f"{wish['name']}.{ending}")


def on_term(_signal, _frame):
    with open(path("signals"), "a") as log:
        log.write("TERM\n")
    if not wish.get("ignore_term"):
        os._exit(0)


def main():
    signal.signal(signal.SIGTERM, on_term)
    if "uids" in wish:  # here, because execve makes the saved uid the effective one
        os.setresuid(*wish["uids"])
    held = [open(wish["open"], "rb")] if "open" in wish else []  # until it ends
    if "flock" in wish:
        lock = os.open(wish["flock"], os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
    with open(path("ready"), "w") as ready:
        ready.write(str(os.getpid()))
    while True:
        with open(path("beat"), "w") as beat:
            beat.write(str(time.time()))
        if "exec_when" in wish and os.path.exists(wish["exec_when"]):
            os.execv(wish["exec"][0], wish["exec"])
        time.sleep(0.05)


if __name__ == "__main__":
    sys.exit(main())
