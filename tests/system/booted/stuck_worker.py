"""A slash worker that waits for a file system which does not answer: no signal ends it."""
import os
import pathlib
import signal
import time

folder = pathlib.Path(os.environ["DEMO_READY"])
signal.alarm(int(os.environ["DEMO_LIFE"]))
(folder / str(os.getpid())).write_text(str(os.getpid()))
while not pathlib.Path("/run/stuck/go").exists():
    time.sleep(0.02)
pathlib.Path("/run/stuck/mounted/file").read_text()
