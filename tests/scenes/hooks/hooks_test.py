"""`hooks`: the settings of six hosts, before, between and after."""
import json
import os
import pathlib
import pty
import pwd
import re
import shutil
import stat
import subprocess

import jsonschema

from harness import sandbox
from harness.actor import wait_until
from harness.layout import OTHER_UID, own_below, put
from harness.sandbox import NODE, case, expect
from harness.stage import Stage

ROOT = sandbox.HERE.parents[1]
SCHEMA = jsonschema.Draft202012Validator(
    json.loads((ROOT / "packaging/schema/orphan-reaper-hooks.schema.json").read_text())
)
CLAUDE = '{\n  "model": "x",\n  "hooks": { },\n  "env": {"A_KEY": "s3cret"}\n}\n'
CODEX = '{"hooks":{"SessionEnd":[{"hooks":[{"type":"command","command":"true"}]}]}}'
GEMINI = '{\r\n\t"theme": "\u00e9\\u00e9",\r\n\t"big": 123456789012345678901234567890\r\n}'
CURSOR = '{\n    "version": 1,\n    "hooks": {\n        "stop": []\n    }\n}\n'
HERMES = "# mine\nmodel: x  # fast\nhooks:\n    pre_tool_call:\n    - command: 'true'\n\nlast: [1]"
FILES = {
    ".claude/settings.json": CLAUDE,
    ".codex/hooks.json": CODEX,
    ".gemini/settings.json": GEMINI,
    ".cursor/hooks.json": CURSOR,
    ".config/opencode/opencode.json": "{}",
    ".hermes/config.yaml": HERMES,
}
HOSTS = ["claude-code", "codex", "gemini", "cursor", "opencode", "hermes"]
MODULE = ".config/opencode/plugins/orphan-reaper.js"


class Hooks:
    """The home of u, with the settings of every host."""

    def __init__(self, files=None):
        self.stage = Stage()
        self.home = self.stage.layout.home
        for name, text in (FILES if files is None else files).items():
            path = put(self.home / name, "")
            path.write_bytes(text.encode())
        own_below(self.home, self.stage.uid)

    def run(self, *words, status=0, **more):
        done = self.stage.reaper("hooks", *words, **more)
        expect(
            done.status == status, f"{words}: wanted {status}: {done.status} {done.out}{done.err}"
        )
        return done

    def states(self, status, words=(), **more):
        said = self.run("status", "--json", *words, status=status, **more).json
        SCHEMA.validate(said)
        return {one["host"]: one["state"] for one in said["hosts"]}

    def read(self, name):
        return (self.home / name).read_text()

    def everything(self):
        """Every path of the home with its kind, mode, owner and content."""
        found = {}
        for path in sorted(self.home.rglob("*")):
            status = path.lstat()
            content = os.readlink(path) if path.is_symlink() else None
            if stat.S_ISREG(status.st_mode):
                content = path.read_bytes()
            found[str(path)] = (oct(status.st_mode), status.st_uid, status.st_gid, content)
        return found


@case
def every_file_is_afterwards_what_it_was_before():
    one = Hooks()
    (one.home / ".codex/hooks.json").chmod(0o600)
    # As managers of dotfiles have it.
    (one.home / "dotfiles").mkdir()
    (one.home / ".gemini/settings.json").rename(one.home / "dotfiles/gemini.json")
    (one.home / ".gemini/settings.json").symlink_to("../dotfiles/gemini.json")
    own_below(one.home, one.stage.uid)
    before = one.everything()
    expect(set(one.states(1).values()) == {"not installed"}, "before")
    said = one.run("install", "--yes").out
    expect("s3cret" not in said, said)
    expect(set(one.states(0).values()) == {"installed"}, "installed")
    expect((one.home / ".gemini/settings.json").is_symlink(), "the link")
    during = one.everything()
    codex = str(one.home / ".codex/hooks.json")
    expect(during[codex][:3] == before[codex][:3], f"{during[codex]} {before[codex]}")
    expect("installed already" in one.run("install", "--yes").out, "again")
    expect(one.everything() == during, "a second installation changes something")
    one.run("remove", "--yes")
    after = one.everything()
    wrong = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    expect(not wrong, f"{wrong}: {[(before.get(path), after.get(path)) for path in wrong]}")
    expect("there is no hook" in one.run("remove").out, "a second removal")


