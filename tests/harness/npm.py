"""Real programs from npm, installed once into a cache: outside of a sandbox, which has no
network."""
import fcntl
import os
import pathlib
import shutil
import subprocess

from . import sandbox

CACHE = (
    pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"))
    / "orphan-reaper/npm"
)
MS_BIND = 0x1000


def install(name, *packages, link=None):
    """Into the folder of that name, which is there as a whole or not at all. No script of a package
    runs; link: of a program and where its package's script would have put it. Says so where it
    cannot be done: mount() then skips."""
    if (CACHE / name).exists() or not shutil.which("npm"):
        return
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # cases run side by side
        if not (CACHE / name).exists():
            fetch(CACHE / name, packages, link)


def fetch(folder, packages, link):
    new = folder.with_name(f"{folder.name}.{os.getpid()}")
    new.mkdir()
    try:
        (new / "package.json").write_text("{}")
        subprocess.run(
            ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", *packages],
            cwd=new,
            capture_output=True,
            timeout=300,
            check=True,
        )
        if link:
            program, place = (new / "node_modules" / path for path in link)
            place.unlink(missing_ok=True)
            os.link(program, place)
        new.rename(folder)
    except (OSError, subprocess.SubprocessError) as trouble:
        print(f"{' '.join(packages)} could not be installed: {trouble}", flush=True)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def show_cache(target):
    """There it stays in sight whatever is mounted over its own place."""
    target.mkdir()
    if CACHE.exists():
        sandbox.mount(str(CACHE), target, "none", MS_BIND)


def mount(name, target, cache=CACHE):
    """Shows the packages of that folder at `target`, a path that ends in node_modules."""
    installed = cache / name / "node_modules"
    if not installed.exists():
        raise sandbox.Skip(f"{name} is not in {CACHE}, and npm could not fetch it")
    target.mkdir(parents=True, exist_ok=True)
    sandbox.mount(str(installed), target, "none", MS_BIND)
    return target
