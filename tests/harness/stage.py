"""A scene: hosts and their helpers, by name."""
import json
import os
import pathlib
import signal
import subprocess
import time

from . import actor, layout, product, sandbox
from .actor import wait_until

SCOPE = "0a5535de20543105363ebdfc"
HEADLESS = ("--agent=hermes", f"--runtime-scope={SCOPE}", "--no-viewer")


class Stage:
    """Everything runs as `uid`; what needs another user says so."""

    def __init__(self, uid=layout.UID):
        binary = os.environ.get("ORPHAN_REAPER")
        sandbox.expect(
            binary and os.access(binary, os.X_OK), "ORPHAN_REAPER must name the program to test"
        )
        self.uid = uid
        self.layout = layout.Layout(pathlib.Path(binary).resolve())
        self.run = self.layout.run
        self.actors = {}
        self.hosts = {}
        self.killed = 0

    # children, as values

    def child(
        self, name, argv, cwd, stdio="pipe", env=None, leak_to=None, become=(), after=0, **wish
    ):
        """A program as a host starts it. become: options of programs/become.py, which then is what
        the host starts."""
        wish = {"name": name, "dir": str(self.run), "detached": stdio == "detached", **wish}
        argv = [str(word) for word in argv]
        if become:
            argv = [sandbox.PYTHON, "-B", str(self.layout.lib / "become.py"), *become, "--", *argv]
        child = {
            "name": name,
            "argv": argv,
            "cwd": str(cwd),
            "stdio": stdio,
            "after": after,
            "env": {"STANDIN": json.dumps(wish), "STANDIN_NAME": name, **(env or {})},
        }
        if leak_to:
            child["leak_to"] = leak_to
        return child

    def bridge(
        self,
        name,
        script="dist/bridge.mjs",
        arguments=HEADLESS,
        home=None,
        node=sandbox.NODE,
        relative=False,
        **more,
    ):
        """A MemOS bridge of this name; a data home of the same name unless `home` says which."""
        plugin = self.layout.plugin
        more.setdefault("ignore_eof", True)
        environment = {
            "MEMOS_HOME": str(home or self.layout.data_home(name)),
            **more.pop("env", {}),
        }
        path = script if relative else plugin / script
        return self.child(name, [node, path, *arguments], plugin, env=environment, **more)

    def daemon(self, name, home=None, **more):
        home = home or self.layout.data_home(name)
        arguments = ("--agent=hermes", f"--home={home}", "--daemon")
        return self.bridge(name, arguments=arguments, home=home, stdio="detached", **more)

    def tsx_bridge(self, name, home=None, **more):
        plugin = self.layout.plugin
        more.setdefault("ignore_eof", True)
        environment = {"MEMOS_HOME": str(home or self.layout.data_home(name))}
        argv = [
            sandbox.NODE,
            plugin / "node_modules/tsx/dist/cli.mjs",
            plugin / "bridge.cts",
            "--agent=hermes",
            "--no-viewer",
        ]
        return self.child(name, argv, plugin, env=environment, **more)

    def worker(
        self,
        name,
        session="20260520_173732_6d914e",
        parent_pid=None,
        module="tui_gateway.slash_worker",
        **more,
    ):
        recorded = ["--parent-pid", parent_pid] if parent_pid else []
        argv = [
            sandbox.PYTHON,
            "-B",
            "-m",
            module,
            "--session-key",
            session,
            "--model",
            "gpt-5.5",
            "--provider",
            "openai",
            *recorded,
        ]
        return self.child(name, argv, self.layout.hermes, **more)

    # hosts

    def start_host(self, name, children, kind="gateway", uid=None, env=None, lost=(), **wish):
        """Returns when every child says that it is ready. kind: what `hermes` is told to be,
        "node", or a whole argv. lost: names of children that never will be."""
        uid = self.uid if uid is None else uid
        wish = {
            "name": name,
            "dir": str(self.run),
            "children": children,
            "pipe_uid": self.uid,
            **wish,
        }
        environment = {
            "HOST": json.dumps(wish),
            "STANDIN_NAME": name,
            "HOME": str(self.layout.home),
            "PATH": "/usr/bin:/bin",
            "PYTHONDONTWRITEBYTECODE": "1",
            **(env or {}),
        }
        if isinstance(kind, list):
            argv = kind
        elif kind == "node":
            argv = [sandbox.NODE, str(self.layout.lib / "standin_host.cjs")]
        else:
            argv = [
                sandbox.PYTHON,
                "-B",
                "-m",
                "hermes_cli.main",
                *kind.split(),
                *(["run"] if kind == "gateway" else []),
            ]
        host = subprocess.Popen(
            argv,
            cwd=self.layout.hermes,
            env=environment,
            stdin=subprocess.DEVNULL,
            user=uid,
            group=uid,
            extra_groups=[],
            start_new_session=True,  # as a terminal or a service manager starts it
        )
        self.hosts[name] = host
        self.meet(name)
        for child in children:
            if child["name"] not in lost:
                self.meet(child["name"])
        return host

    def meet(self, name):
        wait_until((self.run / f"{name}.ready").exists, f"{name} to be ready")
        return self.know(name)

    def meet_pair(self, name):
        """A launcher and what it runs. The leaf wrote the ready file; root and leaf carry names of
        their own."""
        self.meet(name)
        self.know(name + "-leaf")
        os.symlink(f"{name}.beat", self.run / f"{name}-leaf.beat")

    def know(self, name, pid=None):
        """Takes a handle of the one process that carries this name."""
        pids = [pid] if pid else wait_until(lambda: actor.named(name), f"a process called {name}")
        sandbox.expect(len(pids) == 1, f"{name} is {pids}")
        self.actors[name] = actor.Actor(name, pids[0], self.run)
        return self.actors[name]

    def kill_host(self, name):
        """As an OOM kill or `kill -9` ends a host; its helpers are adopted when this returns."""
        host = self.hosts.pop(name)
        host.kill()
        host.wait()
        del self.actors[name]
        wait_until(
            lambda: all(
                actor.parent_of(one.pid) != host.pid for one in self.actors.values() if one.alive()
            ),
            "the adoption",
        )

    def orphans(self, children, kind="gateway", uid=None, env=None):
        """Helpers whose host was killed."""
        self.killed += 1
        host = f"dead-host-{self.killed}"
        self.start_host(host, children, kind, uid, env)
        self.kill_host(host)

    def stop(self, name):
        self.actors[name].send(signal.SIGSTOP)
        wait_until(lambda: self.actors[name].state() == "T", f"{name} to stop")

    # the product

    def reaper(self, *arguments, uid=None, env=None, before=(), timeout=60, home=None):
        return product.run(
            [*before, str(self.layout.binary), *arguments],
            uid=self.uid if uid is None else uid,
            home=home or self.layout.home,
            env=env,
            timeout=timeout,
        )

    def start_reaper(self, *arguments, uid=None, env=None):
        return product.start(
            [str(self.layout.binary), *arguments],
            self.uid if uid is None else uid,
            self.layout.home,
            env,
        )

    def report(self, *arguments, **more):
        return self.reaper("report", "--json", "--min-age", "1ms", *arguments, **more)

    def sweep(self, *arguments, **more):
        return self.reaper(
            "sweep",
            "--json",
            "--min-age",
            "1ms",
            "--settle",
            "200ms",
            "--grace",
            "1s",
            *arguments,
            **more,
        )

    # what must be true

    def expect_verdicts(self, report, verdicts):
        """verdicts: name -> verdict, or (verdict, action)."""
        wrong = []
        for name, wanted in verdicts.items():
            process = report.process(self.actors[name].pid)
            got = (process["verdict"], process["action"]) if process else None
            if process is None or (
                got != wanted if isinstance(wanted, tuple) else got[0] != wanted
            ):
                codes = [one["code"] for one in process["evidence"]] if process else []
                wrong.append(f"{name}: {got}, wanted {wanted}; evidence {codes}")
        sandbox.expect(not wrong, "verdicts:\n  " + "\n  ".join(wrong))

    def expect_evidence(self, report, name, code):
        process = report.process(self.actors[name].pid)
        sandbox.expect(process, f"{name} is not in the report")
        codes = [one["code"] for one in process["evidence"]]
        sandbox.expect(code in codes, f"{name}: no {code} in {codes}")

    def expect_not_listed(self, report, names):
        listed = [name for name in names if report.process(self.actors[name].pid)]
        sandbox.expect(not listed, f"listed, but no member of any family: {listed}")

    def expect_ended(self, names):
        left = [name for name in names if not self.actors[name].wait_ended(2)]
        sandbox.expect(not left, f"still running: {left}")

    def expect_alive(self, names, silent=()):
        """Every one of them runs on, does its work and never got a TERM. silent: those that have no
        heartbeat."""
        dead = [name for name in names if not self.actors[name].alive()]
        sandbox.expect(not dead, f"killed, but must live: {dead}")
        told = [name for name in names if self.actors[name].signals()]
        sandbox.expect(not told, f"signalled, but must not be: {told}")
        quiet = [name for name in names if name not in silent and not self.actors[name].beats()]
        sandbox.expect(not quiet, f"alive, but stopped working: {quiet}")

    def expect_sweep(self, result, ended, alive, silent=(), status=0):
        """The named ones are gone, every other process of the scene lives, and the report says the
        same. A launcher ends with its leaf, and gets no signal."""
        sandbox.expect(
            result.status == status, f"exit {result.status}, wanted {status}: {result.explain()}"
        )
        self.expect_ended(ended)
        self.expect_alive(alive, silent)
        forgotten = set(self.actors) - set(ended) - set(alive)
        sandbox.expect(not forgotten, f"nothing was said about {forgotten}")
        reaped = sorted(result.signalled())
        launchers = [name for name in ended if f"{name}-leaf" in ended]
        wanted = sorted(self.actors[name].pid for name in ended if name not in launchers)
        sandbox.expect(reaped == wanted, f"signalled {reaped}, wanted {wanted}: {result.explain()}")
        sandbox.expect(
            result.json["summary"]["reaped"] == len(wanted), f"summary {result.json['summary']}"
        )
        for name in launchers:
            outcome = result.outcome(self.actors[name].pid)
            sandbox.expect(outcome["result"] == "already_gone", f"{name}: {outcome}")


def age(seconds):
    time.sleep(seconds)