@case
def files_that_were_not_there_are_gone_again():
    folders = [".claude", ".codex", ".gemini", ".cursor", ".config/opencode", ".hermes"]
    one = Hooks({f"{folder}/other": "" for folder in folders})
    before = one.everything()
    one.run("install", "--yes")
    expect(set(one.states(0).values()) == {"installed"}, "installed")
    one.run("remove", "--yes")
    expect(one.everything() == before, str(one.everything()))
    # A folder that was there stays, and one with another file in it.
    (one.home / MODULE).parent.mkdir()
    own_below(one.home / ".config", one.stage.uid)
    one.run("install", "--yes", "opencode")
    one.run("remove", "--yes", "opencode")
    expect((one.home / MODULE).parent.is_dir(), "the folder of before")


@case
def what_the_hosts_are_given():
    one = Hooks()
    one.run("install", "--yes")
    program = one.stage.layout.binary
    for host, name, event in (
        ("claude-code", ".claude/settings.json", "SessionEnd"),
        ("codex", ".codex/hooks.json", "SessionEnd"),
        ("gemini", ".gemini/settings.json", "SessionEnd"),
        ("cursor", ".cursor/hooks.json", "sessionEnd"),
    ):
        own = json.loads(one.read(name))["hooks"][event][-1]
        handler = own if host == "cursor" else own["hooks"][0]
        line = f"{program} sweep --detach --after host --quiet --from {host}"
        silent = " >/dev/null 2>&1" if host == "gemini" else ""
        expect(handler["command"] == line + silent, str(handler))
        wanted = {"claude-code": 2, "codex": 3, "gemini": 2000, "cursor": None}[host]
        expect(handler.get("timeout") == wanted, str(handler))
    line = f'    - command: "{program} sweep --detach --after host --quiet --from hermes"\n'
    expect("    on_session_finalize:\n  " + line in one.read(".hermes/config.yaml"), HERMES)


@case
def a_file_that_the_host_has_written_anew_loses_only_the_hook():
    one = Hooks()
    one.run("install", "--yes")
    for name in (".claude/settings.json", ".codex/hooks.json", ".cursor/hooks.json"):
        said = {"new": [1], **json.loads(one.read(name))}
        put(one.home / name, json.dumps(said, indent=2), one.stage.uid)
    config = one.read(".hermes/config.yaml").replace("# mine\n", "# yours\nnew: 1\n")
    put(one.home / ".hermes/config.yaml", config, one.stage.uid)
    one.run("remove", "--yes")
    for name, text in ((".claude/settings.json", CLAUDE), (".codex/hooks.json", CODEX)):
        wanted = json.dumps({"new": [1], **json.loads(text)}, indent=2)
        expect(one.read(name) == wanted, f"{one.read(name)} {wanted}")
    wanted = HERMES.replace("# mine\n", "# yours\nnew: 1\n")
    expect(one.read(".hermes/config.yaml").rstrip("\n") == wanted, one.read(".hermes/config.yaml"))
    expect(not list(one.home.rglob("*.before-orphan-reaper")), "a backup is left")


@case
def it_asks_before_it_changes_anything():
    one = Hooks()
    before = one.everything()
    refused = one.run("install", status=2)
    expect("--yes" in refused.err and not refused.out, refused.err)
    said = one.run("install", "--dry-run").out
    expect(said.count("\nchange ") + said.startswith("change ") == 5, said)
    expect("make " in said and "Nothing" not in said, said)
    expect(one.everything() == before, "a dry run has changed something")
    for answer, status in (("n\n", 1), ("\n", 1), ("y\n", 0)):
        expect(one.everything() == before, "it was changed unasked")
        text, found = on_terminal(one, answer, "install")
        expect(found == status and "change this? [y/N]" in text, f"{found} {text}")
    expect(set(one.states(0).values()) == {"installed"}, "installed")
    text, found = on_terminal(one, "y\n", "remove")
    expect(found == 0, text)
    expect(one.everything() == before, "removed")


