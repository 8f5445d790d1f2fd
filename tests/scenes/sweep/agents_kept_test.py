"""Fifty healthy processes of other agents' hosts, nineteen that only look like theirs, and three
that are leaked: with the pack `agents` on and every option, the three end and no other is touched.
The program that does nothing has the place and the command line of each real one, as they were
measured."""
import json
import os
import shutil

from harness import actor, sandbox
from harness.layout import own_below, put
from harness.sandbox import case, expect
from harness.stage import Stage

MODULES = "npm/lib/node_modules"
LINKS = "work/node_modules/.bin"
NPX = ".npm/_npx/15b07286cbcc3329/node_modules/.bin"
CLAUDE = f"{MODULES}/@anthropic-ai/claude-code/bin/claude.exe"
VERSION = ".local/share/claude/versions/2.1.328"
SDK = f"{MODULES}/@anthropic-ai/claude-agent-sdk-linux-x64/claude"
CODEX = f"{MODULES}/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
MANAGED = ".codex/packages/app-server-daemon/releases/0.169.0/bin/codex"
OPENCODE = f"{MODULES}/opencode-ai/bin/opencode.exe"
DEVTOOLS = f"{MODULES}/chrome-devtools-mcp/build/src"
NODE, BASH, PYTHON, CHROME = "bin/node", "bin/bash", "bin/python3.11", "lib/chromium/chromium"
BUN, UV = f"{MODULES}/bun/bin/bun.exe", ".local/bin/uv"
SNAPSHOT = "source ~/.claude/shell-snapshots/snapshot-bash-1795-a1.sh 2>/dev/null && eval 'make'"
PROFILE = "--user-data-dir=/tmp/playwright_chromiumdev_profile-Ab12"

