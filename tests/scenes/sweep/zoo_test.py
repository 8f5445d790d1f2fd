"""The zoo in which other tools of this kind were measured: nine ways to leak and nineteen processes
that look leaked to one of those tools and are wanted, rebuilt with real processes. With every
family and the pack `agents` on, and a rule of the user's own for what no family knows, each leak is
found and not one of the others is selected, let alone ended. Where their nature allows it the
wanted ones are adopted and have dead stdio."""
import json
import os
import shutil
import signal
import subprocess

from harness import actor, sandbox
from harness.actor import wait_until
from harness.crowd import Crowd
from harness.layout import OTHER_UID, put
from harness.sandbox import NODE, PYTHON, case, expect
from harness.stage import Stage
from harness.user_manager import UserManager, launcher, service

LEAKS = ("orphan", "superseded", "abandoned", "duplicate", "held")
SERVER = ".npm/_npx/15b07286cbcc3329/node_modules/.bin/mcp-server-filesystem"
FETCH = "lib/node_modules/npm/bin/npx-cli.js"
PACKAGE = "@modelcontextprotocol/server-filesystem"
OWN_RULES = {
    "packs": ["agents"],
    "families": {
        "spinner": {
            "programs": [{"interpreters": ["node"], "scripts": ["worktrees/*/spin.cjs"]}],
            "roles": [{"name": "worker", "flags": []}],
            "home": [{"path": "~"}],
        },
        "next_dev": {
            "programs": [
                {
                    "interpreters": ["node"],
                    "scripts": ["node_modules/.bin/next"],
                    "commands": ["dev"],
                }
            ],
            "roles": [{"name": "server", "flags": []}],
            "home": [{"path": "~"}],
        },
    },
}


