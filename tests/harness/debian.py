"""Real programs from Debian packages, unpacked once into a cache: outside of a sandbox, which has
no network. Nothing of them is installed, and none of their scripts runs."""
import fcntl
import os
import pathlib
import shutil
import subprocess

from . import sandbox

CACHE = (
    pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"))
    / "orphan-reaper/debian"
)


def unpack(name, *packages):
    """Into the folder of that name, which is there as a whole or not at all. Says so where it
    cannot be done: folder_of() then skips."""
    if (CACHE / name).exists() or not shutil.which("apt-get"):
        return
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # cases run side by side
        if not (CACHE / name).exists():
            fetch(CACHE / name, packages)


def fetch(folder, packages):
    new = folder.with_name(f"{folder.name}.{os.getpid()}")
    new.mkdir()
    try:
        subprocess.run(
            ["apt-get", "-q", "download", *packages],
            cwd=new,
            capture_output=True,
            timeout=300,
            check=True,
        )
        for package in list(new.glob("*.deb")):
            subprocess.run(["dpkg", "-x", package, new], capture_output=True, check=True)
            package.unlink()
        new.rename(folder)
    except (OSError, subprocess.SubprocessError) as trouble:
        print(f"{' '.join(packages)} could not be fetched: {trouble}", flush=True)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def folder_of(name):
    if not (CACHE / name).exists():
        raise sandbox.Skip(f"{name} is not in {CACHE}, and apt-get could not fetch it")
    return CACHE / name
