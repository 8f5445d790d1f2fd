"""A slash worker that does not end on TERM, and says that it was told."""
import os
import pathlib
import signal

folder = pathlib.Path(os.environ["DEMO_READY"])
signal.alarm(int(os.environ["DEMO_LIFE"]))
signal.signal(signal.SIGTERM, lambda *_: (folder / "told").touch())
(folder / str(os.getpid())).write_text(str(os.getpid()))
while True:
    signal.pause()
