"""`sweep --detach` as the SessionEnd hook of the real Claude Code and Codex, from npm, which kill
what a hook has started when it takes too long. Large: only `packaging/check --release` runs them,
everything else counts them as skipped."""
import json
import os
import signal
import socket
import subprocess
import sys
import time

from detach_test import QUICKLY, expect_ended, expect_recorded, runs, sweepers, wait_for_none
from harness import npm, sandbox
from harness.actor import is_there, read_bytes, wait_until
from harness.agents import AgentsStage
from harness.layout import own_below, put
from harness.sandbox import NODE, PYTHON, case, expect

WANTED = "REAPER_LARGE_AGENTS"
INSTALLED = {
    "agents-claude-1": ["@anthropic-ai/claude-code@2.1.328"],
    "agents-codex-1": ["@openai/codex@0.169.0"],
}
LINKED = {
    "agents-claude-1": (
        "@anthropic-ai/claude-code-linux-x64/claude",
        "@anthropic-ai/claude-code/bin/claude.exe",
    ),
}
PORT = 18999
CODEX = f"""model = "m"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "http://127.0.0.1:{PORT}/v1"
wire_api = "responses"
[analytics]
enabled = false
"""
large = sandbox.only_with(WANTED)


def listens():
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", PORT)) == 0


class Session:
    """One session with one turn, of a user for whom a bridge was left behind before."""

    def __init__(self, name, then=""):
        self.name = name
        self.stage = stage = AgentsStage("agents-claude-1")
        stage.orphans([stage.bridge("bridge")])
        self.home = stage.layout.home
        words = [str(stage.layout.binary), "sweep", "--detach", *QUICKLY, "--from", name]
        self.hook = f"{' '.join(words)}; echo $$ > {stage.run}/hook{then}"
        model = [PYTHON, "-B", str(stage.layout.lib / "fake_model.py"), str(PORT)]
        subprocess.Popen(model, stdin=subprocess.DEVNULL)
        wait_until(listens, "the endpoint")

    def start(self):
        self.process = getattr(self, self.name.replace("-", "_"))()
        return self.process

    def run(self, argv, **environment):
        return subprocess.Popen(
            [str(word) for word in argv],
            cwd=self.home,
            env={
                "HOME": str(self.home),
                "PATH": "/usr/bin:/bin",
                "DISABLE_AUTOUPDATER": "1",
                **environment,
            },
            user=self.stage.uid,
            group=self.stage.uid,
            extra_groups=[],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def hooks(self, timeout):
        command = {"type": "command", "command": self.hook, "timeout": timeout}
        return json.dumps({"hooks": {"SessionEnd": [{"hooks": [command]}]}})

    def claude_code(self):
        put(self.home / ".claude/settings.json", self.hooks(2))
        own_below(self.home / ".claude", self.stage.uid)
        return self.run(
            [self.stage.links / "claude", "-p", "hi"],
            ANTHROPIC_BASE_URL=f"http://127.0.0.1:{PORT}",
            ANTHROPIC_API_KEY="none",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        )

    def codex(self):
        codex = self.stage.more_modules("agents-codex-1", "codex") / ".bin/codex"
        put(self.home / ".codex/config.toml", CODEX)
        put(self.home / ".codex/hooks.json", self.hooks(3))
        own_below(self.home / ".codex", self.stage.uid)
        trust = "--dangerously-bypass-hook-trust"
        return self.run(
            [NODE, codex, "exec", trust, "--skip-git-repo-check", "hi"], OPENAI_API_KEY="none"
        )

    def wait_for_hook(self):
        """The shell that runs it."""
        try:
            return int(wait_until(lambda: read_bytes(self.stage.run / "hook"), "the hook", 60))
        except AssertionError as error:
            self.process.kill()
            raise AssertionError(f"{error}: {self.process.communicate()[0]}") from None

    def expect_swept(self):
        expect_ended(self.stage, ["bridge"])
        wait_for_none()
        expect_recorded(self.stage, "bridge", self.name)


def ends_by_itself(name):
    """The sweep begins when the host has ended, and not before."""
    session = Session(name)
    process = session.start()
    session.wait_for_hook()
    out, _err = process.communicate(timeout=60)
    ended = time.time()
    session.expect_swept()
    expect(process.returncode == 0 and b"ok" in out, f"{process.returncode} {out}")
    expect(runs(session.stage)[-1]["at"] > ended - 1, f"{runs(session.stage)} {ended}")


def kills_its_hook(name):
    """As it takes longer than it may."""
    session = Session(name, then="; sleep 600")
    process = session.start()
    shell = session.wait_for_hook()
    expect(sweepers() and session.stage.actors["bridge"].alive(), "it waits")
    process.communicate(timeout=60)
    session.expect_swept()
    expect(not is_there(shell), "the host has killed its hook")


def is_killed(name):
    """In the middle of its hook."""
    session = Session(name, then="; sleep 600")
    process = session.start()
    session.wait_for_hook()
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    session.expect_swept()


@case(timeout=200)
@large
def claude_code_ends():
    ends_by_itself("claude-code")


@case(timeout=200)
@large
def claude_code_kills_its_hook():
    kills_its_hook("claude-code")


@case(timeout=200)
@large
def claude_code_is_killed():
    is_killed("claude-code")


@case(timeout=200)
@large
def codex_ends():
    ends_by_itself("codex")


@case(timeout=200)
@large
def codex_kills_its_hook():
    kills_its_hook("codex")


@case(timeout=200)
@large
def codex_is_killed():
    is_killed("codex")


if __name__ == "__main__":
    wanted = os.environ.get(WANTED) and sys.argv[1:2] not in (["--inside"], ["--list"])
    if wanted and not sandbox.missing_here():
        for folder, packages in INSTALLED.items():
            npm.install(folder, *packages, link=LINKED.get(folder))
    sandbox.main(__file__, globals())
