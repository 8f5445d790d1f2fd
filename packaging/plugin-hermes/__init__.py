"""Lets Hermes ask the program orphan-reaper for a sweep, and shows what that finds.

The program does all of the work, in a process of its own. This file needs nothing but Python's own
library, imports nothing of Hermes, and raises nothing into it. Nothing is ended until the setting
allow_sweep is true."""

import asyncio
import os
import shutil
import subprocess
import threading

HAND_OVER = ("sweep", "--detach", "--after", "host", "--quiet", "--from", "hermes")
HAND_OVER_SECONDS = 1.5  # Hermes waits for its hooks without a limit; the program needs 0.3
SHOW_SECONDS = 20
MOST_LINES = 60
# Where installations put it, for a host that was started without the PATH of a shell.
MORE_FOLDERS = ("/usr/local/bin", "/usr/bin", "~/.local/bin")
USAGE = (
    "/orphans: what leaked?  /orphans explain PID: why?  /orphans history: what was ended?\n"
    "/orphans sweep: what would be ended?  /orphans sweep now: end it"
)
MISSING = "orphan-reaper is not installed: this plugin does not bring the program along"
NOT_ALLOWED = (
    "Nothing was ended: the setting allow_sweep of this plugin is not true.\n"
    "To do it yourself, type in a shell: orphan-reaper sweep"
)


def _program():
    folders = os.pathsep.join(
        [os.environ.get("PATH", ""), *(os.path.expanduser(one) for one in MORE_FOLDERS)]
    )
    return shutil.which("orphan-reaper", path=folders)


def _is_allowed(ctx):
    try:
        return ctx.get_config("allow_sweep", False) is True
    except Exception:  # whatever the host's settings do: then it is not allowed
        return False


def _finish(child):
    """Ends the program, which is at work for too long, and leaves no zombie."""
    child.kill()
    try:
        child.wait(timeout=0.5)
    except subprocess.TimeoutExpired:  # the kernel does not let it go yet
        threading.Thread(target=child.wait, daemon=True).start()


def _hand_over():
    """Asks for a sweep and returns: the sweep itself is none of our children."""
    program = _program()
    if not program:
        return
    child = subprocess.Popen(  # pylint: disable=consider-using-with
        [program, *HAND_OVER],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        close_fds=True,
        cwd="/",
    )
    try:
        child.wait(timeout=HAND_OVER_SECONDS)
    except subprocess.TimeoutExpired:
        _finish(child)


def _say(*words):
    """What the program prints, of at most MOST_LINES lines."""
    program = _program()
    if not program:
        return MISSING
    try:
        done = subprocess.run(
            [program, *words, "--color", "never"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SHOW_SECONDS,
            start_new_session=True,
            cwd="/",
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"orphan-reaper {words[0]} took longer than {SHOW_SECONDS} s, and was stopped"
    except OSError as trouble:
        return f"orphan-reaper could not be started: {trouble}"
    lines = done.stdout.decode(errors="replace").splitlines() or ["nothing to say"]
    more = len(lines) - MOST_LINES
    if more > 0:
        lines[MOST_LINES:] = [f"... and {more} more lines: orphan-reaper {' '.join(words)}"]
    return "\n".join(lines)


def _answer(ctx, raw_args):
    words = (raw_args or "").split()
    if words in ([], ["status"], ["report"]):
        return _say("report")
    if len(words) == 2 and words[0] == "explain" and words[1].isascii() and words[1].isdigit():
        return _say("explain", words[1])
    if words == ["history"]:
        return _say("history")
    if words in (["sweep"], ["dry-run"]):
        return _say("sweep", "--dry-run")
    if words == ["sweep", "now"]:
        return _say("sweep") if _is_allowed(ctx) else NOT_ALLOWED
    return USAGE


def register(ctx):
    """Called by Hermes, once for each process that loads the plugin."""

    def on_session_finalize(**_payload):
        try:
            if _is_allowed(ctx):
                _hand_over()
        except Exception:  # a session ends whatever happens here; the timer sweeps, too
            pass

    async def orphans(raw_args="", **_more):
        # Apart from the loop, in which other sessions go on.
        return await asyncio.to_thread(_answer, ctx, raw_args)

    ctx.register_hook("on_session_finalize", on_session_finalize)
    ctx.register_command(
        "orphans",
        orphans,
        description="Which helper processes were left behind, and why",
        args_hint="[explain PID | history | sweep [now]]",
    )
