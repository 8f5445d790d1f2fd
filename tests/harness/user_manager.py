"""A real `systemd --user` inside a scene, with units of the scene's own."""
import json
import os
import pathlib
import subprocess

from . import sandbox
from .layout import put

SYSTEMD = "/lib/systemd/systemd"
SYSTEM_UNITS = "/usr/lib/systemd/user"


def pretend_booted():
    """What sd_booted(3) looks for, and no socket of this machine's own managers; in our mount
    namespace only."""
    sandbox.mount("tmpfs", "/run", "tmpfs", data="mode=755")
    os.makedirs("/run/systemd/system")


class UserManager:
    """systemd --user with its own unit path, runtime folder and cgroup."""

    def __init__(self, stage):
        self.stage = stage
        self.uid = stage.uid
        if not os.access(SYSTEMD, os.X_OK):
            raise sandbox.Skip(f"needs {SYSTEMD}")
        pretend_booted()
        self.cgroups = sandbox.make_cgroup(
            f"user-{self.uid}.slice/user@{self.uid}.service", self.uid
        )
        if not self.cgroups:
            raise sandbox.Skip("no cgroup can be made here for systemd --user")
        # Where everything looks for its socket.
        self.runtime = pathlib.Path(f"/run/user/{self.uid}")
        self.units = stage.run / "units"
        for folder in (self.runtime, self.units):
            folder.mkdir(mode=0o700, parents=True)
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

    def start(self, *wants, bus=False):
        """bus: with the user's bus, which the system's own units start."""
        if bus:
            if not os.path.exists(f"{SYSTEM_UNITS}/dbus.socket"):
                raise sandbox.Skip("needs dbus-user-session")
            wants = ("dbus.socket", *wants)
        self.unit("default.target", "[Unit]\nDescription=test\nWants=" + " ".join(wants) + "\n")
        # Every service needs it; systemd 257 starts none where it is missing.
        self.unit("basic.target", "[Unit]\nDescription=test\n")
        environment = {
            "HOME": str(self.stage.layout.home),
            "PATH": "/usr/bin:/bin",
            "XDG_RUNTIME_DIR": str(self.runtime),
            "SYSTEMD_UNIT_PATH": f"{self.units}:{SYSTEM_UNITS}" if bus else str(self.units),
            "SYSTEMD_LOG_TARGET": "console",
            "DBUS_SESSION_BUS_ADDRESS": self.bus() if bus else "disabled:",
        }
        inside = [word for folder in self.cgroups for word in ("--cgroup", folder)]
        same = ",".join([str(self.uid)] * 3)
        argv = [
            sandbox.PYTHON,
            "-B",
            str(self.stage.layout.lib / "become.py"),
            *inside,
            "--uids",
            same,
            "--",
            SYSTEMD,
            "--user",
        ]
        with open(self.stage.run / "systemd.log", "w") as log:
            self.process = subprocess.Popen(
                argv,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def bus(self):
        return f"unix:path={self.runtime}/bus"

    def systemctl(self, *arguments):
        """What it prints."""
        done = subprocess.run(
            ["systemctl", "--user", "--no-pager", *arguments],
            env={
                "PATH": "/usr/bin:/bin",
                "XDG_RUNTIME_DIR": str(self.runtime),
                "DBUS_SESSION_BUS_ADDRESS": self.bus(),
            },
            user=self.uid,
            group=self.uid,
            extra_groups=[],
            capture_output=True,
            text=True,
            timeout=60,
        )
        sandbox.expect(done.returncode == 0, f"systemctl {arguments}: {done}")
        return done.stdout

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


def service(stage, child, *lines):
    """A unit that runs the child with exactly its argv; its environment comes from a file, which
    spares all quoting. lines: more of it."""
    variables = put(stage.run / f"{child['name']}.env", json.dumps(child["env"]))
    become = [
        sandbox.PYTHON,
        "-B",
        str(stage.layout.lib / "become.py"),
        "--environment",
        str(variables),
        "--",
    ]
    start = " ".join([*become, *child["argv"]])
    return "\n".join(
        [
            "[Service]",
            "KillMode=process",
            f"WorkingDirectory={child['cwd']}",
            f"ExecStart={start}",
            *lines,
            "",
        ]
    )


def started(stage, child, how, *options):
    """The same child, started by programs/standin_starter.py."""
    starter = [
        sandbox.PYTHON,
        "-B",
        str(stage.layout.lib / "standin_starter.py"),
        "--as",
        how,
        *options,
        "--",
    ]
    return {
        **child,
        "argv": [*starter, *child["argv"]],
        "env": {**child["env"], "STANDIN_NAME": child["name"] + "-starter"},
    }


def launcher(stage, manager, child, scope):
    """A unit that moves the child into a scope, as a terminal does, and goes: when the child ends,
    the manager adopts what it leaves there, outside of any service."""
    inside = [word for folder in manager.make_scope(scope) for word in ("--cgroup", folder)]
    text = service(stage, child).replace("--environment", " ".join([*inside, "--environment"]))
    return text.replace("KillMode=process", "KillMode=none")