# (its program below the home, its argv), "@" for the home. These have a host that lives.
ATTACHED = [
    (CLAUDE, [f"@/{LINKS}/claude"]),
    (CLAUDE, ["claude", "--continue"]),
    (VERSION, ["claude"]),
    (VERSION, ["claude", "attach", "5f0b5f0b"]),
    (CLAUDE, ["claude", "-p", "--input-format", "stream-json", "--output-format", "stream-json"]),
    (CLAUDE, ["claude", "mcp", "serve"]),
    (CLAUDE, [f"@/{CLAUDE}", "--session-id", "5f0b", "look at it"]),
    (SDK, [f"@/{SDK}", "--output-format", "stream-json", "--mcp-config", "{}"]),
    (NODE, ["claude"]),
    (NODE, ["node", f"@/{MODULES}/@agentclientprotocol/claude-agent-acp/dist/index.js"]),
    (NODE, ["node", f"@/{MODULES}/@zed-industries/claude-code-acp/dist/index.js"]),
    (NODE, ["npm exec @zed-industries/claude-code-acp"]),
    (NODE, ["node", f"@/{LINKS}/codex", "app-server"]),
    (CODEX, [f"@/{CODEX}"]),
    (CODEX, [f"@/{CODEX}", "app-server"]),
    (CODEX, [f"@/{CODEX}", "app-server", "--listen", "ws://127.0.0.1:7001"]),
    (NODE, ["node", f"@/{LINKS}/gemini"]),
    (NODE, ["node", "--max-old-space-size=12052", f"@/{LINKS}/gemini", "--acp"]),
    (OPENCODE, [f"@/{LINKS}/opencode"]),
    (OPENCODE, [f"@/{LINKS}/opencode", "acp"]),
    (OPENCODE, [f"@/{LINKS}/opencode", "serve", "--port", "7002"]),
    (NODE, ["openclaw-gateway"]),
    ("bin/copilot", ["copilot", "--server", "--stdio", "--no-auto-update"]),
    ("bin/goose", ["goose", "acp"]),
    ("goose/bin/goosed", ["goosed"]),
    (NODE, ["node", f"@/{MODULES}/@kiro/agent/dist/server/acp-server.js", "--transport=stdio"]),
    (NODE, ["npm exec @modelcontextprotocol/server-filesystem /srv"]),
    (NODE, ["node", f"@/{NPX}/mcp-server-filesystem", "/srv"]),
    (NODE, ["node", f"@/{LINKS}/mcp-server-memory"]),
    (NODE, ["node", f"@/{LINKS}/mcp-remote", "http://127.0.0.1:9/sse"]),
    (NODE, ["node", f"@/{LINKS}/supergateway", "--stdio", "x"]),
    (NODE, ["node", f"@/{MODULES}/@playwright/mcp/cli.js"]),
    (NODE, ["chrome-devtools-mcp"]),
    (NODE, ["node", f"@/{DEVTOOLS}/telemetry/watchdog/main.js", "--app-version=1.11.0"]),
    (BUN, ["bun", f"@/{LINKS}/mcp-server-memory"]),
    (UV, ["uv", "tool", "uvx", "chroma-mcp"]),
    (PYTHON, ["python", "@/.cache/uv/archive-v0/Zx1/bin/mcp-server-git"]),
    (NODE, ["node", f"@/{LINKS}/typescript-language-server", "--stdio"]),
    (NODE, ["node", f"@/{MODULES}/typescript/lib/tsserver.js", "--useNodeIpc"]),
    (BASH, ["/bin/bash", "-c", "-l", SNAPSHOT]),
    (CHROME, ["chromium", "--headless", "--remote-debugging-pipe", PROFILE]),
]
# These have pid 1 as their parent, on purpose.
DAEMONS = [
    (CLAUDE, [f"@/{CLAUDE}", "daemon", "run", "--origin", "transient", "--spawned-by", "{}"]),
    (VERSION, ["claude", "daemon", "run", "--origin", "transient"]),
    (CLAUDE, ["claude bg-pty-host", "--bg-pty-host", "/tmp/cc/a.sock", "80", "24", "--", "claude"]),
    (CLAUDE, ["claude bg-spare"]),
    (MANAGED, [f"@/{MANAGED}", "app-server", "--listen", "unix://", "--managed-daemon"]),
    (MANAGED, [f"@/{MANAGED}", "app-server", "daemon", "pid-update-loop"]),
    (OPENCODE, ["opencode.exe", "serve", "--service"]),
    (NODE, ["node", f"@/{DEVTOOLS}/daemon/daemon.js", "--viaCli"]),
    (NODE, ["node", "@/.claude/plugins/app-server-broker.mjs", "serve", "--endpoint", "unix:/s"]),
    (BUN, ["bun", "@/.claude/plugins/claude-mem/worker-service.cjs", "--daemon"]),
    (NODE, ["node", f"@/{MODULES}/openclaw/dist/process/spawn-broker/worker.js"]),
]
# Their parent is gone, too, and nothing holds their stdio.
LOOK_ALIKES = [
    ("bin/claude", ["claude"]),
    ("bin/claude.exe", ["claude.exe", "--continue"]),
    (NODE, ["node", "@/claude/versions/2/run.js"]),
    (NODE, ["node", "@/codex-notes/server.js"]),
    ("bin/codex-notes", ["codex", "app-server"]),
    ("bin/vim", ["vim", f"@/{LINKS}/mcp-server-memory"]),
    ("bin/tail", ["tail", "-f", "@/.claude/daemon.log"]),
    ("bin/goose", ["goose", "migrate", "up"]),
    ("bin/copilot", ["copilot", "init"]),
    (NODE, ["node", "@/mcp/server.js"]),
    (NODE, ["node", "@/mcp/node_modules/.bin/next", "dev"]),
    (NODE, ["node", "@/w/node_modules/.pnpm/next@15_mcp@1/node_modules/next/dist/bin/next"]),
    (NODE, ["node", "@/w/node_modules/next/dist/mcp/server.js"]),
    (NODE, ["node", f"@/{LINKS}/vite", "mcp"]),
    (NODE, ["node", "-e", "1", f"@/{LINKS}/mcp-server-memory"]),
    (BUN, ["bun", "@/mcp-demo/etl.ts"]),
    (UV, ["uv", "run", "mcp-atlassian"]),
    (BASH, ["bash", "-c", "grep source ~/.claude/shell-snapshots/snapshot-x"]),
    (PYTHON, ["python", "train.py", "--model", "mcp"]),
]
LEAKED = [
    (NODE, ["node", f"@/{LINKS}/mcp-server-memory"]),
    (NODE, ["chrome-devtools-mcp"]),
    (NODE, ["npm exec @modelcontextprotocol/server-github"]),
]


