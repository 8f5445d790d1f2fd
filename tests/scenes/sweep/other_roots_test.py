"""A path means a folder only together with a root directory: processes that share a pid and network
namespace and have other roots, or other folders at the paths that this program reads, are left
alone, and what leaked beside them is still ended."""
import json
import os

from harness import actor, layout, roots, sandbox
from harness.roots import make_root, put, within
from harness.sandbox import case, expect
from harness.stage import Stage

SAME = ",".join([str(layout.UID)] * 3)
EVERYTHING = ("--reap", "abandoned,duplicate,held,in-service")


def sweeps(stage):
    """Each user that could end them: their own, and root for that one."""
    yield stage.sweep(*EVERYTHING)
    yield stage.sweep(*EVERYTHING, "--user", "u", uid=0)


class Scene:
    """become: how a process gets away from our paths; uid: of the host that starts it so."""

    def __init__(self, become, uid=0):
        self.stage = Stage()
        self.root = make_root(self.stage)
        self.home = self.stage.layout.data_home("home")
        self.become = [*become(self), *(("--uids", SAME) if uid == 0 else ())]
        self.uid = uid
        roots.layout.own_below(self.stage.layout.home, layout.UID)

    def theirs(self):
        """The home as the other root has it, at the same path."""
        folder = within(self.root, self.home)
        folder.mkdir(parents=True, exist_ok=True)
        layout.own_below(within(self.root, self.stage.layout.home), layout.UID)
        return folder

    def elsewhere(self, child, *args, **more):
        """An orphan that sees other folders."""
        self.stage.orphans([child(*args, become=self.become, **more)], uid=self.uid)

    def expect_all_kept(self, kept, code, status=0):
        for result in sweeps(self.stage):
            self.stage.expect_verdicts(result, {name: "foreign" for name in kept})
            for name in kept:
                self.stage.expect_evidence(result, name, code)
            self.stage.expect_sweep(result, [], list(self.stage.actors), status=status)

    def expect_leak_ends(self, status=0):
        stage = self.stage
        kept = list(stage.actors)
        stage.orphans(
            [
                stage.bridge("leaked", home=self.home),
                stage.worker("leaked-worker", session="leaked"),
            ]
        )
        stage.expect_sweep(
            stage.sweep(*EVERYTHING), ["leaked", "leaked-worker"], kept, status=status
        )


def chroot(scene):
    return ["--root", str(scene.root)]


def pod(scene):
    """A mount namespace as well, as containers of one pod have."""
    return ["--mount", f"{scene.root}:{scene.root}", "--root", str(scene.root)]


def own_chroot(scene):
    return ["--user-namespace", "--root", str(scene.root)]


def own_home(scene):
    """The same root, but another folder at the path of the home."""
    return ["--mount", f"{scene.theirs()}:{scene.home}"]


def two_daemons(become, code, uid=0):
    """The only daemon of its home is superseded by none that serves another folder of that name."""
    scene = Scene(become, uid)
    stage = scene.stage
    scene.theirs()
    stage.orphans([stage.daemon("ours", home=scene.home, port=18800)])
    scene.elsewhere(stage.daemon, "theirs", home=scene.home)
    scene.expect_all_kept([], code)
    result = stage.report()
    stage.expect_verdicts(result, {"ours": "designated", "theirs": "foreign"})
    stage.expect_evidence(result, "theirs", code)
    scene.expect_leak_ends()


def daemon_that_listens(become, code, uid=0):
    """The other way round: ours is silent, and theirs has the port that both would have."""
    scene = Scene(become, uid)
    stage = scene.stage
    scene.theirs()
    scene.elsewhere(stage.daemon, "theirs", home=scene.home, port=18800)
    stage.orphans([stage.daemon("ours", home=scene.home)])
    scene.expect_all_kept(["theirs"], code, status=1)  # ours may be leaked
    stage.expect_verdicts(stage.report(), {"ours": "unknown"})
    scene.expect_leak_ends(status=1)


def records_of_theirs(become, code, uid=0):
    """What would protect it lies where only it can see it: a marker of an update, a ledger with a
    live spawner, a pid file."""
    scene = Scene(become, uid)
    stage = scene.stage
    hermes = within(scene.root, stage.layout.home / ".hermes")
    scene.elsewhere(stage.bridge, "theirs", home=scene.home)
    scene.elsewhere(stage.worker, "their-worker", session="theirs")
    scene.elsewhere(stage.daemon, "their-daemon", home=scene.home)
    host = stage.start_host("their-host", [])
    pid, start = host.pid, actor.started_epoch(host.pid)
    put(
        hermes / "spawn-ledger.json",
        json.dumps(
            [
                {"pid": stage.actors[name].pid, "spawner_pid": pid, "spawner_start": start}
                for name in ("theirs", "their-worker")
            ]
        ),
    )
    put(hermes / ".hermes-update-in-progress", f"{pid}\n")
    put(hermes / "gateway.pid", json.dumps({"pid": pid}))
    put(scene.theirs() / "daemon/bridge.pid", str(stage.actors["their-daemon"].pid))
    scene.expect_all_kept(["theirs", "their-worker", "their-daemon"], code)
    scene.expect_leak_ends()


