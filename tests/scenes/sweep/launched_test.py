"""Programs that the scripts of Hermes 0.21 and 0.22 start, in real processes, each beside what only
looks like one; the leases of their installs; limits that count for one user."""

import json
import os
import subprocess

import jsonschema

from harness import layout, sandbox
from harness.actor import read_bytes, wait_until
from harness.layout import put
from harness.sandbox import PYTHON, case, expect
from harness.stage import Stage

INSTALL = "installs/0123456789abcdef"
LEASE = "00112233445566778899aabbccddeeff"
SCHEMA = jsonschema.Draft202012Validator(
    json.loads(
        (
            sandbox.HERE.parents[1] / "packaging/schema/orphan-reaper-preflight.schema.json"
        ).read_text()
    )
)
PREFLIGHT = ("preflight", "--json", "--dry-run", "--min-age", "1ms", "--settle", "200ms")


class LaunchedStage(Stage):
    def __init__(self):
        super().__init__()
        put(self.layout.hermes / "hermes_bootstrap.py", "")
        self.hermes_home = self.layout.home / ".hermes"

    def runtime(self, module="hermes_cli.main"):
        """What starts children, and a gateway again."""
        return (
            "import os, sys, runpy; os.environ.pop('VIRTUAL_ENV', None); "
            f"sys.path.insert(0, {str(self.layout.hermes)!r}); import hermes_bootstrap; "
            f"runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
        )

    def launcher(self):
        """What the command `hermes` runs."""
        return (
            "import os, re, sys\n"
            "os.environ['HERMES_HOME'] = os.environ.get('HERMES_HOME') "
            f"or {str(self.hermes_home)!r}\n"
            f"sys.path.insert(0, {str(self.layout.hermes)!r})\n"
            "import hermes_bootstrap\n"
            "if sys.argv[1:2] == ['--run-module']:\n"
            "    import runpy\n"
            "    module = sys.argv.pop(2)\n"
            "    del sys.argv[1]\n"
            "    runpy.run_module(module, run_name='__main__', alter_sys=True)\n"
            "    sys.exit(0)\n"
            "from hermes_cli.main import main\n"
            "sys.exit(main())\n"
        )

    def bundle(self):
        """What the command `hermes` of a bundle and of the container image runs."""
        return (
            "import os, site, sys; sys.argv[0]='hermes'; "
            "site.addsitedir(os.environ['HERMES_SITE']); "
            "from hermes_cli.main import main; sys.exit(main())"
        )

    def launched_worker(self, name, *before, **more):
        words = ["--session-key", name]
        argv = [PYTHON, "-B", "-I", "-c", *before, *words]
        if not before:
            argv = [PYTHON, "-B", "-I", "-c", self.runtime("tui_gateway.slash_worker"), *words]
        return self.child(name, argv, self.layout.home, **more)

    def gateway(self, *words):
        return [PYTHON, "-B", "-I", "-c", self.launcher(), *(words or ("gateway", "run"))]

    def start_program(self, name, *argv):
        """A program of the user's, which nothing of Hermes started."""
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.layout.home), "STANDIN_NAME": name}
        program = subprocess.Popen(
            list(map(str, argv)),
            env=environment,
            stdin=subprocess.DEVNULL,
            user=self.uid,
            group=self.uid,
            extra_groups=[],
            start_new_session=True,
            cwd=self.layout.home,
        )
        self.hosts[name] = program
        return self.know(name, program.pid)

    def lease(self, generation, selected):
        """The path of a lease of one generation, where another one may be selected."""
        install = self.hermes_home / INSTALL
        environment = install / "environments" / selected / "venv"
        put(install / "facts.json", '{"packages": {"venv": {"environment": "%s"}}}' % environment)
        folder = install / "environments" / generation / ".leases"
        folder.mkdir(parents=True, exist_ok=True)
        layout.own_below(self.hermes_home / "installs", self.uid)
        return folder / LEASE

    def preflight(self, **more):
        result = self.reaper(*PREFLIGHT, **more)
        expect(result.json is not None, result.explain())
        SCHEMA.validate(result.json)
        return result


