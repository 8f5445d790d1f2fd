"""The real tsx from npm, as MemOS starts its bridge by it: a root process that listens on a socket
of its own, and the leaf that it runs. Leaked pairs end, all others stay."""
import os
import pathlib
import signal
import socket
import sys

from harness import actor, layout, npm, sandbox
from harness.actor import parent_of, wait_until
from harness.sandbox import NODE, case, expect
from harness.stage import Stage

OLDER, NEWER = "4.21.0", "4.23.15"
DAEMON = ("--agent=hermes", "--daemon")


class TsxStage(Stage):
    def __init__(self, version, temporary=True):
        super().__init__()
        npm.mount(f"tsx-{version}", self.layout.plugin / "node_modules")
        sandbox.mount("tmpfs", "/tmp", "tmpfs", data="mode=1777")
        self.temporary = pathlib.Path(f"{self.run}/tmp" if temporary else "/tmp")
        self.temporary.mkdir(exist_ok=True)
        self.temporary.chmod(0o1777)
        self.named_temporary = temporary

    def pair(
        self,
        name,
        arguments=("--agent=hermes", "--no-viewer"),
        home=None,
        stdio="pipe",
        more=(),
        **wish,
    ):
        plugin = self.layout.plugin
        environment = {"MEMOS_HOME": str(home or self.layout.data_home(name)), **dict(more)}
        if self.named_temporary:
            environment.setdefault("TMPDIR", str(self.temporary) + "/")
        argv = [NODE, plugin / "node_modules/tsx/dist/cli.mjs", plugin / "bridge.cts", *arguments]
        return self.child(name, argv, plugin, env=environment, stdio=stdio, ignore_eof=True, **wish)

    def start(self, host, *pairs):
        """Pairs are known as NAME and NAME-leaf."""
        self.start_host(host, list(pairs), lost=[one["name"] for one in pairs])
        for one in pairs:
            self.meet_real_pair(one["name"])

    def meet_real_pair(self, name):
        ready = self.run / f"{name}.ready"
        leaf = int(wait_until(lambda: actor.read_bytes(ready), f"{name} to be ready"))
        self.know(name, parent_of(leaf))
        self.know(f"{name}-leaf", leaf)
        os.symlink(f"{name}.beat", self.run / f"{name}-leaf.beat")
        expect(
            self.socket_of(name).is_socket(), f"{name} does not listen on {self.socket_of(name)}"
        )

    def leak(self, *pairs):
        self.killed += 1
        host = f"dead-host-{self.killed}"
        self.start(host, *pairs)
        self.kill_host(host)

    def socket_of(self, name):
        return self.temporary / f"tsx-{self.uid}/{self.actors[name].pid}.pipe"

    def connect(self, name):
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(self.socket_of(name)))
        return client

    def expect_kept_unproven(self, names, code):
        """Kept, and never called clean."""
        for command in (self.report, self.sweep):
            result = command()
            self.expect_verdicts(result, {name: ("unknown", "report") for name in names})
            self.expect_evidence(result, names[0], code)
            expect(result.status == 1, f"exit {result.status}, wanted 1: {result.explain()}")
        self.expect_alive([name for name in self.actors if name not in names], [])
        expect(
            not [name for name in names if not self.actors[name].alive()],
            f"one of {names} was ended",
        )

    def expect_pair_ended(self, name, *others):
        result = self.sweep()
        expect(result.status == 0, result.explain())
        self.expect_ended([name, f"{name}-leaf"])
        self.expect_alive(list(others))


@case
def orphaned_pair_ends_and_others_stay():
    orphaned_pair_ends_and_others_stay_of(OLDER)


@case
def orphaned_pair_ends_and_others_stay_newer():
    orphaned_pair_ends_and_others_stay_of(NEWER)


def orphaned_pair_ends_and_others_stay_of(version):
    stage = TsxStage(version)
    stage.leak(stage.pair("leaked"))
    stage.start("gateway", stage.pair("attached"))
    stage.leak(stage.pair("daemon", DAEMON, stdio="detached", detached=True, port=18800))
    kept = ["gateway", "attached", "attached-leaf", "daemon", "daemon-leaf"]
    report = stage.report()
    stage.expect_verdicts(
        report,
        {
            "leaked": ("orphan", "reap"),
            "leaked-leaf": ("orphan", "reap"),
            "attached": ("attached", "keep"),
            "attached-leaf": ("attached", "keep"),
            "daemon-leaf": ("designated", "keep"),
        },
    )
    expect(report.process(stage.actors["daemon"].pid)["action"] != "reap", report.explain())
    stage.expect_evidence(report, "leaked", "listens.launcher")
    expect(report.status == 1, report.explain())
    stage.expect_pair_ended("leaked", *kept)