@case
def a_file_that_changes_while_it_asks_is_left_alone():
    one = Hooks()
    settings = one.home / ".codex/hooks.json"
    before = one.everything()
    text, status = on_terminal(
        one, "y\n", "install", "codex", first=lambda: settings.write_text('{"new": 1}')
    )
    expect(status == 4 and "has changed meanwhile" in text, f"{status} {text}")
    expect(settings.read_text() == '{"new": 1}', settings.read_text())
    settings.write_text(CODEX)
    expect(one.everything() == before, "something else was changed")


def on_terminal(one, answer, *words, first=lambda: None):
    """What a person sees, and the exit status. first: what happens before the answer."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [str(one.stage.layout.binary), "hooks", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={"HOME": str(one.home), "PATH": "/usr/bin:/bin"},
        user=one.stage.uid,
        group=one.stage.uid,
        extra_groups=[],
        start_new_session=True,
    )
    os.close(theirs)
    text = read_until(ours, b"[y/N] ")
    first()
    os.write(ours, answer.encode())
    text += read_until(ours, None)
    os.close(ours)
    return text.decode(), process.wait(timeout=30)


def read_until(terminal, end):
    """Up to that text, or all."""
    text = b""
    while end is None or end not in text:
        try:
            more = os.read(terminal, 4096)
        except OSError:  # nothing holds the other end any more
            return text
        if not more:
            return text
        text += more
    return text


@case
def what_is_not_understood_is_not_changed():
    one = Hooks()
    wrong = {
        "gemini": (".gemini/settings.json", "{} // mine", "has comments"),
        "codex": (".codex/hooks.json", '{"a": 1,}', "no JSON object"),
        "claude-code": (".claude/settings.json", '{"x": "' + "y" * (1 << 20) + '"}', "large"),
        "cursor": (".cursor/hooks.json", '{"version": 1, "hooks": []}', "no object"),
        "opencode": (MODULE, "// mine\n", "was not written by install"),
        "hermes": (".hermes/config.yaml", "a: 1\n---\nb: 2\n", "no plain key"),
    }
    for name, text, _why in wrong.values():
        put(one.home / name, text)
    own_below(one.home, one.stage.uid)
    before = one.everything()
    for host, (_name, _text, why) in wrong.items():
        status = 4 if host == "claude-code" else 3
        said = one.run("install", "--yes", host, status=status).out
        expect(why in said, f"{host}: {said}")
        expect(host == "opencode" or f"--from {host}" in said, f"{host}, by hand: {said}")
    expect(one.everything() == before, "something was changed")
    states = one.states(4)
    expect(states["codex"] == states["hermes"] == "unknown", str(states))
    expect(states["gemini"] == "not installed", str(states))


@case
def a_hook_that_a_person_has_changed_is_left_alone():
    one = Hooks()
    one.run("install", "--yes", "claude-code", "hermes")
    for name in (".claude/settings.json", ".hermes/config.yaml"):
        text = one.read(name).replace("--quiet", "--quiet --min-age 10s")
        put(one.home / name, text, one.stage.uid)
    before = one.everything()
    states = one.states(0, words=("claude-code", "hermes"))
    expect(set(states.values()) == {"installed by hand"}, str(states))
    said = one.run("install", "--yes", "claude-code", "hermes").out
    expect(said.count("by hand: it is left as it is") == 2, said)
    for words in (["--yes"], ["--dry-run"]):
        said = one.run("remove", *words, "claude-code", "hermes", status=3).out
        expect(said.count("take it out by hand") == 2 and "line " in said, said)
    expect(one.everything() == before, "something was changed")


@case
def it_says_that_mcp_servers_are_only_counted():
    one = Hooks()
    remark = "MCP servers of these hosts are only counted, not ended: put "
    expect(remark not in one.run("status", status=1).out, "before any hook")
    expect(remark not in one.run("install", "--yes", "hermes").out, "Hermes")
    expect(remark not in one.run("status", status=1).out, "only Hermes has one")
    said = one.run("install", "--yes", "codex").out
    expect(remark in said, said)
    expect(remark in one.run("install", "codex").out, "it is there already")
    expect(one.run("status", "--json", "codex").json["ends_agents"] is False, "JSON")
    said = one.run("status", "codex").out
    rule, path = re.search(re.escape(remark) + "(.*) into (.*), see", said).groups()
    expect(path == f"{one.home}/.config/orphan-reaper/rules.d/agents.json", said)
    put(pathlib.Path(path), rule).chmod(0o644)
    own_below(one.home, one.stage.uid)
    expect(remark not in one.run("status", "codex").out, "after it was typed")
    expect(one.run("status", "--json", "codex").json["ends_agents"] is True, "JSON")
    expect(remark not in one.run("install", "--yes", "gemini").out, "gemini")
    put(pathlib.Path(path), "{").chmod(0o644)
    expect(remark not in one.run("status", "codex").out, "rules that cannot be read")
    said = one.run("status", "--json", "codex").json
    SCHEMA.validate(said)
    expect(said["ends_agents"] is None, str(said))


@case
def what_root_is_told():
    one = Hooks()
    own = pathlib.Path(pwd.getpwuid(0).pw_dir)
    put(own / ".codex/x", "", 0)
    differs = f"about {own}, the home of its user, and not about HOME, which is {one.home}"
    for words in (["status", "codex"], ["install", "--dry-run", "codex"], ["status"]):
        status = 1 if words[0] == "status" else 0
        said = one.run(*words, uid=0, status=status).out
        expect(differs in said, f"{words}: {said}")
        said = one.run(*words, uid=0, home=own, status=status).out
        expect("HOME" not in said, f"{words}: {said}")
    said = one.run("install", "--yes", uid=0, home=own).out
    rule, path = re.search(r"not ended: put (.*) into (.*), see", said).groups()
    expect(path == f"{own}/.config/orphan-reaper/rules.d/agents.json", said)
    put(pathlib.Path(path), rule, 0).chmod(0o644)
    said = one.run("status", "--json", "codex", uid=0).json
    expect(said["ends_agents"] is True, str(said))
    expect("HOME" not in one.run("status", status=1).out, "not root")


@case
def the_hook_of_the_manual_is_enough():
    """As the page shows it, by a person, in the event of each host."""
    page = (ROOT / "packaging/man/orphan-reaper.1").read_text()
    (line,) = re.findall(r"^\.Dl \$ (orphan\\-reaper sweep \\-\\-detach.*)$", page, re.M)
    line = line.replace("\\-", "-")
    one = Hooks()
    handler = {"type": "command", "command": line}
    group = json.dumps({"hooks": {"SessionEnd": [{"hooks": [handler]}]}}, indent=1)
    cursor = json.dumps({"version": 1, "hooks": {"sessionEnd": [{"command": line}]}})
    hermes = f"a: 1\nhooks:\n  on_session_finalize:\n  - command: {line}\n"
    for name in (".claude/settings.json", ".codex/hooks.json", ".gemini/settings.json"):
        put(one.home / name, group, one.stage.uid)
    put(one.home / ".cursor/hooks.json", cursor, one.stage.uid)
    put(one.home / ".hermes/config.yaml", hermes, one.stage.uid)
    before = one.everything()
    hosts = [host for host in HOSTS if host != "opencode"]
    states = one.states(0, hosts)
    expect(set(states.values()) == {"installed by hand"}, str(states))
    said = one.run("install", "--yes", *hosts).out
    expect(said.count("by hand: it is left as it is") == len(hosts), said)
    expect(one.everything() == before, "a second hook was added")


@case
def a_config_that_has_become_too_much():
    """Hermes' own, once install has written to it."""
    one = Hooks()
    one.run("install", "--yes", "hermes")
    with_hook = one.read(".hermes/config.yaml")
    put(one.home / ".hermes/config.yaml", with_hook + "\nm: &m 1\nn: *m\n", one.stage.uid)
    number = with_hook.count("\n") + 2
    why = f"has a line {number} that has a value that is not plain"
    said = one.run("status", "hermes", status=4).out
    expect(why in said and "not understood" not in said, said)
    for words in (["remove", "--yes"], ["install", "--yes"], ["install", "--dry-run"]):
        said = one.run(*words, "hermes", status=3).out
        expect(why in said and "is by hand" not in said and "nothing is" not in said, said)
        expect(("asks for a sweep already" in said) == (words[0] == "install"), said)
    expect(one.read(".hermes/config.yaml").startswith(with_hook), "it was changed")