class Zoo:
    """leaks: name -> action; wanted: names; silent: what has no heartbeat."""

    def __init__(self, stage):
        self.stage, self.layout = stage, stage.layout
        self.leaks, self.wanted, self.silent = {}, [], []
        self.crowd = Crowd(stage)
        # Root takes no rules of a user.
        self.config = put(self.layout.base / "etc/rules.json", json.dumps(OWN_RULES), uid=0)

    def node(self, name, path, *arguments, cwd=None, **more):
        script = self.layout.home / path
        if not script.exists():
            self.crowd.script(path)
        return self.stage.child(
            name, [NODE, script, *arguments], cwd or self.layout.home, ignore_eof=True, **more
        )

    def server(self, name, **more):
        return self.node(name, SERVER, "/home/u/notes", **more)

    def npx(self, name, **more):
        """npx writes what it runs over its own argv."""
        return self.node(
            name,
            FETCH,
            "-y",
            PACKAGE,
            "/home/u/notes",
            title=f"npm exec {PACKAGE} /home/u/notes",
            **more,
        )

    def host(self, path, *arguments):
        script = self.layout.home / path
        if not script.exists():
            put(script, f"require({json.dumps(str(self.layout.lib / 'standin_host.cjs'))});\n")
        return [NODE, str(script), *arguments]

    def claude(self):
        return self.host("lib/node_modules/@anthropic-ai/claude-code/cli.js", "--continue")

    def program(self, name, exe, *arguments):
        """Our idle program under the name of a real one."""
        path = self.layout.base / "bin" / exe
        if not path.exists():
            shutil.copy2(os.environ["REAPER_IDLE"], path)
        self.silent.append(name)
        ready = str(self.stage.run / f"{name}.ready")
        return self.stage.child(name, [path, *arguments], "/", env={"STANDIN_READY": ready})

    def leak(self, child, kind, action="reap", **more):
        self.leaks[child["name"]] = action
        self.stage.orphans([child], kind, **more)

    def adopted(self, child, kind="node", **more):
        """Wanted, though its parent is gone and nothing holds its stdio."""
        self.wanted.append(child["name"])
        self.stage.orphans([child], kind, **more)

    def alive(self, host, kind, *children):
        """Wanted, because of its living host."""
        self.wanted += [child["name"] for child in children]
        self.stage.start_host(host, children, kind)

    # the nine

    def hermes(self):
        self.leak(self.stage.bridge("p1-hermes-bridge"), "gateway")
        self.leak(self.stage.worker("p5-slash-worker", session="p5"), "dashboard")

    def mcp_servers(self):
        self.leak(self.npx("p2-npx"), self.claude())
        self.leak(self.server("p3-server-of-npx"), self.claude())
        script = self.crowd.script(".cache/uv/archive-v0/Qx7/bin/mcp-server-git", "py")
        self.leak(self.stage.child("p4-server-of-uvx", [PYTHON, "-B", script], "/"), self.claude())

    def headless_browser(self):
        chrome = self.program(
            "p6-headless-browser",
            "chrome",
            "--headless=new",
            "--remote-debugging-pipe",
            "--user-data-dir=/tmp/playwright_chromiumdev_profile-1",
        )
        self.leak(chrome, self.host("lib/playwright/cli.js"), "report")

    def deleted_folder(self):
        child = self.node(
            "p8-deleted-cwd", "worktrees/task-1/spin.cjs", cwd=self.layout.home / "worktrees/task-1"
        )
        self.leak(child, self.claude())
        shutil.rmtree(self.layout.home / "worktrees/task-1")

    def next_dev(self):
        self.leak(self.node("p9-next-dev", "shop/node_modules/.bin/next", "dev"), self.claude())

    # the nineteen

    def of_living_hosts(self):
        self.alive("claude", self.claude(), self.server("n1-live-mcp"))
        self.alive(
            "pm2", self.host("lib/node_modules/pm2/lib/Daemon.js"), self.server("n11-pm2-child")
        )
        self.alive("shell", "chat", self.npx("n12-live-npx"))
        self.alive("headless-claude", self.claude(), self.npx("n13-mcp-of-a-session-without-tty"))
        chrome = self.program(
            "n17-live-browser",
            "chrome",
            "--headless=new",
            "--user-data-dir=/tmp/playwright_chromiumdev_profile-2",
        )
        self.alive("playwright", self.host("lib/playwright/cli.js"), chrome)

    def of_services(self):
        same = ",".join([str(self.stage.uid)] * 3)
        for name, child in (("n2-system-service", self.server), ("n10-claude-service", self.npx)):
            inside = [
                word
                for folder in sandbox.make_cgroup(f"{name}.service")
                for word in ("--cgroup", folder)
            ]
            if not inside:
                print(
                    f"     no cgroup could be made here: {name} is in no service's, and told by "
                    f"its environment only"
                )
            self.adopted(child(name, become=(*inside, "--uids", same, "--exec-pid")), uid=0)

    def editors_and_tools(self):
        for child in (
            self.program(
                "n5-postgres",
                "postgres",
                "-D",
                "/var/lib/postgresql/15/mcp-server",
                "-c",
                "cluster_name=15/mcp-server npx",
            ),
            self.program("n6-vim", "vim", "notes-mcp-server.md"),
            self.program("n7-tail", "tail", "-f", "mcp-server.log"),
            self.program(
                "n14-tmux-server", "tmux", "new-session", "-s", "mcp", f"npx -y {PACKAGE}"
            ),
        ):
            self.adopted(child)
        train = self.crowd.script("ml/train.py", "py")
        self.adopted(self.stage.child("n8-train", [PYTHON, "-B", train, "--model", "gemini"], "/"))

    def of_no_other(self):
        self.adopted(self.server("n4-nohup-job", stdio="detached"), "chat")
        self.adopted(
            self.server("n9-other-user", become=("--uids", ",".join([str(OTHER_UID)] * 3))), uid=0
        )
        self.adopted(
            self.node(
                "n15-vscode-server",
                ".vscode-server/cli/servers/Stable-1/server/out/server-main.js",
                "--accept-server-license-terms",
                "--enable-mcp",
            )
        )
        home = self.layout.data_home("n18")
        self.adopted(self.stage.daemon("n18-bridge-daemon", home=home, port=18800))
        self.adopted(
            self.node(
                "n19-whatsapp",
                ".hermes/whatsapp-bridge/bridge.js",
                "--port",
                "3000",
                "--session",
                "/home/u/.hermes/whatsapp/session",
            )
        )

    # below systemd --user

    def of_a_user_manager(self):
        """N3, and P7: what a manager adopted beside what it started."""
        stage = self.stage
        try:
            manager = UserManager(stage)
        except sandbox.Skip as reason:
            print(
                f"     no systemd --user here ({reason}): its service is left out, its orphan has "
                f"another subreaper"
            )
            sandbox.become_subreaper()
            return self.leak(self.server("p7-orphan-of-a-subreaper"), "node")
        wish = {
            "name": "p7-host",
            "dir": str(stage.run),
            "children": [self.server("p7-orphan-of-a-subreaper")],
        }
        host = stage.child("p7-host", self.claude(), "/", env={"HOST": json.dumps(wish)})
        manager.unit("n3.service", service(stage, self.server("n3-user-unit", detached=True)))
        manager.unit("p7.service", launcher(stage, manager, host, "app-terminal-1.scope"))
        manager.start("n3.service", "p7.service")
        manager.meet("n3-user-unit", "p7-host", "p7-orphan-of-a-subreaper")
        stage.actors["p7-host"].send(signal.SIGKILL)
        expect(stage.actors.pop("p7-host").wait_ended(), "the host of P7")
        leaked = stage.actors["p7-orphan-of-a-subreaper"].pid
        wait_until(
            lambda: actor.parent_of(leaked) == manager.process.pid, "the adoption by systemd --user"
        )
        self.wanted.append("n3-user-unit")
        self.leaks["p7-orphan-of-a-subreaper"] = "reap"

    def build(self):
        for step in (
            self.hermes,
            self.mcp_servers,
            self.headless_browser,
            self.deleted_folder,
            self.next_dev,
            self.of_living_hosts,
            self.of_services,
            self.editors_and_tools,
            self.of_no_other,
            self.of_a_user_manager,
        ):
            step()
        return self

    def expect_report(self, report):
        """All leaks and nothing else. To say that nothing proves a job to be leaked (unknown) is to
        select nothing."""
        self.stage.expect_verdicts(
            report, {name: ("orphan", action) for name, action in self.leaks.items()}
        )
        names = {one.pid: name for name, one in self.stage.actors.items()}
        selected = [
            names.get(process["pid"], process["pid"])
            for process in report.processes
            if process["verdict"] in LEAKS or process["action"] == "reap"
        ]
        wrong = [name for name in selected if name not in self.leaks]
        expect(not wrong, f"selected, but wanted: {wrong}\n{report.explain()}")


