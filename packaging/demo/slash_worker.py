"""A stand-in with the argv of a slash worker: it never looks at its stdin again, as leaked ones
do."""
import os
import pathlib
import signal

signal.alarm(int(os.environ.get("DEMO_LIFE", "120")))
pathlib.Path(os.environ["DEMO_READY"], str(os.getpid())).write_text(str(os.getpid()))
while True:
    signal.pause()
