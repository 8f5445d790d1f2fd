"""Every way to leak (L1 to L12), once more with its user, its home or its host changed: then a
sweep that is told to end all that it can ends nothing. The last step of each case is its control:
the same scene, and only what leaked ends."""
import subprocess

from harness import sandbox
from harness.layout import OTHER_UID, UID
from harness.sandbox import case, expect
from harness.stage import Stage

EVERYTHING = ("--reap", "abandoned,duplicate,held,in-service")


def as_subreaper(function):
    """L2: whatever `function` leaves behind is adopted by this process, which did not start it."""
    sandbox.become_subreaper()
    function()
    sandbox.become_subreaper(False)


class Leaks:
    """One of each. leaked: what a sweep that is told everything ends; silent: what has no
    heartbeat."""

    def __init__(self, stage, home="home"):
        self.stage, self.leaked, self.silent = stage, [], ["l3-holder"]
        self.home = stage.layout.data_home(home)

    def leak(self, child):
        self.leaked.append(child["name"])
        return child

    def bridge(self, name, **more):
        return self.stage.bridge(name, home=self.home, **more)

    def build(self):
        for step in (
            self.killed_hosts,
            self.subreaper,
            self.holder,
            self.duplicates,
            self.abandoned,
            self.daemons,
            self.pair,
            self.workers,
        ):
            step()
        return self

    def killed_hosts(self):
        self.stage.orphans(
            [self.leak(self.bridge("l1")), self.leak(self.stage.worker("l1-worker", session="l1"))]
        )
        self.stage.orphans([self.leak(self.bridge("l1-node"))], kind="node")

    def subreaper(self):
        as_subreaper(lambda: self.stage.orphans([self.leak(self.bridge("l2"))]))

    def holder(self):
        self.stage.orphans([self.leak(self.bridge("l3", leak_to=["/bin/sleep", "100"]))])
        self.stage.know("l3-holder")

    def duplicates(self):
        self.stage.start_host(
            "l4-host", [self.leak(self.bridge("l4-old")), self.bridge("l4-new", after=0.3)]
        )

    def abandoned(self):
        self.stage.start_host("l5-host", [self.leak(self.bridge("l5", stdio="abandoned"))])

    def daemons(self):
        stage = self.stage
        stage.orphans([self.leak(stage.daemon("l9", home=self.home))])
        stage.orphans([stage.daemon("l8", home=self.home, port=18800)])
        stage.orphans([self.leak(self.bridge("l10", arguments=("--agent=hermes",)))])

    def pair(self):
        stage = self.stage
        stage.start_host("l11-host", [stage.tsx_bridge("l11", home=self.home)], lost=["l11"])
        stage.meet_pair("l11")
        stage.kill_host("l11-host")
        self.leaked += ["l11", "l11-leaf"]

    def workers(self):
        worker = self.stage.worker
        self.stage.start_host(
            "l12-host",
            [
                self.leak(worker("l12-old", session="l12")),
                worker("l12-new", session="l12", after=0.3),
            ],
            kind="dashboard",
        )

    def expect_all_kept(self, result, status=0):
        self.stage.expect_sweep(result, [], list(self.stage.actors), self.silent, status)

    def expect_control(self, result):
        alive = [name for name in self.stage.actors if name not in self.leaked]
        self.stage.expect_sweep(result, self.leaked, alive, self.silent)


@case
def of_another_user():
    """Neither a user's sweep nor root's for that user ends what another one leaked."""
    stage = Stage(uid=OTHER_UID)
    leaks = Leaks(stage).build()
    mine = stage.sweep(*EVERYTHING, uid=UID)
    expect(not mine.processes, mine.explain())
    leaks.expect_all_kept(mine)
    leaks.expect_all_kept(stage.sweep(*EVERYTHING, "--user", "u", uid=0))
    leaks.expect_control(stage.sweep(*EVERYTHING, "--user", "v", uid=0))


@case
def of_another_home():
    stage = Stage()
    leaks = Leaks(stage).build()
    elsewhere = stage.layout.data_home("elsewhere")
    leaks.expect_all_kept(stage.sweep(*EVERYTHING, "--home", str(elsewhere)))
    leaks.expect_control(stage.sweep(*EVERYTHING))


