"""The real npx: npm, its script shell and the server that it runs. One that would take a server
along that stays is not ended."""
import json
import shutil
import socket
import subprocess

from harness import actor, layout, sandbox
from harness.actor import parent_of, wait_until
from harness.product import finish
from harness.sandbox import NODE, PYTHON, case, expect
from harness.stage import Stage

# Echoes what it gets on its port, as soon as it is told to listen.
SERVER = """#!/usr/bin/env node
const fs = require('fs'), net = require('net');
const wish = JSON.parse(process.env.STANDIN);
const file = (ending) => `${wish.dir}/${wish.name}.${ending}`;
setTimeout(() => process.exit(99), 100000);
process.stdin.on('error', () => {}); process.stdin.resume();
const echo = (peer) => peer.on('error', () => {}).pipe(peer);
const listen = (then) => net.createServer(echo).listen(wish.port, '127.0.0.1', then);
const ready = () => fs.writeFileSync(file('ready'), String(process.pid));
if (wish.late) {
  const timer = setInterval(() => {
    if (!fs.existsSync(file('listen'))) return;
    clearInterval(timer);
    listen(() => fs.writeFileSync(file('listens'), ''));
  }, 20);
  ready();
} else if (wish.port) listen(ready);
else ready();
setInterval(() => fs.writeFileSync(file('beat'), String(Date.now())), 50);
"""


class NpxStage(Stage):
    def __init__(self, shell="sh"):
        super().__init__()
        if not shutil.which("npx") or not shutil.which(shell):
            raise sandbox.Skip(f"needs npx and {shell}")
        self.shell = shutil.which(shell)
        package = self.layout.home / "mcp-probe"
        layout.put(
            package / "package.json",
            json.dumps({"name": "mcp-probe", "version": "1.0.0", "bin": "server.js"}),
        )
        layout.put(package / "server.js", SERVER).chmod(0o755)
        layout.own_below(package, self.uid)
        self.rules = layout.put(
            self.layout.home / "agents.json",
            json.dumps({"families": {"mcp_server": {"enabled": True}}}),
        )

    def leak(self, name="probe", **wish):
        """npm is known as NAME-npm, what it runs as NAME."""
        environment = {
            "npm_config_script_shell": self.shell,
            "npm_config_offline": "true",
            "NO_UPDATE_NOTIFIER": "1",
        }
        self.start_host(
            "host",
            [
                self.child(
                    name,
                    ["npx", "--yes", "./mcp-probe"],
                    self.layout.home,
                    env=environment,
                    after=0,
                    **wish,
                )
            ],
            kind="node",
            lost=[name],
        )
        server = int(
            wait_until(lambda: actor.read_bytes(self.run / f"{name}.ready"), "the server", 30)
        )
        self.know(name, server)
        line = [server]
        while b"npm exec" not in actor.read_bytes(f"/proc/{line[-1]}/cmdline"):
            line.append(parent_of(line[-1]))
        self.know(f"{name}-npm", line[-1])
        expect(len(line) == (2 if self.shell.endswith("bash") else 3), f"the line is {line}")
        self.kill_host("host")

    def report(self, *arguments, **more):
        return super().report("--config", str(self.rules), *arguments, **more)

    def sweep(self, *arguments, **more):
        return super().sweep("--config", str(self.rules), *arguments, **more)

    def expect_npm_held(self, result):
        expect(result.status == 1, f"exit {result.status}, wanted 1: {result.explain()}")
        expect(not result.signalled(), result.explain())
        self.expect_verdicts(result, {"probe-npm": ("orphan", "report")})
        self.expect_evidence(result, "probe-npm", "veto.descendant")
        expect(self.actors["probe-npm"].alive() and self.actors["probe"].beats(), "both live")


def talks(client):
    client.sendall(b"hello")
    return client.recv(5) == b"hello"


def listening_server_keeps_npm(shell):
    stage = NpxStage(shell)
    stage.leak(port=8931)
    with socket.create_connection(("127.0.0.1", 8931)) as client:
        expect(talks(client), "before")
        stage.expect_npm_held(stage.report())
        for options in ([], ["--reap", "abandoned,duplicate,held,in-service"]):
            stage.expect_npm_held(stage.sweep(*options))
        expect(talks(client), "the client lost its server")


@case
def listening_server_below_a_shell():
    listening_server_keeps_npm("sh")


@case
def listening_server_that_replaced_its_shell():
    listening_server_keeps_npm("bash")


def silent_server_ends_with_npm(shell):
    stage = NpxStage(shell)
    stage.leak()
    result = stage.sweep()
    expect(result.status == 0, result.explain())
    stage.expect_ended(["probe", "probe-npm"])


@case
def silent_server_below_a_shell():
    silent_server_ends_with_npm("sh")


@case
def silent_server_that_replaced_its_shell():
    silent_server_ends_with_npm("bash")


