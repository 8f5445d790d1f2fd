"""Runs every case in pid, mount, network and ipc namespaces of its own: whatever a case starts,
mounts or listens on is gone with its pid 1,
and no case can see, let alone signal, a process that it did not start."""
import ctypes
import fcntl
import functools
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import traceback

PYTHON = "/usr/bin/python3"
NODE = "/usr/bin/node"
SKIP = 125
PROGRAM = "/var/lib/program/orphan-reaper"
HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parent / "programs"
PROGRAMS = pathlib.Path(os.environ.get("REAPER_PROGRAMS", SOURCES))

libc = ctypes.CDLL(None, use_errno=True)


class Skip(Exception):
    """This machine cannot run the case; the text says why."""


def only_with(variable):
    """Makes a decorator of cases that are skipped unless this variable asks for them."""

    def mark(function):
        @functools.wraps(function)
        def run():
            if not os.environ.get(variable):
                raise Skip(f"only packaging/check --release runs it ({variable}=1)")
            function()

        return run

    return mark


def case(function=None, *, lazy=False, timeout=90, alone=False):
    """Marks a test case. lazy: pid 1 does not reap what it adopts. alone: it measures time, so
    ctest runs no other beside it."""

    def mark(target):
        target.is_case, target.lazy, target.timeout, target.alone = True, lazy, timeout, alone
        return target

    return mark(function) if function else mark


def expect(condition, message):
    if not condition:
        raise AssertionError(message)


def mount(source, target, kind, flags=0, data=""):
    if libc.mount(source.encode(), str(target).encode(), kind.encode(), flags, data.encode()) != 0:
        raise OSError(ctypes.get_errno(), f"mount {source} on {target}")


def become_subreaper(adopting=True):
    """Whether this process adopts what its descendants leave behind."""
    pr_set_child_subreaper = 36
    expect(
        libc.prctl(pr_set_child_subreaper, int(adopting), 0, 0, 0) == 0,
        os.strerror(ctypes.get_errno()),
    )


def raise_loopback():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        siocsifflags, up = 0x8914, 0x1 | 0x40
        fcntl.ioctl(any_socket, siocsifflags, struct.pack("16sH14s", b"lo", up, b""))


def hide_history():
    """What root's sweeps write down goes to a tmpfs of the case, not into the history of this
    machine."""
    mount("tmpfs", "/var/lib", "tmpfs", data="mode=755")
    os.mkdir("/var/lib/orphan-reaper", 0o700)


def show_program():
    """The program under test and the stand-ins, where any user may run them, wherever this folder
    is."""
    ms_bind = 0x1000
    PROGRAMS.mkdir(parents=True)
    pathlib.Path(PROGRAM).touch()
    mount(os.environ["REAPER_BUILT"], PROGRAM, "none", ms_bind)
    mount(str(SOURCES), PROGRAMS, "none", ms_bind)


def cgroup_roots():
    """The hierarchies that systemd uses: one on cgroup v2, two on the hybrid layout."""
    candidates = ["/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified", "/sys/fs/cgroup"]
    return [
        pathlib.Path(folder) for folder in candidates if os.path.exists(folder + "/cgroup.procs")
    ]


def make_cgroup(leaf, owner=0):
    """Cgroups of that name in every hierarchy, which run_in_sandbox removes again; none where none
    can be made."""
    made = []
    for root in cgroup_roots():
        folder = root / os.environ["REAPER_TEST_CGROUP"] / leaf
        try:
            folder.mkdir(parents=True)
        except OSError:
            return []
        for path in (folder, *folder.iterdir()):
            os.chown(path, owner, owner)
        made.append(str(folder))
    return made


def pids_root():
    """Where cgroups limit the number of processes: the whole of version 2, or a hierarchy of
    version 1."""
    old = pathlib.Path("/sys/fs/cgroup/pids")
    return old if (old / "cgroup.procs").exists() else pathlib.Path("/sys/fs/cgroup")


def make_pids_cgroup(path):
    """A cgroup with a limit of its own, which run_in_sandbox removes again."""
    root = pids_root()
    folder = root / os.environ["REAPER_TEST_CGROUP"] / path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for above in reversed(folder.relative_to(root).parents):
            control = root / above / "cgroup.subtree_control"
            if control.exists():
                control.write_text("+pids")
    except OSError as error:
        raise Skip(f"no cgroup can be made here: {error}") from error
    if not (folder / "pids.max").exists():
        raise Skip("cgroups do not limit the number of processes here")
    return folder


