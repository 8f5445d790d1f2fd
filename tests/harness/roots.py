"""Root directories of their own, with another install and another home at the paths of the
first."""
import os

from . import layout, sandbox

MS_BIND, MS_REC = 0x1000, 0x4000


def bind(source, target):
    sandbox.mount(str(source), target, "none", MS_BIND | MS_REC)


def make_root(stage, name="root"):
    """The system, and what stand-ins write to, are the same; the users' homes are not."""
    base = stage.layout.base
    root = base / name
    root.mkdir()
    sandbox.mount("tmpfs", root, "tmpfs", data="mode=755")
    for entry in os.scandir("/"):
        copy = root / entry.name
        if entry.is_symlink():
            copy.symlink_to(os.readlink(entry.path))
        elif entry.is_dir():
            copy.mkdir()
            if entry.path != str(base):
                bind(entry.path, copy)
    inner = root / base.relative_to("/")
    for folder in ("lib", "run", "bin"):
        (inner / folder).mkdir()
        bind(base / folder, inner / folder)
    home = root / stage.layout.home.relative_to("/")
    layout.install_plugin(home / ".hermes/memos-plugin", stage.layout.lib)
    layout.install_hermes(home / ".hermes/hermes-agent", stage.layout.lib)
    layout.own_below(home, stage.uid)
    return root


def within(root, path):
    return root / path.relative_to("/")


def put(path, text, uid=layout.UID):
    layout.put(path, text, uid)
    layout.own_below(path.parent, uid)
    return path
