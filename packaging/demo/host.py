"""host.py PLUGIN AGENT: a stand-in of a host; starts two bridges and a worker on pipes, as upstream
does, and waits to be killed."""
import os
import signal
import subprocess
import sys

plugin, agent = sys.argv[1:]
scope = "0123456789abcdef01234567"


def start(argv, cwd, **more):
    pipe = subprocess.PIPE
    return subprocess.Popen(argv, cwd=cwd, stdin=pipe, stdout=pipe, stderr=pipe, **more)


bridge = [
    "node",
    f"{plugin}/dist/bridge.mjs",
    "--agent=hermes",
    f"--runtime-scope={scope}",
    "--no-viewer",
]
worker = [
    sys.executable,
    "-m",
    "tui_gateway.slash_worker",
    "--session-key",
    "20260131_120000_demo01",
    "--model",
    "demo",
]
children = [
    start(bridge, plugin),
    start(bridge, plugin),
    start(worker, agent, start_new_session=True),
]
signal.alarm(int(os.environ.get("DEMO_LIFE", "120")))
while True:
    signal.pause()