@case
def status_says_what_install_would_refuse():
    one = Hooks()
    os.chown(one.home / ".config/opencode", 0, 0)
    (one.home / ".config/opencode").chmod(0o755)
    os.chown(one.home / ".codex/hooks.json", OTHER_UID, OTHER_UID)
    put(one.home / ".gemini/settings.json", "{} // mine", one.stage.uid)
    wrong = {
        "opencode": "belongs to user 0",
        "codex": f"user {OTHER_UID}",
        "gemini": "has comments",
    }
    for host, why in wrong.items():
        said = one.run("status", host, status=1).out
        expect("install is refused" in said and why in said and "->" not in said, said)
        found = one.run("status", "--json", host, status=1).json
        SCHEMA.validate(found)
        expect(why in found["hosts"][0]["remark"], str(found))
        said = one.run("install", "--dry-run", host, status=3).out
        expect(why in said and "nothing is" not in said, said)
        expect(f"--from {host}" in said or '"--from", "opencode"' in said, said)
    expect("-> orphan-reaper hooks install cursor" in one.run("status", status=1).out, "cursor")
    one.run("install", "--yes", "cursor")
    expect(one.run("install", "--dry-run", "cursor").out == "nothing is to be done\n", "cursor")


@case
def no_other_line_of_a_file_is_shown():
    one = Hooks()
    one.run("install", "--yes", "claude-code")
    # As the host writes it: then nearly every letter changes back.
    said = json.loads(one.read(".claude/settings.json"))
    put(one.home / ".claude/settings.json", json.dumps(said, indent=7), one.stage.uid)
    for words in (["--dry-run"], ["--yes"]):
        shown = one.run("remove", *words, "claude-code").out
        expect("s3cret" not in shown and "A_KEY" not in shown, shown)
        expect("sweep --detach" in shown and "come back as they were" in shown, shown)
    expect(one.read(".claude/settings.json") == CLAUDE, one.read(".claude/settings.json"))


