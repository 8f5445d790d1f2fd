"""packaging/plugin, and the marketplaces that lead there: in the form of Agent Plugins 1.0.0, and
with what `hooks install` writes."""
import json
import pathlib
import re

from harness import sandbox
from harness.layout import own_below, put
from harness.sandbox import case, expect
from harness.stage import Stage

ROOT = sandbox.HERE.parents[1]
PLUGIN = ROOT / "packaging/plugin"
SCHEMAS = "https://agent-plugins.org/schemas/1.0.0"
# All that the form allows.
MANIFEST_KEYS = {
    "$schema",
    "name",
    "version",
    "description",
    "author",
    "homepage",
    "repository",
    "license",
    "keywords",
    "extensions",
}


def read(path):
    return json.loads((ROOT / path).read_text())


@case
def the_manifests_have_their_form():
    manifest = read("packaging/plugin/plugin.json")
    expect(set(manifest) <= MANIFEST_KEYS, str(manifest))
    expect(manifest["$schema"] == f"{SCHEMAS}/plugin.schema.json", str(manifest))
    expect(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", manifest["name"]), manifest["name"])
    servers = read("packaging/plugin/mcp.json")
    expect(set(servers) == {"$schema", "mcpServers"}, str(servers))
    expect(servers["$schema"] == f"{SCHEMAS}/mcp.schema.json", str(servers))
    for server in servers["mcpServers"].values():
        expect(set(server) <= {"type", "command", "args", "env", "cwd"}, str(server))
        expect(server["type"] == "stdio" and " " not in server["command"], str(server))
        # A person, and not a plugin, allows that something is ended.
        expect(server["args"] == ["mcp"], str(server))
    for_claude = read("packaging/plugin/.mcp.json")["mcpServers"]
    without_type = {
        name: {key: value for key, value in one.items() if key != "type"}
        for name, one in servers["mcpServers"].items()
    }
    expect(for_claude == without_type, str(for_claude))


@case
def every_manifest_has_the_version_of_the_program():
    (version,) = re.findall(
        r"project\(orphan-reaper VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()
    )
    for path in ("plugin.json", ".claude-plugin/plugin.json"):
        expect(read(f"packaging/plugin/{path}")["version"] == version, path)
    for name in ("plugin.yaml", "catalog-entry.yaml"):
        text = (ROOT / "packaging/plugin-hermes" / name).read_text()
        expect(f'version: "{version}"' in text, name)


@case
def marketplaces_lead_to_the_plugin():
    name = read("packaging/plugin/plugin.json")["name"]
    (for_claude,) = read(".claude-plugin/marketplace.json")["plugins"]
    (for_codex,) = read(".agents/plugins/marketplace.json")["plugins"]
    for entry, place in (
        (for_claude, for_claude["source"]),
        (for_codex, for_codex["source"]["path"]),
    ):
        expect(entry["name"] == name, str(entry))
        expect((ROOT / place).samefile(PLUGIN), place)
    # The one that is installed beside the folder of the plugin.
    installed = read("packaging/marketplace.json")
    (beside,) = installed["plugins"]
    expect(beside["source"] == "./plugin", str(beside))
    with_plugins = {**installed, "plugins": [{**beside, "source": for_claude["source"]}]}
    expect(with_plugins == read(".claude-plugin/marketplace.json"), str(installed))
    expect(len((PLUGIN / "README.md").read_text().split()) >= 40, "the README is too short")


@case
def the_hook_is_the_one_that_install_writes():
    stage = Stage()
    sandbox.mount("tmpfs", "/usr/local/bin", "tmpfs", data="mode=755")
    pathlib.Path("/usr/local/bin/orphan-reaper").symlink_to(stage.layout.binary)
    put(stage.layout.home / ".claude/settings.json", "{}")
    own_below(stage.layout.home, stage.uid)
    done = stage.reaper("hooks", "install", "--yes", "claude-code")
    expect(done.status == 0, done.explain())
    written = json.loads((stage.layout.home / ".claude/settings.json").read_text())
    shipped = read("packaging/plugin/hooks/hooks.json")
    expect(shipped["hooks"] == written["hooks"], f"{shipped} {written}")


if __name__ == "__main__":
    sandbox.main(__file__, globals())
