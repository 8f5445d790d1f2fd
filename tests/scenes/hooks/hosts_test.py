"""The hooks and the plugin in the real Claude Code, Codex, Gemini CLI and opencode, from npm and
without a network. Only `packaging/check --release` runs them, everything else counts them as
skipped."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import urllib.request

from harness import model_endpoint, npm, sandbox
from harness.actor import wait_until
from harness.agents import GEMINI, AgentsStage, install
from harness.layout import own_below, put
from harness.sandbox import NODE, case, expect

WANTED = "REAPER_LARGE_AGENTS"
ROOT = sandbox.HERE.parents[1]
large = sandbox.only_with(WANTED)
PLACE = pathlib.Path("/usr/local/bin/orphan-reaper")
# Writes down what it was asked for, and by which process.
RECORDS = '#!/bin/sh\necho "$PPID $@" >>"$HOME/said"\n'
CODEX = """model = "m"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "ADDRESS/v1"
wire_api = "responses"
[analytics]
enabled = false
"""


class HostStage(AgentsStage):
    """A home with stand-ins of the model and of the program that the hook names."""

    def __init__(self, packages, name):
        super().__init__(packages)
        self.home = self.layout.home
        self.program = self.modules / ".bin" / name
        self.address = model_endpoint.serve()
        sandbox.mount("tmpfs", "/usr/local/bin", "tmpfs", data="mode=755")
        put(PLACE, RECORDS, 0).chmod(0o755)
        self.project = self.home / "project"
        put(self.project / "README", "")

    def install(self, host):
        """While the name leads to the program under test; then it writes down again."""
        self.own_settings()
        PLACE.unlink()
        PLACE.symlink_to(self.layout.binary)
        done = self.reaper("hooks", "install", "--yes", host)
        expect(done.status == 0, done.explain())
        PLACE.unlink()
        put(PLACE, RECORDS, 0).chmod(0o755)

    def configure_codex(self):
        put(self.home / ".codex/config.toml", CODEX.replace("ADDRESS", self.address))

    def own_settings(self):
        """All but the packages, which are those of every test."""
        for folder in self.home.iterdir():
            if folder.name.startswith(".") or folder == self.project:
                own_below(folder, self.uid)

    def launch(self, *words):
        """The host as the user, where nothing but the stand-ins answers."""
        self.own_settings()
        interpreter = [NODE] if self.program.name in ("codex", "gemini") else []
        return subprocess.Popen(
            [*interpreter, str(self.program), *map(str, words)],
            cwd=self.project,
            env={
                "HOME": str(self.home),
                "PATH": "/usr/local/bin:/usr/bin:/bin",
                "ANTHROPIC_BASE_URL": self.address,
                "ANTHROPIC_API_KEY": "none",
                "OPENAI_API_KEY": "none",
                "GOOGLE_GEMINI_BASE_URL": self.address,
                "GEMINI_API_KEY": "none",
                "GEMINI_CLI_TRUST_WORKSPACE": "true",
                "npm_config_offline": "true",
                "DISABLE_AUTOUPDATER": "1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            },
            user=self.uid,
            group=self.uid,
            extra_groups=[],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run_host(self, *words, status=0):
        process = self.launch(*words)
        said, _none = process.communicate(timeout=120)
        expect(process.returncode == status, f"{words}: exit {process.returncode}: {said}")
        return said

    def wait_for_request(self, host):
        line = f"sweep --detach --after host --quiet --from {host}"
        said = self.home / "said"
        text = wait_until(lambda: said.exists() and said.read_text(), "the hook to run", 30)
        expect(text.partition(" ")[2] == line + "\n", text)


def market(stage):
    """The repository, as far as a marketplace goes."""
    target = stage.home / "market"
    for name in (".claude-plugin", ".agents"):
        shutil.copytree(ROOT / name, target / name)
    shutil.copytree(ROOT / "packaging/plugin", target / "packaging/plugin")
    own_below(target, stage.uid)
    return target


def installed_market(stage):
    """share/orphan-reaper, as far as a marketplace goes."""
    target = stage.home / "share"
    shutil.copytree(ROOT / "packaging/plugin", target / "plugin")
    text = (ROOT / "packaging/marketplace.json").read_text()
    put(target / ".claude-plugin/marketplace.json", text)
    own_below(target, stage.uid)
    return target


@case(timeout=300)
@large
def claude_code_finds_nothing_wrong_with_the_plugin():
    stage = HostStage("agents-claude-1", "claude")
    place = market(stage)
    for folder in (place, place / "packaging/plugin", installed_market(stage)):
        stage.run_host("plugin", "validate", "--strict", folder)
    broken = place / "packaging/plugin/.claude-plugin/plugin.json"
    broken.write_text('{"name": "Not Kebab"}')
    stage.run_host("plugin", "validate", "--strict", place / "packaging/plugin", status=1)


@case(timeout=300)
@large
def claude_code_runs_the_hook_of_the_plugin():
    expect_plugin_at_work(market)


@case(timeout=300)
@large
def claude_code_runs_the_hook_of_the_installed_plugin():
    expect_plugin_at_work(installed_market)


def expect_plugin_at_work(make_market):
    stage = HostStage("agents-claude-1", "claude")
    stage.run_host("plugin", "marketplace", "add", make_market(stage))
    stage.run_host("plugin", "install", "orphan-reaper@orphan-reaper")
    expect("ok" in stage.run_host("-p", "hi"), "the stand-in did not answer")
    said = stage.home / "said"
    text = (
        wait_until(lambda: said.exists() and "sweep" in said.read_text(), "the hook", 30)
        and said.read_text()
    )
    expect("sweep --detach --after host --quiet --from claude-code\n" in text, text)
    expect(" mcp\n" in text, f"the server was not started: {text}")


@case(timeout=300)
@large
def claude_code_runs_the_hook_of_its_settings():
    stage = HostStage("agents-claude-1", "claude")
    before = '{\n  "cleanupPeriodDays": 30\n}\n'
    settings = put(stage.home / ".claude/settings.json", before)
    stage.install("claude-code")
    stage.run_host("-p", "hi")
    stage.wait_for_request("claude-code")
    done = stage.reaper("hooks", "remove", "--yes", "claude-code")
    expect(done.status == 0 and settings.read_text() == before, settings.read_text())


@case(timeout=300)
@large
def codex_runs_the_hook_of_its_settings():
    stage = HostStage("agents-codex-1", "codex")
    stage.configure_codex()
    stage.install("codex")
    stage.run_host(
        "exec",
        "--skip-git-repo-check",
        "--dangerously-bypass-hook-trust",
        "hi",
    )
    stage.wait_for_request("codex")
    done = stage.reaper("hooks", "remove", "--yes", "codex")
    expect(done.status == 0 and not (stage.home / ".codex/hooks.json").exists(), done.explain())


@case(timeout=300)
@large
def codex_takes_the_plugin():
    stage = HostStage("agents-codex-1", "codex")
    stage.configure_codex()
    stage.run_host("plugin", "marketplace", "add", market(stage))
    stage.run_host("plugin", "add", "orphan-reaper@orphan-reaper")
    stage.run_host("exec", "--skip-git-repo-check", "hi")
    said = stage.home / "said"
    text = wait_until(lambda: said.exists() and said.read_text(), "the server to be started", 30)
    expect(text.endswith(" mcp\n"), text)


@case(timeout=300)
@large
def gemini_runs_the_hook_of_its_settings():
    stage = HostStage("agents-gemini-1", "gemini")
    before = '{"security": {"auth": {"selectedType": "gemini-api-key"}}}'
    settings = put(stage.home / ".gemini/settings.json", before)
    stage.install("gemini")
    expect("ok" in stage.run_host("-p", "hi"), "the stand-in did not answer")
    stage.wait_for_request("gemini")
    done = stage.reaper("hooks", "remove", "--yes", "gemini")
    expect(done.status == 0 and settings.read_text() == before, settings.read_text())


@case(timeout=300)
@large
def opencode_runs_its_plugin():
    """When a session is deleted."""
    stage = HostStage("agents-opencode-1", "opencode")
    put(stage.home / ".config/opencode/opencode.json", '{"autoupdate": false}')
    stage.install("opencode")
    address = "http://127.0.0.1:4197"
    with stage.launch("serve", "--port", "4197") as server:
        path = f"{address}/session?directory={stage.project}"
        session = wait_until(lambda: ask(path, "POST"), "opencode to answer", 60)
        ask(f"{address}/session/{session['id']}?directory={stage.project}", "DELETE")
        stage.wait_for_request("opencode")
        server.terminate()
        server.wait(timeout=30)


def ask(address, method):
    """The answer; none: there is none yet."""
    wanted = urllib.request.Request(
        address,
        b"{}" if method == "POST" else None,
        {"content-type": "application/json"},
        method=method,
    )
    try:
        with urllib.request.urlopen(wanted, timeout=30) as answer:
            return json.load(answer)
    except OSError:
        return None


if __name__ == "__main__":
    wanted = os.environ.get(WANTED) and sys.argv[1:2] not in (["--inside"], ["--list"])
    if wanted and not sandbox.missing_here():
        install("agents-claude-1", "agents-codex-1", "agents-opencode-1")
        npm.install("agents-gemini-1", *GEMINI)
    sandbox.main(__file__, globals())
