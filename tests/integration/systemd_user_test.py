"""L2 under a real `systemd --user`: it adopts orphans and starts services, so its children are told apart by more than
their parent."""
import json
import os
import signal
import subprocess

from harness import actor, sandbox
from harness.actor import wait_until
from harness.layout import put
from harness.sandbox import case, expect
from harness.stage import Stage

SYSTEMD = "/lib/systemd/systemd"


class UserManager:
    """systemd --user with its own unit path, runtime folder and cgroup."""

    def __init__(self, stage):
        self.stage = stage
        self.uid = stage.uid
        if not os.access(SYSTEMD, os.X_OK):
            raise sandbox.Skip(f"needs {SYSTEMD}")
        if not os.path.isdir("/run/systemd/system"):  # what sd_booted(3) looks for; our mount namespace, nobody else's
            sandbox.mount("tmpfs", "/run", "tmpfs", data="mode=755")
            os.makedirs("/run/systemd/system")
        self.cgroups = sandbox.make_cgroup(f"user-{self.uid}.slice/user@{self.uid}.service", self.uid)
        if not self.cgroups:
            raise sandbox.Skip("no cgroup can be made here for systemd --user")
        self.runtime = stage.run / "runtime"
        self.units = stage.run / "units"
        for folder in (self.runtime, self.units):
            folder.mkdir(mode=0o700)
            os.chown(folder, self.uid, self.uid)

    def make_scope(self, name):
        """A cgroup beside the manager's services, as a terminal makes one for each shell."""
        made = [os.path.join(folder, "app.slice", name) for folder in self.cgroups]
        for folder in made:
            os.makedirs(folder)
            for path in (os.path.dirname(folder), folder):
                for name in (path, os.path.join(path, "cgroup.procs")):
                    os.chown(name, self.uid, self.uid)
        return made

    def unit(self, name, text):
        put(self.units / name, text)

    def start(self, *wants):
        self.unit("default.target", "[Unit]\nDescription=test\nWants=" + " ".join(wants) + "\n")
        environment = {"HOME": str(self.stage.layout.home), "PATH": "/usr/bin:/bin",
                       "XDG_RUNTIME_DIR": str(self.runtime),
                       "SYSTEMD_UNIT_PATH": str(self.units), "SYSTEMD_LOG_TARGET": "console",
                       "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
        inside = [word for folder in self.cgroups for word in ("--cgroup", folder)]
        same = ",".join([str(self.uid)] * 3)
        argv = [sandbox.PYTHON, "-B", str(self.stage.layout.lib / "become.py"), *inside, "--uids", same, "--", SYSTEMD,
                "--user"]
        with open(self.stage.run / "systemd.log", "w") as log:
            self.process = subprocess.Popen(argv, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            start_new_session=True)

    def log(self):
        return (self.stage.run / "systemd.log").read_text()[-3000:]


    def meet(self, *names):
        try:
            for name in names:
                self.stage.meet(name)
        except AssertionError as problem:
            if self.process.poll() is not None:
                raise sandbox.Skip(f"systemd --user does not start here: {self.log()}") from problem
            raise AssertionError(f"{problem}: {self.log()}") from problem


def service(stage, child):
    """A unit that runs the child with exactly its argv; its environment comes from a file, which spares all quoting."""
    variables = put(stage.run / f"{child['name']}.env", json.dumps(child["env"]))
    become = [sandbox.PYTHON, "-B", str(stage.layout.lib / "become.py"), "--environment", str(variables), "--"]
    start = " ".join([*become, *child["argv"]])
    return f"[Service]\nKillMode=process\nWorkingDirectory={child['cwd']}\nExecStart={start}\n"


@case
def orphans_of_the_user_manager_are_told_from_its_services():
    stage = Stage()
    manager = UserManager(stage)
    manager.unit("supervised.service", service(stage, stage.bridge("supervised", detached=True)))
    # A host that is a service: it is killed, and what it started stays behind in the service's cgroup.
    wish = {"name": "host", "dir": str(stage.run), "children": [stage.bridge("leaked"), stage.worker("leaked-worker")]}
    host = stage.child("host", [sandbox.PYTHON, "-B", "-m", "hermes_cli.main", "gateway", "run"], stage.layout.hermes,
                       env={"HOST": json.dumps(wish)})
    manager.unit("host.service", service(stage, host))
    manager.start("supervised.service", "host.service")
    manager.meet("supervised", "host", "leaked", "leaked-worker")
    stage.start_host("gateway", [stage.bridge("attached")])
    stage.expect_verdicts(stage.report(), {"supervised": "supervised", "leaked": "attached",
                                           "leaked-worker": "attached"})

    stage.actors["host"].send(signal.SIGKILL)
    expect(stage.actors.pop("host").wait_ended(), "the host to die")
    wait_until(lambda: actor.parent_of(stage.actors["leaked"].pid) == manager.process.pid,
               "the adoption by systemd --user")
    expect(actor.parent_of(stage.actors["supervised"].pid) == manager.process.pid, "the service has the same parent")

    report = stage.report()
    stage.expect_verdicts(report, {"supervised": ("supervised", "keep"), "leaked": "orphan", "leaked-worker": "orphan",
                                   "attached": "attached"})
    inside_services = [] if report.process(stage.actors["leaked"].pid)["action"] == "reap" else ["--reap", "in-service"]
    if inside_services:
        stage.expect_sweep(stage.sweep(), [], list(stage.actors), status=1)
    stage.expect_sweep(stage.sweep(*inside_services), ["leaked", "leaked-worker"],
                       ["supervised", "gateway", "attached"])


@case
def orphan_of_the_user_manager_outside_of_any_service():
    """As on a desktop: the host ran in a scope of its own, next to the manager's services."""
    stage = Stage()
    manager = UserManager(stage)
    manager.unit("supervised.service", service(stage, stage.bridge("supervised", detached=True)))
    # A launcher that is below the manager, moves its host into a scope and ends: the manager adopts the host, and then
    # the helpers.
    wish = {"name": "host", "dir": str(stage.run), "children": [stage.bridge("leaked"), stage.worker("leaked-worker")]}
    host = stage.child("host", [sandbox.PYTHON, "-B", "-m", "hermes_cli.main", "gateway", "run"], stage.layout.hermes,
                       env={"HOST": json.dumps(wish)})
    scope = [word for folder in manager.make_scope("vte-spawn-1.scope") for word in ("--cgroup", folder)]
    text = service(stage, host).replace("--environment", " ".join([*scope, "--environment"]))
    manager.unit("host.service", text.replace("KillMode=process", "KillMode=none"))
    manager.start("supervised.service", "host.service")
    manager.meet("supervised", "host", "leaked", "leaked-worker")
    stage.actors["host"].send(signal.SIGKILL)
    expect(stage.actors.pop("host").wait_ended(), "the host to die")
    wait_until(lambda: actor.parent_of(stage.actors["leaked"].pid) == manager.process.pid,
               "the adoption by systemd --user")
    stage.expect_verdicts(stage.report(), {"supervised": ("supervised", "keep"), "leaked": ("orphan", "reap"),
                                           "leaked-worker": ("orphan", "reap")})
    stage.expect_sweep(stage.sweep(), ["leaked", "leaked-worker"], ["supervised"])


if __name__ == "__main__":
    sandbox.main(__file__, globals())
