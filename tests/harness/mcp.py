"""A client of `orphan-reaper mcp`, in both eras of the protocol, without any library."""
import itertools
import json
import os
import select
import subprocess
import time

from .layout import put
from .product import environment
from .sandbox import expect

LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
ASKS = {"elicitation": {}}
YES = {"action": "accept", "content": {"confirm": True}}
# Helpers are old enough at once, and end soon: a call can only raise what the rules say.
QUICK = json.dumps(
    {"families": {name: {"min_age": "1ms", "grace": "1s"} for name in ("bridge", "slash_worker")}}
)


class Server:
    """name: of the client. can: its capabilities. grace: of helpers."""

    def __init__(
        self,
        stage,
        *arguments,
        version=MODERN,
        can=None,
        name="scene",
        uid=None,
        grace="1s",
        **more,
    ):
        uid = stage.uid if uid is None else uid
        config = []
        if uid:  # root trusts no file of a user
            rules = put(stage.layout.home / "quick.json", QUICK.replace("1s", grace))
            rules.chmod(0o644)
            config = ["--config", str(rules)]
        self.version, self.can, self.name = version, can or {}, name
        self.numbers, self.kept = itertools.count(1), []
        self.begun = b""
        self.process = subprocess.Popen(
            [
                *more.pop("before", ()),
                str(stage.layout.binary),
                "mcp",
                *config,
                *arguments,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            env=environment(stage.layout.home),
            user=uid,
            group=uid,
            extra_groups=[],
            **more,
        )
        if version in LEGACY:
            self.initialize()

    def initialize(self):
        opening = {
            "protocolVersion": self.version,
            "capabilities": self.can,
            "clientInfo": {"name": self.name, "version": "1"},
        }
        answer = self.request("initialize", opening)
        expect(answer["result"]["protocolVersion"] == self.version, str(answer))
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.write(json.dumps(message).encode() + b"\n")

    def read(self, seconds=30):
        """The next message of the server; None: it has closed its stdout."""
        end = time.monotonic() + seconds
        while b"\n" not in self.begun:
            ready, _, _ = select.select([self.process.stdout], [], [], end - time.monotonic())
            expect(ready, f"no answer; so far {self.begun[:200]}")
            piece = os.read(self.process.stdout.fileno(), 65536)
            if not piece:
                return None
            self.begun += piece
        line, self.begun = self.begun.split(b"\n", 1)
        expect(all(0x20 <= byte <= 0x7E for byte in line), f"not printable: {line[:200]}")
        message = json.loads(line)
        expect(message["jsonrpc"] == "2.0", str(message))
        return message

    def begin(self, method, params=None, number=None):
        """Sends a request and returns its id."""
        number = next(self.numbers) if number is None else number
        params = dict(params or {})
        if self.version not in LEGACY:
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": self.version,
                "io.modelcontextprotocol/clientInfo": {"name": self.name, "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": self.can,
            }
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def request(self, method, params=None, number=None):
        """Returns the answer to it, which has to be the next message."""
        number = self.begin(method, params, number)
        answer = self.read()
        expect(answer and answer.get("id") == number, f"{answer} does not answer {number}")
        return answer

    def call(self, tool, _more=None, **arguments):
        """Returns the result; _more: members of params beside the arguments."""
        params = {"name": tool, "arguments": arguments, **(_more or {})}
        answer = self.request("tools/call", params)
        expect("result" in answer, str(answer))
        return answer["result"]

    def work(self, tool, **arguments):
        """Returns what it structured; fails where the work did."""
        result = self.call(tool, **arguments)
        expect(not result["isError"], str(result))
        expect(json.loads(result["content"][0]["text"]) == result["structuredContent"], str(result))
        return result["structuredContent"]

    def sweep(self, plan_id, answer):
        """Has the question answered so; returns the result and the question."""
        params = {"name": "sweep", "arguments": {"plan_id": plan_id}}
        if self.version in LEGACY:
            number = self.begin("tools/call", params)
            question = self.read()
            expect(question["method"] == "elicitation/create", str(question))
            self.send({"jsonrpc": "2.0", "id": question["id"], "result": answer})
            said = self.read(60)
            expect(said["id"] == number, str(said))
            return said["result"], question["params"]
        number, question = self.begin_sweep(plan_id, answer)
        said = self.read(60)
        expect(said["id"] == number, str(said))
        return said["result"], question

    def begin_sweep(self, plan_id, answer):
        """In the new era: has the question answered so, and waits for nothing."""
        params = {"name": "sweep", "arguments": {"plan_id": plan_id}}
        first = self.request("tools/call", params)["result"]
        expect(first["resultType"] == "input_required", str(first))
        params["inputResponses"] = {"confirm": answer}
        params["requestState"] = first["requestState"]
        number = self.begin("tools/call", params)
        return number, first["inputRequests"]["confirm"]["params"]

    def ends(self, seconds=10):
        """Its exit status and what it wrote to stderr, once it has ended by itself."""
        status = self.process.wait(timeout=seconds)
        return status, self.process.stderr.read().decode(errors="replace")

    def close(self):
        """As a client does at its end."""
        self.process.stdin.close()
        status, err = self.ends()
        expect(status == 0 and not err, f"exit {status}: {err}")
