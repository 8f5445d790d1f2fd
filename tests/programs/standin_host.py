"""Stand-in of a Hermes host that Python runs (`-m hermes_cli.main gateway run`): starts the helpers
in HOST as upstream does, then waits to be killed.

HOST: {"name", "dir", "life", "pipe_uid", "open", "keepalive",
       "children": [{"argv", "env", "cwd", "stdio", "after", "leak_to"}]}
    open: a file that it holds open
    keepalive: it starts a child again so many seconds after it ended
    argv: "{host}" stands for the pid of this process
    stdio: "pipe" (default), "detached" (/dev/null and a new session), "stdin_closed" (pipes, and
           the host closes its end of stdin),
           "abandoned" (pipes, and the host closes both its ends), "fifo:PATH"
    after: seconds to wait before it is started
    leak_to: an argv that inherits the write end of the child's stdin
    "hook": {"argv", "limit", "cwd", "env", "after", "own_group", "reads"}: what it runs as its
            session ends, which is when there is a file NAME.end, or TERM comes. It writes a payload
            to the hook, reads what that prints until its end, and kills it with its whole process
            group when that takes longer than `limit`. NAME.hook tells how it went.
            after: seconds until the host itself ends then; none: it stays
            reads: false: it keeps the payload's pipe open, and never writes to it
"""
import contextlib
import json
import os
import signal
import subprocess
import sys
import time

wish = json.loads(os.environ["HOST"])
signal.alarm(int(wish.get("life", 100)))
kept = []
watched = []


def user_pipe():
    """A pipe belongs to the user that made it: made as the user even when this host runs as
    root."""
    uid = wish.get("pipe_uid", os.geteuid())
    os.seteuid(uid)
    ends = os.pipe()
    os.seteuid(os.getuid())
    return ends


def start(child):
    argv = [word.replace("{host}", str(os.getpid())) for word in child["argv"]]
    inherited = {name: value for name, value in os.environ.items() if name != "HOST"}
    environment = {**inherited, **child.get("env", {})}
    common = {"cwd": child.get("cwd"), "env": environment}
    stdio = child.get("stdio", "pipe")
    if stdio == "detached":
        null = subprocess.DEVNULL
        kept.append(
            subprocess.Popen(
                argv, stdin=null, stdout=null, stderr=null, start_new_session=True, **common
            )
        )
        return
    if stdio.startswith("fifo:"):
        stdin_read = os.open(stdio[5:], os.O_RDWR)
        stdin_write = None
    else:
        stdin_read, stdin_write = user_pipe()
    stdout_read, stdout_write = user_pipe()
    process = subprocess.Popen(
        argv, stdin=stdin_read, stdout=stdout_write, stderr=stdout_write, **common
    )
    kept.append(process)
    if "leak_to" in child:
        os.set_inheritable(stdin_write, True)
        kept.append(
            subprocess.Popen(
                child["leak_to"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[stdin_write],
                env={"STANDIN_NAME": child["env"]["STANDIN_NAME"] + "-holder"},
            )
        )
    os.close(stdin_read)
    os.close(stdout_write)
    if stdio in ("stdin_closed", "abandoned"):
        os.close(stdin_write)
    if stdio == "abandoned":
        os.close(stdout_read)
    if wish.get("keepalive"):
        watched.append((process, child))


def restart_ended():
    for process, child in list(watched):
        if process.poll() is not None:
            watched.remove((process, child))
            time.sleep(wish["keepalive"])
            start(child)


def kill_group(process):
    for number, patience in ((signal.SIGTERM, 0.2), (signal.SIGKILL, None)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)


def run_hook(hook):
    """As hosts do it: with a payload on stdin, and with pipes that are read to their end."""
    began = time.monotonic()
    read, write = os.pipe()
    process = subprocess.Popen(
        hook["argv"],
        stdin=read,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        cwd=hook.get("cwd"),
        env={**{k: v for k, v in os.environ.items() if k != "HOST"}, **hook.get("env", {})},
    )
    os.close(read)
    if hook.get("reads", True):
        with contextlib.suppress(BrokenPipeError):
            os.write(write, b'{"hook_event_name": "SessionEnd"}')
        os.close(write)
    try:
        out, _err = process.communicate(timeout=hook.get("limit", 20))
    except subprocess.TimeoutExpired:
        kill_group(process)
        out = b"killed"
    told = {"status": process.returncode, "out": out.decode(), "took": time.monotonic() - began}
    path = os.path.join(wish["dir"], wish["name"] + ".hook")
    with open(path + ".new", "w") as file:
        json.dump(told, file)
    os.rename(path + ".new", path)


def end_session():
    hook = wish.pop("hook")
    run_hook(hook)
    if "after" in hook:
        time.sleep(hook["after"])
        sys.exit(0)


def main():
    ends = []
    if "hook" in wish:
        signal.signal(signal.SIGTERM, lambda *_: ends.append("TERM"))
    if "open" in wish:
        kept.append(open(wish["open"], "rb"))
    for child in wish["children"]:
        time.sleep(child["after"])
        start(child)
    with open(os.path.join(wish["dir"], wish["name"] + ".ready"), "w") as ready:
        ready.write(str(os.getpid()))
    while True:
        with open(os.path.join(wish["dir"], wish["name"] + ".beat"), "w") as beat:
            beat.write(str(time.time()))
        restart_ended()
        if "hook" in wish and (ends or os.path.exists(f"{wish['dir']}/{wish['name']}.end")):
            end_session()
        time.sleep(0.05)


if __name__ == "__main__":
    sys.exit(main())
