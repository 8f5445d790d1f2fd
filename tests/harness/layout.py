"""The files of an installed host, under a private tmpfs: exact paths and names, our bodies."""
import json
import os
import pathlib
import pwd
import shutil

from . import sandbox

UID = 1000
OTHER_UID = 1001


def choose_base(used):
    """An empty folder that every system has, and that hides nothing that the tests use."""
    for folder in ("/mnt", "/media", "/srv", "/opt"):
        if os.path.isdir(folder) and not any(path.startswith(folder + "/") for path in used):
            return pathlib.Path(folder)
    raise sandbox.Skip("no folder to mount a tmpfs on")


def put(path, text, uid=UID):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.chown(path, uid, uid)
    return path


def own_below(folder, uid):
    for parent, _folders, files in os.walk(folder):
        for name in [parent, *(os.path.join(parent, file) for file in files)]:
            os.lchown(name, uid, uid)


def install_plugin(root, lib):
    """A memos-plugin as the installer leaves it: all script names that releases had, and tsx."""
    put(
        root / "package.json",
        json.dumps({"name": "@memtensor/memos-local-plugin", "version": "2.0.16"}),
    )
    body = f"require({json.dumps(str(lib / 'standin.cjs'))});\n"
    for name in ("dist/bridge.cjs", "bridge.cts"):
        put(root / name, body)
    put(root / "dist/bridge.mjs", f"import {json.dumps(str(lib / 'standin.cjs'))};\n")
    tsx = root / "node_modules/tsx/dist"
    put(tsx / "preflight.cjs", "")
    put(tsx / "loader.mjs", (lib / "standin_tsx_loader.mjs").read_text())
    put(tsx / "cli.mjs", (lib / "standin_tsx_cli.mjs").read_text())
    return root


def install_hermes(root, lib):
    """The two Python packages whose modules are run by name."""
    put(root / "tui_gateway/__init__.py", "")
    put(root / "tui_gateway/slash_worker.py", (lib / "standin_worker.py").read_text())
    put(root / "hermes_cli/__init__.py", "")
    put(root / "hermes_cli/main.py", (lib / "standin_host.py").read_text())
    return root


class Layout:
    """base/home/u: the user's home; base/lib: stand-in bodies; base/run: what stand-ins write."""

    def __init__(self, binary):
        self.base = choose_base([str(binary), str(sandbox.HERE)])
        sandbox.mount("tmpfs", self.base, "tmpfs", data="mode=755")
        self.lib, self.run, self.home = self.base / "lib", self.base / "run", self.base / "home/u"
        shutil.copytree(sandbox.PROGRAMS, self.lib)
        self.run.mkdir()
        self.run.chmod(0o1777)
        # Any user can run it there, wherever the build folder is.
        self.binary = self.base / "bin/orphan-reaper"
        self.binary.parent.mkdir()
        shutil.copy2(binary, self.binary)
        self.home.mkdir(parents=True)
        self.plugin = install_plugin(self.home / ".hermes/memos-plugin", self.lib)
        self.hermes = install_hermes(self.home / ".hermes/hermes-agent", self.lib)
        own_below(self.home, UID)
        self.add_users()

    def add_users(self):
        """Root has a home here too: scenes run in parallel, and root's sweep locks its home."""
        (self.base / "home/root").mkdir(mode=0o700)
        lines = [
            f"root:x:0:0:root:{self.base}/home/root:/bin/sh",
            f"u:x:{UID}:{UID}::{self.home}:/bin/sh",
            f"v:x:{OTHER_UID}:{OTHER_UID}::{self.base}/home/v:/bin/sh",
        ]
        others = [
            line
            for line in pathlib.Path("/etc/passwd").read_text().splitlines()
            if line.split(":")[2] not in ("0", str(UID), str(OTHER_UID))
            and line.split(":")[0] not in ("u", "v")
        ]
        passwd = put(self.base / "etc/passwd", "\n".join(others + lines) + "\n", uid=0)
        sandbox.mount(str(passwd), "/etc/passwd", "none", 0x1000)  # MS_BIND
        pwd.getpwuid(UID)

    def data_home(self, name):
        folder = self.home / ".hermes/profiles" / name / "memos-plugin"
        folder.mkdir(parents=True, exist_ok=True)
        own_below(self.home / ".hermes/profiles", UID)
        return folder