@case
def two_daemons_and_a_chroot():
    two_daemons(chroot, "veto.other_root")


@case
def two_daemons_of_one_pod():
    two_daemons(pod, "veto.other_root")


@case
def two_daemons_and_an_ordinary_users_chroot():
    two_daemons(own_chroot, "veto.other_root", uid=layout.UID)


@case
def two_daemons_and_a_home_that_is_mounted_for_one():
    two_daemons(own_home, "veto.other_home")


@case
def the_daemon_of_a_chroot_has_the_port():
    daemon_that_listens(chroot, "veto.other_root")


@case
def the_daemon_of_another_mount_namespace_has_the_port():
    daemon_that_listens(own_home, "veto.other_home")


@case
def records_in_a_chroot():
    records_of_theirs(chroot, "veto.other_root")


@case
def records_in_a_pod():
    records_of_theirs(pod, "veto.other_root")


@case
def records_in_an_ordinary_users_chroot():
    records_of_theirs(own_chroot, "veto.other_root", uid=layout.UID)


@case
def a_home_that_only_one_of_the_two_sees():
    scene = Scene(lambda scene: ["--mount", f"tmpfs:{scene.home.parent}"])
    scene.elsewhere(scene.stage.bridge, "without", home=scene.home)
    hidden = scene.stage.layout.home / "hidden"
    hidden.mkdir()
    (within(scene.root, hidden) / "home").mkdir(parents=True)
    scene.become[1] = f"{within(scene.root, hidden)}:{hidden}"
    scene.elsewhere(scene.stage.bridge, "with", home=hidden / "home")
    scene.expect_all_kept(["without", "with"], "veto.other_home")
    scene.expect_leak_ends()


@case
def a_home_that_neither_sees_is_no_other():
    stage = Stage()
    stage.orphans(
        [
            stage.bridge("leaked", home="/nowhere/at/all"),
            stage.bridge("leaked-too", home=stage.layout.home / "nowhere"),
        ]
    )
    stage.expect_sweep(stage.sweep(), ["leaked", "leaked-too"], [])


@case
def mounts_that_leave_the_home_alone():
    """As PrivateTmp=, ProtectHome= and BindPaths= of systemd make them."""

    def private(scene):
        user = scene.stage.layout.home
        return [
            "--mount",
            "tmpfs:/var/tmp",
            "--mount",
            f"tmpfs:{user}/.hermes/profiles",
            "--mount",
            f"{user}:{user}",
        ]

    scene = Scene(private)
    home = scene.stage.layout.home / "memos"
    home.mkdir()
    layout.own_below(home, layout.UID)
    scene.elsewhere(scene.stage.bridge, "leaked", home=home)
    scene.elsewhere(scene.stage.worker, "leaked-worker", session="leaked")
    scene.stage.expect_sweep(scene.stage.sweep(), ["leaked", "leaked-worker"], [])


@case
def records_beside_a_home_that_is_the_same():
    """The home itself is ours; the folder of its ledger and markers is not, and something is
    there."""

    def mounted(scene):
        home = scene.stage.layout.home
        return ["--mount", f"{within(scene.root, home / '.hermes')}:{home}/.hermes"]

    scene = Scene(mounted)
    stage = scene.stage
    home = stage.layout.home / "memos"
    home.mkdir()
    layout.own_below(home, layout.UID)
    scene.elsewhere(stage.bridge, "theirs", home=home)
    marker = put(
        within(scene.root, stage.layout.home / ".hermes/.hermes-update-in-progress"),
        f"{os.getpid()}\n",
    )
    for result in sweeps(stage):
        stage.expect_verdicts(result, {"theirs": "unknown"})
        stage.expect_evidence(result, "theirs", "veto.unreadable.records")
        stage.expect_sweep(result, [], ["theirs"], status=4)
    marker.unlink()
    stage.expect_sweep(stage.sweep(), ["theirs"], [])


@case
def a_sandbox_without_openat2():
    """Then only a path without links is certain."""
    stage = Stage()
    (stage.layout.home / "link").symlink_to(stage.layout.home / ".hermes")
    before = [sandbox.PYTHON, "-B", str(stage.layout.lib / "deny_calls.py"), "openat2=ENOSYS", "--"]
    stage.orphans(
        [
            stage.bridge("leaked"),
            stage.bridge("by-link", home=stage.layout.home / "link/memos-plugin"),
        ]
    )
    result = stage.sweep(before=before)
    stage.expect_evidence(result, "by-link", "veto.unreadable.home")
    stage.expect_sweep(result, ["leaked"], ["by-link"], status=4)
    del stage.actors["leaked"]
    stage.expect_sweep(stage.sweep(), ["by-link"], [])


if __name__ == "__main__":
    sandbox.main(__file__, globals())
