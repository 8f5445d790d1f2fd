"""A slash worker whose shell has started tmux, with a command in it: what
is to outlive the agent. DEMO_TMUX: tmux and its options; DEMO_PANE: the command."""
import os
import pathlib
import signal
import subprocess

signal.alarm(int(os.environ["DEMO_LIFE"]))
shell = '$DEMO_TMUX new-session -d -s kept "$DEMO_PANE"'
subprocess.run(["sh", "-c", shell], stdin=subprocess.DEVNULL, check=True)
pathlib.Path(os.environ["DEMO_READY"], str(os.getpid())).write_text(str(os.getpid()))
while True:
    signal.pause()