@case
def nine_leaks_and_their_look_alikes():
    stage = Stage()
    zoo = Zoo(stage).build()
    expect(
        len(zoo.leaks) == 9 and len(zoo.wanted) >= 17,
        f"{len(zoo.leaks)} leaks, {len(zoo.wanted)} wanted",
    )
    config = ("--config", str(zoo.config))
    zoo.expect_report(stage.report(*config))
    zoo.expect_report(stage.report(*config, "--user", "u", uid=0))
    ended = [name for name, action in zoo.leaks.items() if action == "reap"]
    alive = [name for name in stage.actors if name not in ended]
    stage.expect_sweep(
        stage.sweep(*config, "--reap", "abandoned,duplicate,held,in-service"),
        ended,
        alive,
        zoo.silent,
        status=1,
    )


@case
def without_the_pack_a_report_lists_other_agents_apart():
    """It changes no exit status, and no other command looks at them until one word says so."""
    stage = Stage()
    zoo = Zoo(stage)
    zoo.mcp_servers()
    zoo.of_living_hosts()
    report = stage.report()
    families = {process["family"] for process in report.processes}
    expect(report.status == 0 and families <= {"session"}, f"looked at {families}")
    others = report.json["other_hosts"]
    leaked = {one["pid"] for one in others["processes"] if one["verdict"] == "orphan"}
    servers = {stage.actors[name].pid for name in zoo.leaks if name in stage.actors}
    expect(leaked == servers and servers, f"listed {leaked}, wanted {servers}")
    expect(all(one["action"] != "reap" for one in others["processes"]), str(others))
    for command in ("preflight", "sweep"):
        kept = stage.reaper(command, "--json", "--dry-run", "--min-age", "1ms")
        seen = {process["family"] for process in kept.processes}
        expect(seen <= {"session"} and "other_hosts" not in kept.json, kept.explain())
    stage.expect_sweep(stage.sweep(), [], list(stage.actors), zoo.silent)
    ended = [name for name, action in zoo.leaks.items() if action == "reap"]
    alive = [name for name in stage.actors if name not in ended]
    swept = stage.sweep("--with", "agents")
    stage.expect_sweep(swept, ended, alive, zoo.silent, status=swept.status)
    expect(ended, "the pack ends something")