@case
def files_of_other_users_are_not_changed():
    one = Hooks()
    before = one.everything()
    said = one.run(
        "install", "--yes", "codex", uid=0, env={"CODEX_HOME": f"{one.home}/.codex"}, status=3
    )
    expect("belongs to user 1000" in said.out, said.out)
    os.chown(one.home / ".claude/settings.json", OTHER_UID, OTHER_UID)
    said = one.run("install", "--yes", "claude-code", status=3).out
    expect(f"belongs to user {OTHER_UID}" in said, said)
    os.chown(one.home / ".claude/settings.json", one.stage.uid, one.stage.uid)
    # A file that is not there, in a folder of another user.
    (one.home / ".cursor/hooks.json").unlink()
    os.chown(one.home / ".cursor", 0, 0)
    (one.home / ".cursor").chmod(0o777)
    one.run("install", "--yes", "cursor", status=3)
    os.link(one.home / ".gemini/settings.json", one.home / "second")
    expect("2 names" in one.run("install", "--yes", "gemini", status=3).out, "hard links")
    (one.home / ".codex/hooks.json").unlink()
    (one.home / ".codex/hooks.json").symlink_to("nowhere")
    expect("leads nowhere" in one.run("install", "--yes", "codex", status=3).out, "a link")
    for name in (".claude/settings.json", ".gemini/settings.json", ".hermes/config.yaml"):
        path = str(one.home / name)
        expect(one.everything()[path] == before[path], name)