def remove_cgroups(name):
    for top in [root / name for root in {*cgroup_roots(), pids_root()}]:
        for folder, _below, _files in os.walk(top, topdown=False):
            remove_cgroup(folder)


def remove_cgroup(folder):
    for _attempt in range(100):  # its last process may still be on its way out
        try:
            os.rmdir(folder)
            return
        except OSError:
            time.sleep(0.02)


def missing_here():
    """Why no case can run on this machine; empty: all can."""
    if os.geteuid() != 0:
        return "needs root, to make namespaces and other users' processes"
    for program in ("unshare", NODE, PYTHON):
        if not shutil.which(program):
            return f"needs {program}"
    probe = subprocess.run(
        ["unshare", "--pid", "--fork", "--mount-proc", "--net", "--ipc", "true"],
        capture_output=True,
        text=True,
    )
    return f"unshare does not work here: {probe.stderr.strip()}" if probe.returncode else ""


def run_in_sandbox(script, name, function):
    command = [
        "unshare",
        "--pid",
        "--fork",
        "--kill-child",
        "--mount-proc",
        "--net",
        "--ipc",
        PYTHON,
        "-B",
        str(HERE / "init.py"),
    ]
    command += ["--lazy"] if function.lazy else []
    command += [PYTHON, "-B", script, "--inside", name]
    cgroup = f"reaper-test-{os.getpid()}.slice"
    environment = {
        **os.environ,
        "REAPER_TEST_CGROUP": cgroup,
        "REAPER_BUILT": os.environ["ORPHAN_REAPER"],
        "ORPHAN_REAPER": PROGRAM,
        "REAPER_PROGRAMS": PROGRAM + "-programs",
    }
    inside = subprocess.Popen(command, stdin=subprocess.DEVNULL, env=environment)
    try:
        return inside.wait(timeout=function.timeout)
    except subprocess.TimeoutExpired:
        print(f"     {name} took longer than {function.timeout} s", flush=True)
        return 1
    finally:
        inside.kill()  # --kill-child takes the namespace's pid 1 along
        inside.wait()
        remove_cgroups(cgroup)


def run_inside(function):
    try:
        raise_loopback()
        hide_history()
        show_program()
        function()
    except Skip as reason:
        print(f"     skipped: {reason}", flush=True)
        return SKIP
    except Exception:
        traceback.print_exc()
        return 1
    return 0


def main(script, names):
    """Runs the cases among `names`; SKIP when one could not run and none failed. Arguments choose
    cases by name; --list prints the names."""
    cases = {name: value for name, value in names.items() if getattr(value, "is_case", False)}
    if sys.argv[1:2] == ["--inside"]:
        sys.exit(run_inside(cases[sys.argv[2]]))
    if sys.argv[1:2] == ["--list"]:
        print("\n".join(cases))
        sys.exit(0)
    reason = missing_here()
    # So that whatever ends us, the rest is cleaned up.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if reason:
        print(f"SKIP everything: {reason}")
        sys.exit(SKIP)
    roots = {*cgroup_roots(), pids_root()}
    for top in [top for root in roots for top in root.glob("reaper-test-*.slice")]:
        if not os.path.exists("/proc/" + top.stem.rpartition("-")[2]):
            remove_cgroups(top.name)  # of a run that was killed
    chosen = sys.argv[1:] or list(cases)
    results = {}
    for name in chosen:
        began = time.monotonic()
        results[name] = run_in_sandbox(script, name, cases[name])
        word = {0: "pass", SKIP: "SKIP"}.get(results[name], "FAIL")
        print(f"{word} {name} ({time.monotonic() - began:.1f} s)", flush=True)
    failed = [name for name, result in results.items() if result not in (0, SKIP)]
    skipped = [name for name, result in results.items() if result == SKIP]
    print(f"{len(results)} cases: {len(failed)} failed {failed}, {len(skipped)} skipped {skipped}")
    sys.exit(1 if failed else SKIP if skipped else 0)