@case
def a_process_that_a_user_runs_inside_of_a_container():
    """N16: `docker exec` starts it from outside, so that its parent is none that can be seen (0).
    The leaked one beside it is ended. Everything is inside of one more pid namespace, as in a
    container."""
    stage = Stage()
    zoo = Zoo(stage)
    container = subprocess.Popen(
        [
            "unshare",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount-proc",
            PYTHON,
            "-B",
            str(sandbox.HERE / "init.py"),
            "/bin/sleep",
            "100",
        ],
        stdin=subprocess.DEVNULL,
    )
    init = wait_until(lambda: children_of(container.pid), "its pid 1")[0]
    wait_until(
        lambda: actor.read_bytes(f"/proc/{init}/comm") == b"init\n", "its pid 1 to be an init"
    )
    enter = [
        "nsenter",
        "--pid",
        "--mount",
        "--target",
        str(init),
        f"--setuid={stage.uid}",
        f"--setgid={stage.uid}",
    ]

    def execute(argv, **environment):
        return subprocess.Popen(
            [*enter, *argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"PATH": "/usr/bin:/bin", "HOME": str(stage.layout.home), **environment},
        )

    wish = {"name": "host", "dir": str(stage.run), "children": [zoo.server("leaked")]}
    host = execute(zoo.claude(), HOST=json.dumps(wish))
    server = zoo.server("n16-docker-exec")
    outside = execute(server["argv"], **server["env"])
    stage.meet("leaked")
    wait_until((stage.run / "n16-docker-exec.ready").exists, "what was run inside")
    stage.know("n16-docker-exec", children_of(outside.pid)[0])
    outside.stdin.close()
    outside.stdout.close()
    stage.know("host", children_of(host.pid)[0]).send(signal.SIGKILL)
    expect(
        stage.actors.pop("host").wait_ended() and host.wait(10) is not None,
        "the host of the leaked one",
    )
    wait_until(lambda: actor.parent_of(stage.actors["leaked"].pid) == init, "the adoption")

    result = stage.sweep("--config", str(zoo.config), before=enter, uid=0)
    spared = result.process(pid_inside(stage.actors["n16-docker-exec"].pid))
    expect(
        spared and (spared["verdict"], spared["action"], spared["ppid"]) == ("attached", "keep", 0),
        result.explain(),
    )
    expect(result.status == 0 and result.json["summary"]["reaped"] == 1, result.explain())
    stage.expect_ended(["leaked"])
    stage.expect_alive(["n16-docker-exec"])
    container.kill()
    container.wait()


def children_of(pid):
    return [one for one in actor.all_pids() if actor.stat_fields(one)[1:2] == [str(pid).encode()]]


def pid_inside(pid):
    """Its number in its own pid namespace."""
    lines = actor.read_bytes(f"/proc/{pid}/status").splitlines()
    return int(next(line for line in lines if line.startswith(b"NSpid:")).split()[-1])


if __name__ == "__main__":
    sandbox.main(__file__, globals())