@case
def busy_leaf_has_its_grace():
    """tsx kills what does not take the TERM that it passes on within 60 ms; what closes a database
    may well need longer."""
    stage = TsxStage(OLDER)
    body = stage.layout.plugin / "busy.cjs"
    layout.put(
        body,
        "if ((process.argv[1] || '').endsWith('bridge.cts')) process.on('SIGTERM', () => {\n"
        "  const end = Date.now() + 700; while (Date.now() < end);\n"
        f"  require('fs').writeFileSync('{stage.run}/closed', '');\n}});\n",
    )
    stage.leak(stage.pair("leaked", more={"NODE_OPTIONS": f"--require {body}"}))
    result = stage.reaper(
        "sweep", "--json", "--min-age", "1ms", "--settle", "200ms", "--grace", "10s"
    )
    expect(result.status == 0, result.explain())
    stage.expect_ended(["leaked", "leaked-leaf"])
    expect((stage.run / "closed").exists(), "the leaf was killed at its work")


@case
def in_the_folder_that_everybody_has():
    stage = TsxStage(OLDER, temporary=False)
    stage.leak(stage.pair("leaked"))
    stage.expect_pair_ended("leaked")


@case
def temporary_folder_with_needless_slashes():
    """tsx listens on the path without them."""
    stage = TsxStage(NEWER)
    stage.leak(stage.pair("leaked", more={"TMPDIR": f"{stage.run}//tmp/./"}))
    stage.expect_pair_ended("leaked")


@case
def daemon_pair_that_lost_its_port_is_superseded():
    daemon_pair_that_lost_its_port_is_superseded_of(OLDER)


@case
def daemon_pair_that_lost_its_port_is_superseded_newer():
    daemon_pair_that_lost_its_port_is_superseded_of(NEWER)


def daemon_pair_that_lost_its_port_is_superseded_of(version):
    stage = TsxStage(version)
    home = stage.layout.data_home("home")
    stage.leak(stage.pair("daemon", DAEMON, home, stdio="detached", detached=True, port=18800))
    stage.leak(stage.pair("second", DAEMON, home, stdio="detached", detached=True))
    stage.expect_verdicts(
        stage.report(),
        {"second": "superseded", "second-leaf": "superseded", "daemon-leaf": "designated"},
    )
    stage.expect_pair_ended("second", "daemon", "daemon-leaf")


@case
def older_of_two_pairs_of_one_host():
    older_of_two_pairs_of_one_host_of(OLDER)


@case
def older_of_two_pairs_of_one_host_newer():
    older_of_two_pairs_of_one_host_of(NEWER)


def older_of_two_pairs_of_one_host_of(version):
    stage = TsxStage(version)
    home = stage.layout.data_home("home")
    stage.start(
        "gateway", stage.pair("older", home=home), stage.pair("newer", home=home, after=0.1)
    )
    expect(stage.sweep("--reap", "duplicate").status == 0, "the newer one is enough")
    stage.expect_ended(["older", "older-leaf"])
    stage.expect_alive(["gateway", "newer", "newer-leaf"])


@case
def leaf_whose_root_was_killed():
    leaf_whose_root_was_killed_of(OLDER)


@case
def leaf_whose_root_was_killed_newer():
    leaf_whose_root_was_killed_of(NEWER)


def leaf_whose_root_was_killed_of(version):
    stage = TsxStage(version)
    stage.leak(stage.pair("pair"))
    stage.actors["pair"].send(signal.SIGKILL)
    expect(stage.actors["pair"].wait_ended(), "the root")
    wait_until(lambda: parent_of(stage.actors["pair-leaf"].pid) == 1, "the adoption")
    expect(stage.sweep().status == 0, "an orphan like any other")
    stage.expect_ended(["pair-leaf"])


@case
def root_whose_leaf_was_killed():
    stage = TsxStage(OLDER)
    stage.leak(stage.pair("pair"))
    stage.stop("pair")  # or it would end by itself
    stage.actors["pair-leaf"].send(signal.SIGKILL)
    expect(stage.actors["pair-leaf"].wait_ended(), "the leaf")
    result = stage.sweep()
    expect(result.status == 0, result.explain())
    stage.expect_ended(["pair"])


@case
def root_that_is_stopped_ends_with_its_leaf():
    """It cannot collect the leaf, which stays a zombie until the root is told to end, too."""
    stage = TsxStage(OLDER)
    stage.leak(stage.pair("pair"))
    stage.stop("pair")
    stage.expect_pair_ended("pair")


@case
def stranger_on_its_socket_keeps_it():
    stranger_on_its_socket_keeps_it_of(OLDER)