@case
def gateway_and_workers_of_a_launcher():
    stage = LaunchedStage()
    stage.start_host("gateway", [stage.launched_worker("attached")], kind=stage.gateway())
    stage.orphans(
        [
            stage.launched_worker("leaked"),
            stage.launched_worker(
                "by-launcher", stage.launcher(), "--run-module", "tui_gateway.slash_worker"
            ),
        ],
        kind=stage.gateway(),
    )
    report = stage.report()
    stage.expect_verdicts(
        report,
        {
            "gateway": ("designated", "keep"),
            "attached": ("attached", "keep"),
            "leaked": ("orphan", "reap"),
            "by-launcher": ("orphan", "reap"),
        },
    )
    gateway = report.process(stage.actors["gateway"].pid)
    expect(gateway["argv"][4:] == ["[runs hermes_cli.main]", "gateway", "run"], gateway["argv"])
    expect(gateway["home"] == str(stage.hermes_home), gateway["home"])
    stage.expect_sweep(stage.sweep(), ["leaked", "by-launcher"], ["gateway", "attached"])


@case
def gateways_and_workers_of_a_bundle():
    stage = LaunchedStage()
    package = str(stage.layout.hermes)
    bundle = {
        "kind": [PYTHON, "-B", "-P", "-c", stage.bundle(), "gateway", "run"],
        "env": {"HERMES_SITE": package, "PYTHONPATH": package},
    }
    stage.start_host("gateway", [stage.launched_worker("attached")], **bundle)
    stage.orphans([stage.launched_worker("leaked")], **bundle)
    report = stage.report()
    stage.expect_verdicts(
        report,
        {
            "gateway": ("designated", "keep"),
            "attached": ("attached", "keep"),
            "leaked": ("orphan", "reap"),
        },
    )
    gateway = report.process(stage.actors["gateway"].pid)
    expect(gateway["argv"][4:] == ["[runs hermes_cli.main]", "gateway", "run"], gateway["argv"])
    stage.expect_sweep(stage.sweep(), ["leaked"], ["gateway", "attached"])


@case
def what_only_carries_the_words_is_not_listed():
    stage = LaunchedStage()
    wait = "import signal; signal.alarm(100); signal.pause()"
    relaunch = f"import sys, runpy; sys.argv = ['hermes', 'gateway', 'run']; {wait}"
    words = ["4242", PYTHON, "-m", "hermes_cli.main", "gateway", "run"]
    stage.start_program("watcher", PYTHON, "-c", wait, *words)
    stage.start_program("second", PYTHON, "-c", wait, "4242", PYTHON, "-I", "-c", relaunch)
    stage.start_program(
        "mention", PYTHON, "-c", f"'from hermes_cli.main import main'; {wait}", "serve"
    )
    stage.start_program("shell", "/bin/sh", "-c", f'{PYTHON} -c "{wait}"; : gateway run')
    names = ["watcher", "second", "mention", "shell"]
    stage.expect_not_listed(stage.report(), names)
    stage.expect_alive(names, silent=names)


@case
def two_processes_of_one_relaunch_are_one_gateway():
    """An interpreter that is not the right one runs the right one as a child, and waits."""
    stage = LaunchedStage()
    main = stage.layout.hermes / "hermes_cli/main.py"
    relaunch = (
        f"import sys, runpy; sys.path.insert(0, {str(stage.layout.hermes)!r}); "
        f"sys.argv = [{str(main)!r}, 'gateway', 'run']; "
        "runpy.run_module('hermes_cli.main', run_name='__main__', alter_sys=True)"
    )
    outer = (
        "import os, subprocess, sys, runpy; sys.path.insert(0, '/'); import signal; "
        f"signal.alarm(100); "
        "env = {**os.environ, 'STANDIN_NAME': 'nested'}; "
        f"subprocess.run([{PYTHON!r}, '-B', '-I', '-c', {relaunch!r}], env=env); "
        "runpy.run_module('hermes_cli.main')"
    )
    stage.start_host("inner", [], kind=[PYTHON, "-B", "-I", "-c", outer, "gateway", "run"])
    expect(stage.preflight().json["obstacles"] == [], "one gateway is nothing in the way")
    stage.start_host("other", [], kind=stage.gateway(), env={"HERMES_HOME": str(stage.hermes_home)})
    told = stage.preflight().json["obstacles"]
    expect([one["kind"] for one in told] == ["gateways"], told)