# Leaked, and only ever reported.
REPORTED = [
    (CLAUDE, [f"@/{LINKS}/claude", "-p", "--output-format", "stream-json"]),
    (CODEX, [f"@/{CODEX}", "app-server"]),
    (NODE, ["claude"]),
    (NODE, ["node", f"@/{LINKS}/gemini", "--acp"]),
    (BASH, ["/bin/bash", "-c", "-l", SNAPSHOT]),
    (CHROME, ["chromium", "--headless=new", "--remote-debugging-pipe", PROFILE]),
]


class KeptStage(Stage):
    def __init__(self):
        super().__init__()
        self.rules = put(self.layout.home / "agents.json", json.dumps({"packs": ["agents"]}))
        self.shapes = {}

    def place(self, path):
        """The program that does nothing, as if it were that one."""
        program = self.layout.home / path
        if not program.exists():
            program.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(os.environ["REAPER_IDLE"], program)
        return str(program)

    def children(self, prefix, rows):
        made = []
        for number, (path, argv) in enumerate(rows):
            name = f"{prefix}-{number}"
            argv = [word.replace("@/", f"{self.layout.home}/") for word in argv]
            words = ["/bin/bash", "-c", 'exec -a "$0" "$@"', argv[0], self.place(path), *argv[1:]]
            ready = {"STANDIN_READY": str(self.run / f"{name}.ready")}
            made.append(self.child(name, words, self.layout.home, env=ready))
            self.shapes[name] = (self.place(path), argv)
        return made

    def expect_shapes(self):
        """They are what the tables say, to the letter."""
        for name, (program, argv) in self.shapes.items():
            pid = self.actors[name].pid
            words = actor.read_bytes(f"/proc/{pid}/cmdline").decode().split("\0")[:-1]
            expect(words == argv, f"{name}: {words}, wanted {argv}")
            expect(os.readlink(f"/proc/{pid}/exe") == program, f"{name} runs another program")


@case
def only_the_leaked_ones_end():
    expect(len(ATTACHED) + len(DAEMONS) >= 50, f"{len(ATTACHED)} + {len(DAEMONS)} healthy ones")
    expect(len(LOOK_ALIKES) >= 19, f"{len(LOOK_ALIKES)} look-alikes")
    stage = KeptStage()
    own_below(stage.layout.home, stage.uid)
    stage.start_host("living", stage.children("attached", ATTACHED), "node")
    gone = [("daemon", DAEMONS), ("stranger", LOOK_ALIKES), ("leaked", LEAKED)]
    stage.orphans([child for row in gone for child in stage.children(*row)], "node")
    stage.expect_shapes()
    own = [name for name in stage.shapes if name.startswith("leaked-")]
    kept = [name for name in stage.shapes if name not in own]
    config = ("--config", str(stage.rules))
    report = stage.report(*config)
    stage.expect_verdicts(report, {name: ("orphan", "reap") for name in own})
    healthy = [name for name in kept if not name.startswith("stranger-")]
    stage.expect_verdicts(report, {name: ("attached", "keep") for name in healthy})
    stage.expect_not_listed(report, [name for name in kept if name.startswith("stranger-")])
    for options in ((), ("--reap", "abandoned,duplicate,held,in-service")):
        result = stage.sweep(*config, *options)
        expect(result.status == 0, result.explain())
    stage.expect_ended(own)
    dead = [name for name in kept if not stage.actors[name].alive()]
    expect(not dead, f"ended, but must live: {dead}")


@case
def agents_shells_and_browsers_are_reported():
    stage = KeptStage()
    own_below(stage.layout.home, stage.uid)
    stage.orphans(stage.children("reported", REPORTED), "node")
    stage.expect_shapes()
    config = ("--config", str(stage.rules))
    report = stage.report(*config)
    stage.expect_verdicts(report, {name: ("orphan", "report") for name in stage.shapes})
    result = stage.sweep(*config, "--reap", "abandoned,duplicate,held,in-service")
    expect(result.status == 1 and not result.signalled(), result.explain())
    dead = [name for name in stage.shapes if not stage.actors[name].alive()]
    expect(not dead, f"ended, but only to be reported: {dead}")


if __name__ == "__main__":
    sandbox.main(__file__, globals())