@case
def stranger_on_its_socket_keeps_it_newer():
    stranger_on_its_socket_keeps_it_of(NEWER)


def stranger_on_its_socket_keeps_it_of(version):
    stage = TsxStage(version)
    stage.leak(stage.pair("pair"))
    stranger = stage.connect("pair")
    stage.expect_kept_unproven(["pair", "pair-leaf"], "veto.listens")
    stranger.close()
    wait_until(
        lambda: stage.report().process(stage.actors["pair"].pid)["action"] == "reap",
        "the stranger to be gone",
    )
    stage.expect_pair_ended("pair")


@case
def stranger_that_waits_to_be_accepted_keeps_it():
    stage = TsxStage(OLDER)
    stage.leak(stage.pair("pair"))
    stage.stop("pair")
    stranger = stage.connect("pair")
    stage.expect_kept_unproven(["pair", "pair-leaf"], "veto.listens")
    stranger.close()


@case
def second_socket_is_a_service():
    stage = TsxStage(OLDER)
    body = stage.layout.plugin / "second.cjs"
    layout.put(
        body,
        f"if ((process.argv[1] || '').endsWith('cli.mjs')) "
        f"require('net').createServer().listen('{stage.run}/second.pipe');\n",
    )
    stage.leak(stage.pair("pair", more={"NODE_OPTIONS": f"--require {body}"}))
    stage.expect_kept_unproven(["pair", "pair-leaf"], "veto.listens")


@case
def socket_below_another_folder_is_a_service():
    stage = TsxStage(OLDER)
    body = stage.layout.plugin / "moved.cjs"
    elsewhere = stage.run / "elsewhere"
    elsewhere.mkdir()
    elsewhere.chmod(0o1777)
    layout.put(body, f"process.env.TMPDIR = '{elsewhere}';\n")
    pair = stage.pair("pair", more={"NODE_OPTIONS": f"--require {body}"})
    named, stage.temporary = stage.temporary, elsewhere
    stage.leak(pair)
    expect(named != stage.temporary, "the test needs two folders")
    stage.expect_kept_unproven(["pair", "pair-leaf"], "veto.listens")


@case
def headless_bridge_on_such_a_path_is_a_service():
    stage = Stage()
    folder = stage.run / f"tsx-{stage.uid}"
    folder.mkdir()
    folder.chmod(0o1777)
    body = stage.layout.plugin / "listen.cjs"
    layout.put(
        body, f"require('net').createServer().listen('{folder}/' + process.pid + '.pipe');\n"
    )
    bridge = stage.bridge(
        "bridge", env={"NODE_OPTIONS": f"--require {body}", "TMPDIR": str(stage.run)}
    )
    stage.orphans([bridge])
    result = stage.sweep()
    stage.expect_verdicts(result, {"bridge": ("unknown", "report")})
    expect(result.status == 1, result.explain())
    stage.expect_alive(["bridge"])


@case
def program_that_looks_like_tsx_wins_its_own_end_only():
    """By argv, environment and socket it is a tsx root; so it ends as one, and so does nothing
    else."""
    stage = Stage()
    folder = stage.run / f"tsx-{stage.uid}"
    folder.mkdir()
    folder.chmod(0o1777)
    fake = stage.layout.plugin / "node_modules/tsx/dist/cli.mjs"
    layout.put(
        fake,
        "import net from 'node:net';\nimport fs from 'node:fs';\n"
        "const wish = JSON.parse(process.env.STANDIN);\n"
        "setTimeout(() => process.exit(99), 100000);\n"
        f"net.createServer().listen('{folder}/' + process.pid + '.pipe',\n"
        "  () => fs.writeFileSync(`${wish.dir}/${wish.name}.ready`, String(process.pid)));\n",
    )
    plugin = stage.layout.plugin
    argv = [NODE, fake, plugin / "bridge.cts", "--agent=hermes", "--no-viewer"]
    environment = {"MEMOS_HOME": str(stage.layout.data_home("fake")), "TMPDIR": str(stage.run)}
    stage.orphans([stage.child("fake", argv, plugin, env=environment)])
    stage.start_host("gateway", [stage.bridge("attached")])
    result = stage.sweep()
    expect(result.status == 0, result.explain())
    stage.expect_ended(["fake"])
    stage.expect_alive(["gateway", "attached"])


if __name__ == "__main__":
    if sys.argv[1:2] not in (["--inside"], ["--list"]) and not sandbox.missing_here():
        for wanted in (OLDER, NEWER):
            npm.install(f"tsx-{wanted}", f"tsx@{wanted}")
    sandbox.main(__file__, globals())
