"""An application that is process 1 and collects what it has adopted, as a server that was written
for containers does."""
import os
import signal


def collect(*_):
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


signal.signal(signal.SIGCHLD, collect)
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
while True:
    signal.pause()