@case
def the_program_is_named_by_a_path_that_stays():
    one = Hooks()
    sandbox.mount("tmpfs", "/usr/local/bin", "tmpfs", data="mode=755")
    pathlib.Path("/usr/local/bin/orphan-reaper").symlink_to(one.stage.layout.binary)
    one.run("install", "--yes", "codex")
    expect('"orphan-reaper sweep' in one.read(".codex/hooks.json"), one.read(".codex/hooks.json"))
    os.unlink("/usr/local/bin/orphan-reaper")
    said = one.run("status", "codex", status=1).out
    expect("other version" in said and "hooks install codex" in said, said)
    one.run("install", "--yes", "codex")
    expect(f'"{one.stage.layout.binary} sweep' in one.read(".codex/hooks.json"), "its path")
    own = one.home / "project/build/orphan-reaper"
    own.parent.mkdir(parents=True)
    put(one.home / "project/build/CMakeCache.txt", "")
    shutil.copy2(one.stage.layout.binary, own)
    own_below(one.home, one.stage.uid)
    one.stage.layout.binary = own
    expect("build folder" in one.run("install", "--yes", status=3).err, "a build folder")
    # What is there is taken out by any program.
    one.run("remove", "--yes")
    expect(one.read(".codex/hooks.json") == CODEX, one.read(".codex/hooks.json"))


@case
def hosts_that_are_not_here():
    one = Hooks({".codex/x": ""})
    shutil.rmtree(one.home / ".hermes")
    states = one.states(1)
    expect(states.pop("codex") == "not installed", str(states))
    expect(set(states.values()) == {"no host"}, str(states))
    one.run("install", "--yes")
    expect(one.states(0)["codex"] == "installed", "codex")
    said = one.run("install", "--yes", "gemini", status=3).out
    expect("Gemini CLI is not here" in said, said)
    one.run("remove", "--yes", "gemini")
    expect(not (one.home / ".gemini").exists(), "a folder was made")
    expect("did you mean 'codex'" in one.run("install", "codx", status=2).err, "a typo")
    # Where the host says that it is elsewhere.
    (one.home / "elsewhere").mkdir()
    own_below(one.home, one.stage.uid)
    one.run("install", "--yes", "claude-code", env={"CLAUDE_CONFIG_DIR": f"{one.home}/elsewhere"})
    expect((one.home / "elsewhere/settings.json").exists(), "CLAUDE_CONFIG_DIR")


@case
def node_runs_the_plugin_of_opencode():
    """As opencode does: every export is called, then what that returned."""
    one = Hooks()
    said = one.home / "said"
    one.run("install", "--yes", "opencode")
    module = one.home / MODULE
    program = put(one.home / "bin/orphan-reaper", f'#!/bin/sh\necho "$@" >>{said}\n', one.stage.uid)
    program.chmod(0o755)
    text = module.read_text()
    expect(str(one.stage.layout.binary) in text, text)
    copy = one.home / "plugin.mjs"
    for path in (program, "/nowhere/orphan-reaper"):
        put(copy, text.replace(str(one.stage.layout.binary), str(path)), one.stage.uid)
        script = f"""
            const all = Object.values(await import({json.dumps(str(copy))}));
            if (all.length !== 1) process.exit(7);
            const made = await all[0]({{}});
            await made.event({{ event: {{ type: "session.idle" }} }});
            await made.event({{ event: {{ type: "session.deleted" }} }});
            await made.dispose();
        """
        done = subprocess.run(
            [NODE, "--input-type=module", "-e", script],
            capture_output=True,
            timeout=30,
            check=False,
        )
        expect(done.returncode == 0 and not done.stderr, str(done))
    line = "sweep --detach --after host --quiet --from opencode\n"
    wait_until(lambda: said.exists() and said.read_text() == line * 2, "the two requests")


if __name__ == "__main__":
    sandbox.main(__file__, globals())