@case
def a_lease_says_that_it_is_from_before_the_update():
    stage = LaunchedStage()
    old = stage.lease("g1", "g2")
    new = stage.lease("g2", "g2")
    stage.start_host(
        "gateway",
        [stage.launched_worker("new", flock=str(new))],
        kind=stage.gateway(),
    )
    stage.orphans([stage.launched_worker("old", flock=str(old))], kind=stage.gateway())
    report = stage.report()
    stage.expect_evidence(report, "old", "lease.outdated")
    stage.expect_evidence(report, "new", "lease.held")
    codes = [one["code"] for one in report.process(stage.actors["new"].pid)["evidence"]]
    expect("lease.outdated" not in codes, codes)
    stage.expect_sweep(stage.sweep(), ["old"], ["gateway", "new"])


@case
def what_holds_a_lease_is_in_the_way_whatever_it_runs():
    stage = LaunchedStage()
    lease, ready = stage.lease("g1", "g2"), stage.run / "tool.ready"
    hold = (
        f"import fcntl, signal; file = open({str(lease)!r}, 'w'); fcntl.flock(file, 2); "
        f"open({str(ready)!r}, 'w').close(); signal.alarm(100); signal.pause()"
    )
    stage.start_program("tool", PYTHON, "-c", hold)
    wait_until(ready.exists, "the lease to be held")
    tool = stage.actors["tool"]
    (told,) = stage.preflight().json["obstacles"]
    expect((told["kind"], told["pids"]) == ("occupant", [tool.pid]), told)
    expect("holds a lease of the install" in told["detail"], told)
    expect(told["detail"].endswith("since before the last update"), told)
    expect(told["user"] == "u" and told["help"] and told["argv"], told)
    expect("file" not in "".join(told["argv"]), "a script of a user is not shown")
    put(stage.hermes_home / INSTALL / "facts.json", "{")
    (told,) = stage.preflight().json["obstacles"]
    expect(not told["detail"].endswith("update"), "what is selected is not known")
    expect(read_bytes(f"/proc/{tool.pid}/stat"), "it lives")


@case
def preflight_needs_nothing_but_a_process_table():
    """As a hook runs it: no terminal, no home, no environment, closed descriptors."""
    stage = LaunchedStage()
    stage.start_host("gateway", [stage.launched_worker("attached")], kind=stage.gateway())
    read, write = os.pipe()
    hook = os.fork()
    if hook == 0:
        os.setsid()
        os.setresgid(stage.uid, stage.uid, stage.uid)
        os.setresuid(stage.uid, stage.uid, stage.uid)
        os.dup2(write, 1)
        os.close(0)
        os.close(2)
        os.execve(stage.layout.binary, [str(stage.layout.binary), *PREFLIGHT], {})
    os.close(write)
    with os.fdopen(read) as said:
        text = said.read()
    status = os.waitstatus_to_exitcode(os.waitpid(hook, 0)[1])
    expect(status in (0, 4) and '"obstacles"' in text, f"{status}: {text[:2000]}")
    stage.expect_alive(["gateway", "attached"])


@case
def too_many_leaks_of_one_user_stop_nothing_of_another():
    stage = Stage()
    mine = [f"mine-{number}" for number in range(3)]
    theirs = layout.OTHER_UID
    (stage.layout.base / "home/v").mkdir()
    os.chown(stage.layout.base / "home/v", theirs, theirs)
    stage.orphans([stage.worker(name, session=name) for name in mine])
    env = {"HOME": str(stage.layout.base / "home/v")}
    worker = stage.worker("theirs", session="theirs")
    stage.start_host("host-of-theirs", [worker], uid=theirs, env=env, pipe_uid=theirs)
    stage.kill_host("host-of-theirs")
    result = stage.sweep("--all-users", "--max-kills", "2", uid=0)
    expect(result.status == 5, result.explain())
    stage.expect_ended(["theirs"])
    stage.expect_alive(mine)
    refused = [result.outcome(stage.actors[name].pid)["result"] for name in mine]
    expect(refused == ["refused"] * 3, refused)


if __name__ == "__main__":
    sandbox.main(__file__, globals())