@case
def traced_server_keeps_npm():
    stage = NpxStage("bash")
    stage.leak()
    server = stage.actors["probe"].pid
    tracer = subprocess.Popen(
        [PYTHON, "-B", str(stage.layout.lib / "tracer.py"), str(server), str(stage.run / "traced")]
    )
    wait_until((stage.run / "traced").exists, "the tracer")
    stage.expect_npm_held(stage.sweep())
    tracer.kill()
    tracer.wait()


@case
def server_that_begins_to_listen_after_the_plan():
    stage = NpxStage("bash")
    stage.leak(port=8931, late=True)
    expect(
        stage.report().process(stage.actors["probe-npm"].pid)["action"] == "reap",
        "it is leaked so far",
    )
    sweep = stage.start_reaper(
        "sweep", "--json", "--config", str(stage.rules), "--min-age", "1ms", "--settle", "3s"
    )
    wait_until(
        lambda: stage.layout.binary.name in actor.read_bytes(f"/proc/{sweep.pid}/comm").decode(),
        "the sweep",
    )
    (stage.run / "probe.listen").touch()
    wait_until((stage.run / "probe.listens").exists, "the server to listen")
    result = finish(sweep, 60)
    expect(result.status == 1 and not result.signalled(), result.explain())
    expect(stage.actors["probe-npm"].alive() and stage.actors["probe"].beats(), "both live")


@case
def server_that_begins_to_listen_before_the_kill():
    """Below a runner that ignores TERM."""
    stage = NpxStage("bash")
    script = layout.put(
        stage.layout.home / "probe.sh",
        'trap "echo TERM >> $TOLD" TERM\n"$@" &\n' 'while kill -0 $!; do wait $!; done\n',
    )
    rules = layout.put(
        stage.layout.home / "rules.json",
        json.dumps(
            {
                "families": {
                    "probe": {
                        "programs": [{"interpreters": ["bash"], "scripts": ["probe.sh"]}],
                        "roles": [{"name": "server", "flags": []}],
                        "home": [{"path": "~"}],
                    }
                }
            }
        ),
    )
    rules.chmod(0o600)
    server = stage.child(
        "probe",
        ["/bin/bash", script, NODE, stage.layout.home / "mcp-probe/server.js"],
        stage.layout.home,
        env={"TOLD": str(stage.run / "told")},
        port=8931,
        late=True,
    )
    stage.start_host("host", [server], lost=["probe"])
    wait_until(lambda: actor.read_bytes(stage.run / "probe.ready"), "the server")
    stage.know("probe", int(actor.read_bytes(stage.run / "probe.ready")))
    stage.know("shell", parent_of(stage.actors["probe"].pid))
    stage.kill_host("host")
    sweep = stage.start_reaper(
        "sweep",
        "--json",
        "--config",
        str(rules),
        "--min-age",
        "1ms",
        "--settle",
        "100ms",
        "--grace",
        "4s",
    )
    wait_until(lambda: (stage.run / "told").exists() or sweep.poll() is not None, "TERM")
    expect(sweep.poll() is None, finish(sweep, 1).explain() if sweep.poll() is not None else "")
    (stage.run / "probe.listen").touch()
    wait_until((stage.run / "probe.listens").exists, "the server to listen")
    result = finish(sweep, 60)
    outcome = result.outcome(stage.actors["shell"].pid)
    expect(outcome["result"] == "changed" and "KILL" not in outcome["signals"], result.explain())
    expect(stage.actors["shell"].alive() and stage.actors["probe"].beats(), "both live")


@case
def bridge_with_a_worker_of_its_own_ends():
    """What a helper has started for itself does not keep it, also where that listens."""
    stage = Stage()
    body = stage.layout.plugin / "dist/bridge.cjs"
    layout.put(
        body,
        f"const {{ spawn }} = require('child_process');\n"
        f"spawn(process.execPath, ['{stage.layout.lib}/standin.cjs'], {{ env: "
        f"{{ ...process.env, STANDIN: JSON.stringify({{ name: 'own', dir: '{stage.run}', port: "
        f"8932 }}) }} }});\n"
        f"require('{stage.layout.lib}/standin.cjs');\n",
    )
    stage.start_host(
        "host",
        [stage.bridge("bridge", "dist/bridge.cjs", ("--agent=hermes", "--no-viewer"))],
        lost=["bridge"],
    )
    wait_until((stage.run / "own.ready").exists, "its worker")
    stage.know(
        "bridge",
        int(wait_until(lambda: actor.read_bytes(stage.run / "bridge.ready"), "the bridge")),
    )
    stage.kill_host("host")
    result = stage.sweep()
    expect(result.status == 0, result.explain())
    stage.expect_ended(["bridge"])


if __name__ == "__main__":
    sandbox.main(__file__, globals())