@case
def protected_by_their_home():
    stage = Stage()
    leaks = Leaks(stage).build()
    config = stage.layout.home / "rules.json"
    homes = [str(leaks.home), f"{stage.layout.home}/.hermes"]
    config.write_text('{"protect": [%s]}' % ", ".join('{"home": "%s"}' % home for home in homes))
    leaks.expect_all_kept(stage.sweep(*EVERYTHING, "--config", str(config)))
    leaks.expect_control(stage.sweep(*EVERYTHING))


class Hosted(Leaks):
    """The same helpers, but the host of each lives and talks to it; and where two would be one too
    many, each has a host or a home of its own."""

    def killed_hosts(self):
        self.stage.start_host(
            "l1-host", [self.bridge("l1"), self.stage.worker("l1-worker", session="l1")]
        )
        self.stage.start_host("l1-node-host", [self.bridge("l1-node")], kind="node")

    def subreaper(self):
        as_subreaper(self.start_as_subreaper)

    def start_as_subreaper(self):
        """A subreaper that did start it is its host."""
        stage, child = self.stage, self.bridge("l2")
        environment = {"HOME": str(stage.layout.home), "PATH": "/usr/bin:/bin", **child["env"]}
        self.kept = subprocess.Popen(
            child["argv"],
            cwd=child["cwd"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            user=stage.uid,
            group=stage.uid,
            extra_groups=[],
        )
        stage.meet("l2")

    def holder(self):
        self.stage.start_host("l3-host", [self.bridge("l3", leak_to=["/bin/sleep", "100"])])
        self.stage.know("l3-holder")

    def duplicates(self):
        self.stage.start_host("l4-host", [self.bridge("l4-old")])
        self.stage.start_host("l6-host", [self.bridge("l4-new")])
        other_home = self.stage.layout.data_home("l7")
        self.stage.start_host(
            "l7-host",
            [self.stage.bridge("l7-old"), self.stage.bridge("l7-new", home=other_home, after=0.3)],
        )

    def abandoned(self):
        self.stage.start_host("l5-host", [self.bridge("l5", stdio="stdin_closed")])

    def daemons(self):
        stage = self.stage
        stage.start_host("l9-host", [stage.daemon("l9", home=self.home)])
        stage.orphans([stage.daemon("l8", home=self.home, port=18800)])
        stage.orphans([stage.daemon("l9-other-home")])  # nothing serves that one
        stage.start_host("l10-host", [self.bridge("l10", arguments=("--agent=hermes",))])

    def pair(self):
        self.stage.start_host(
            "l11-host", [self.stage.tsx_bridge("l11", home=self.home)], lost=["l11"]
        )
        self.stage.meet_pair("l11")

    def workers(self):
        stage, elsewhere = self.stage, str(self.stage.layout.data_home("l12").parent)
        stage.start_host(
            "l12-host",
            [
                stage.worker("l12-old", session="l12"),
                stage.worker("l12-other-home", session="l12", env={"HERMES_HOME": elsewhere}),
            ],
            kind="dashboard",
        )
        stage.start_host("l12-second", [stage.worker("l12-new", session="l12")], kind="dashboard")


@case
def of_a_living_host():
    """The control: each host that is killed leaves its own helper, and only that one, to the next
    sweep."""
    stage = Stage()
    hosted = Hosted(stage).build()
    # Of the daemon of a home that no other serves nothing is proved.
    hosted.expect_all_kept(stage.sweep(*EVERYTHING), status=1)
    for host, left in (
        ("l6-host", ["l4-new"]),
        ("l12-second", ["l12-new"]),
        ("l11-host", ["l11", "l11-leaf"]),
    ):
        stage.kill_host(host)
        alive = [name for name in stage.actors if name not in left]
        result = stage.sweep(*EVERYTHING)
        stage.expect_sweep(result, left, alive, hosted.silent, status=1)
        for name in left:
            del stage.actors[name]


if __name__ == "__main__":
    sandbox.main(__file__, globals())
