"""One bystander of every veto, all of them leaked in every other respect, in one scene with two
that really are leaked: only these two end.

There is no kernel thread among them: none can be made, and none lives in a private pid namespace;
the unit tests of the policy hold that veto.
"""
import json
import os
import shutil
import subprocess
import time

from harness import actor, sandbox
from harness.actor import wait_until
from harness.layout import OTHER_UID, own_below, put
from harness.product import Result
from harness.sandbox import NODE, PYTHON, case, expect
from harness.stage import HEADLESS, Stage, age
from harness.user_manager import pretend_booted

MIN_AGE = 4.0


def in_cgroup(name):
    """Options of become.py that put a process there; none where none can be made."""
    return [word for folder in sandbox.make_cgroup(name) for word in ("--cgroup", folder)]


class Scene:
    """Builds the bystanders. vetoes: name -> the evidence that has to be in the report; None: it is
    no member and not listed at all."""

    def __init__(self, stage):
        self.stage = stage
        self.vetoes = {}
        self.silent = ["gateway", "dead-stdin-holder"]
        self.more_arguments = []

    def leaked(self):
        self.stage.orphans(
            [self.stage.bridge("leaked"), self.stage.worker("leaked-worker", session="leaked")]
        )

    def add(self, child, code, **host):
        self.stage.orphans([child], **host)
        self.vetoes[child["name"]] = code

    def other_users(self):
        stage, uid = self.stage, self.stage.uid
        self.add(
            stage.bridge("other-user", become=("--uids", f"{OTHER_UID},{OTHER_UID},{OTHER_UID}")),
            "foreign",
            uid=0,
        )
        same = f"{uid},{uid},{uid}"
        self.add(
            stage.bridge("namespace-init", become=("--pid-namespace", "--uids", same)),
            "foreign",
            uid=0,
        )
        self.add(
            stage.bridge("namespace-member", become=("--pid-namespace-member", "--uids", same)),
            "foreign",
            uid=0,
        )
        stage.know("namespace-member-init")
        self.silent.append("namespace-member-init")

    def mixed_user(self):
        uid = self.stage.uid
        self.add(
            self.stage.worker("saved-uid", session="saved", uids=[uid, uid, OTHER_UID]),
            "veto.mixed_users",
            uid=0,
        )
        self.add(
            self.stage.worker("effective-uid", session="effective", uids=[OTHER_UID, uid, uid]),
            "veto.mixed_users",
            uid=0,
        )

    def listeners(self):
        self.add(self.stage.bridge("listens-tcp", port=18999), "veto.listens")
        self.add(
            self.stage.bridge("listens-unix", unix=str(self.stage.run / "bridge.sock")),
            "veto.listens",
        )
        self.add(self.stage.bridge("listens-abstract", unix="\0bridge"), "veto.listens")

    def supervised(self):
        stage, same = self.stage, f"{self.stage.uid}," * 2 + str(self.stage.uid)
        self.add(stage.bridge("supervised", become=("--exec-pid",)), "veto.supervised")
        inside = in_cgroup("bridge.service")
        if inside:
            pretend_booted()  # its manager does not answer
            self.add(
                stage.bridge("supervised-in-unit", become=(*inside, "--uids", same, "--exec-pid")),
                "veto.supervised",
                uid=0,
            )
            self.add(
                stage.bridge("in-unit-of-whom", become=(*inside, "--uids", same)),
                "veto.unreadable.main_pid",
                uid=0,
            )
        else:
            print(
                "     no cgroup could be made here: the two bystanders inside of a service's "
                "cgroup are left out"
            )

    def attached(self):
        self.stage.start_host(
            "gateway",
            [
                self.stage.bridge("attached"),
                self.stage.bridge("stdin-closed", stdio="stdin_closed"),
            ],
        )
        self.vetoes |= {"attached": "attached", "stdin-closed": "attached"}

    def traced(self):
        self.add(self.stage.bridge("traced"), "veto.traced")
        tracer = self.stage.layout.lib / "tracer.py"
        ready = self.stage.run / "tracer.ready"
        self.tracer = subprocess.Popen(
            [PYTHON, "-B", str(tracer), str(self.stage.actors["traced"].pid), str(ready)]
        )
        wait_until(ready.exists, "the tracer")

    def named_by_files(self):
        stage = self.stage
        home = stage.layout.data_home("bridge-pid")
        self.add(stage.daemon("bridge-pid", home=home), "designated")
        put(home / "daemon/bridge.pid", str(stage.actors["bridge-pid"].pid))

        hermes = stage.layout.data_home("gateway-lock").parent
        self.add(
            stage.worker(
                "gateway-lock",
                session="lock",
                env={"HERMES_HOME": str(hermes)},
                flock=str(hermes / "gateway.lock"),
            ),
            "veto.holds_lock",
        )

        hermes = stage.layout.data_home("gateway-pid").parent
        self.add(
            stage.worker("gateway-pid", session="pid", env={"HERMES_HOME": str(hermes)}),
            "veto.claimed",
        )
        named = stage.actors["gateway-pid"]
        put(
            hermes / "gateway.pid",
            json.dumps(
                {
                    "pid": named.pid,
                    "kind": "hermes-gateway",
                    "hermes_home": str(hermes),
                    "start_time": int(named.start),
                }
            ),
        )

        self.add(stage.bridge("desktop-lock"), "veto.claimed")
        put(
            stage.layout.home / ".hermes/desktop-ssh" / ("0" * 32) / "backend.lock.json",
            json.dumps(
                {
                    "schemaVersion": 2,
                    "protocolVersion": 1,
                    "pid": stage.actors["desktop-lock"].pid,
                    "port": 4000,
                }
            ),
        )

        self.add(stage.worker("ledger", session="ledger"), "veto.owner")
        pid = stage.actors["ledger"].pid
        put(
            stage.layout.home / ".hermes/spawn-ledger.json",
            json.dumps(
                [
                    {
                        "pid": pid,
                        "create_time": actor.started_epoch(pid),
                        "purpose": "mcp-helper",
                        "spawner_pid": os.getpid(),
                        "spawner_create": actor.started_epoch(os.getpid()),
                        "registered_at": time.time(),
                    }
                ]
            ),
        )
        own_below(stage.layout.home / ".hermes/desktop-ssh", stage.uid)

    def protected(self):
        home = self.stage.layout.data_home("protected")
        self.add(self.stage.bridge("protected", home=home), "veto.protected")
        config = put(
            self.stage.layout.home / "rules.json",
            json.dumps({"protect": [{"home": str(home)}]}),
            uid=0,  # root takes none of a user
        )
        self.more_arguments += ["--config", str(config)]

    def unreadable(self):
        self.add(
            self.stage.bridge("long-argv", become=("--pad", str(70 * 1024))), "veto.unreadable.argv"
        )
        self.add(self.stage.bridge("renamed", title="bridge.mjs --agent=hermes"), None)
        self.add(self.stage.bridge("nameless", title=""), None)

    def stdio(self):
        self.stage.orphans([self.stage.bridge("dead-stdin", leak_to=["/bin/sleep", "100"])])
        self.stage.know("dead-stdin-holder")
        self.vetoes["dead-stdin"] = "held"
        self.add(self.stage.bridge("null-stdin", stdio="detached"), "keep or report")
        fifo = self.stage.run / "fifo"
        os.mkfifo(fifo)
        os.chown(fifo, self.stage.uid, self.stage.uid)
        self.add(self.stage.bridge("fifo-stdin", stdio=f"fifo:{fifo}"), "keep or report")

    def young(self):
        self.add(self.stage.bridge("young"), "young")

    def build(self, *optional):
        for step in (
            self.leaked,
            *optional,
            self.other_users,
            self.listeners,
            self.supervised,
            self.attached,
            self.traced,
            self.named_by_files,
            self.protected,
            self.unreadable,
            self.stdio,
        ):
            step()
        age(MIN_AGE + 0.5)
        self.young()  # the last: nothing else may be young

    def arguments(self, command):
        more = ["--settle", "200ms", "--grace", "1s"] if command == "sweep" else []
        return [command, "--json", "--min-age", f"{MIN_AGE:.0f}s", *more, *self.more_arguments]

    def check(self, result):
        """Only the two controls end, and every bystander is spared for its own reason."""
        stage, wrong = self.stage, []
        for name, wanted in self.vetoes.items():
            process = result.process(stage.actors[name].pid)
            codes = [one["code"] for one in process["evidence"]] if process else []
            said = [process["verdict"], process["action"], *codes] if process else []
            if wanted == "foreign" and process is None:
                continue  # not even looked at
            if wanted is None:
                good = process is None
            else:
                good = "reap" not in said and (wanted == "keep or report" or wanted in said)
            if not good:
                wrong.append(f"{name}: wanted {wanted}, got {said}")
        expect(not wrong, "bystanders:\n  " + "\n  ".join(wrong) + "\n" + result.err)
        ended = ["leaked", "leaked-worker"]
        stage.expect_sweep(
            result,
            ended,
            [name for name in stage.actors if name not in ended],
            silent=self.silent,
            status=4,  # one command line could not be read whole
        )


@case
def all_but_the_leaked_survive_a_sweep_from_inside_a_bridge():
    """The sweep itself is started by a leaked bridge, and so has an ancestor that looks like
    prey."""
    stage = Stage()
    scene = Scene(stage)
    scene.build(lambda: scene.add(stage.bridge("ancestor", spawns=True), "veto.ancestor"))
    request = {
        "argv": [str(stage.layout.binary), *scene.arguments("sweep")],
        "env": {"HOME": str(stage.layout.home), "PATH": "/usr/bin:/bin"},
    }
    (stage.run / "ancestor.new").write_text(json.dumps(request))
    os.chown(stage.run / "ancestor.new", stage.uid, stage.uid)
    os.rename(stage.run / "ancestor.new", stage.run / "ancestor.run")
    wait_until((stage.run / "ancestor.code").exists, "the sweep from inside", 30)
    text = {
        ending: (stage.run / f"ancestor.{ending}").read_text() for ending in ("code", "out", "err")
    }
    scene.check(Result(int(text["code"]), text["out"], text["err"]))


@case
def all_but_the_leaked_survive_root():
    """Root can read all of them, and has to spare the same ones when it sweeps for one user."""
    stage = Stage()
    scene = Scene(stage)
    scene.build(scene.mixed_user)
    scene.check(stage.reaper(*scene.arguments("sweep"), "--user", "u", uid=0))


@case
def the_bystanders_are_spared_for_one_reason_each():
    """Control of the scene: with its reason taken away, a bystander is reaped."""
    stage = Stage()
    home = stage.layout.data_home("home")
    stage.orphans(
        [
            stage.bridge("was-protected"),
            stage.bridge("was-updating", env={"HERMES_HOME": str(home.parent)}),
            stage.bridge("was-supervised", env={"SYSTEMD_EXEC_PID": "999999"}),
            stage.daemon("was-named", home=home),
            stage.worker("was-in-ledger", session="ledger"),
            stage.bridge("long-argv", become=("--pad", "1000")),
        ]
    )
    marker = put(home.parent / ".hermes-update-in-progress", "999999\n1\n", uid=stage.uid)
    os.utime(marker, (time.time() - 1201,) * 2)
    put(
        stage.layout.home / ".hermes/spawn-ledger.json",
        json.dumps(
            [
                {
                    "pid": stage.actors["was-in-ledger"].pid,
                    "create_time": actor.started_epoch(stage.actors["was-in-ledger"].pid),
                    "purpose": "mcp-helper",
                    "spawner_pid": 999999,
                    "spawner_create": 1.0,
                }
            ]
        ),
    )
    ended = ["was-protected", "was-updating", "was-supervised", "was-in-ledger", "long-argv"]
    stage.orphans([stage.daemon("daemon", home=home, port=18800)])
    put(home / "daemon/bridge.pid", "999999")
    stage.expect_sweep(stage.sweep(), [*ended, "was-named"], ["daemon"])


@case
def where_no_manager_runs_nothing_is_the_main_process_of_a_service():
    """As in a container whose cgroup has the name that a service has outside. With a manager that
    is not there to be asked, it stays."""
    stage = Stage()
    inside = in_cgroup("bridge.service")
    if not inside:
        raise sandbox.Skip("no cgroup can be made here")
    sandbox.mount("tmpfs", "/run", "tmpfs", data="mode=755")
    same = f"{stage.uid}," * 2 + str(stage.uid)
    stage.orphans([stage.bridge("leaked", become=(*inside, "--uids", same))], uid=0)
    stage.expect_sweep(stage.sweep(), [], ["leaked"], status=1)
    os.makedirs("/run/systemd/system")
    stage.expect_sweep(stage.sweep("--reap", "in-service"), [], ["leaked"], status=4)
    shutil.rmtree("/run/systemd")
    stage.expect_sweep(stage.sweep("--reap", "in-service"), ["leaked"], [])


@case
def an_update_pauses_everything_of_its_user():
    """Whatever home a helper serves: an update replaces what all of them share. Afterwards the same
    sweep ends them."""
    stage = Stage()
    elsewhere = stage.layout.data_home("elsewhere").parent
    leaked = [
        stage.bridge("leaked"),
        stage.bridge("other-home", env={"HERMES_HOME": str(elsewhere)}),
        stage.worker("worker", session="w", env={"HERMES_HOME": str(elsewhere)}),
    ]
    stage.orphans(leaked)
    marker = put(
        stage.layout.home / ".hermes/.hermes-update-in-progress",
        f"{os.getpid()}\n{int(time.time())}\n",
        uid=stage.uid,
    )
    result = stage.sweep()
    for name in ("leaked", "other-home", "worker"):
        process = result.process(stage.actors[name].pid)
        codes = [one["code"] for one in process["evidence"]]
        expect(process["action"] == "report" and "veto.update" in codes, f"{name}: {process}")
    stage.expect_sweep(result, [], ["leaked", "other-home", "worker"], status=1)
    os.unlink(marker)
    stage.expect_sweep(stage.sweep(), ["leaked", "other-home", "worker"], [])


@case
def pid_1_looks_like_a_bridge():
    """In a container pid 1 can be anything. This one is a bridge, and the sweep runs below it."""
    stage = Stage()
    wish = {
        "name": "init",
        "dir": str(stage.run),
        "spawns": True,
        "detached": True,
        "ignore_term": True,
    }
    environment = {
        "STANDIN": json.dumps(wish),
        "STANDIN_NAME": "init",
        "HOME": str(stage.layout.home),
        "PATH": "/usr/bin:/bin",
    }
    request = {
        "argv": [
            str(stage.layout.binary),
            "sweep",
            "--json",
            "--min-age",
            "1ms",
            "--settle",
            "100ms",
        ],
        "env": environment,
    }
    (stage.run / "init.run").write_text(json.dumps(request))
    bridge = [NODE, str(stage.layout.plugin / "dist/bridge.mjs"), *HEADLESS]
    inside = subprocess.Popen(
        ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", *bridge],
        stdin=subprocess.DEVNULL,
        env=environment,
    )
    wait_until((stage.run / "init.code").exists, "the sweep below pid 1", 30)
    result = Result(
        int((stage.run / "init.code").read_text()),
        (stage.run / "init.out").read_text(),
        (stage.run / "init.err").read_text(),
    )
    process = result.process(1)
    expect(process and process["action"] == "keep" and process["outcome"] is None, result.explain())
    expect("veto.system" in [one["code"] for one in process["evidence"]], result.explain())
    expect(
        not (stage.run / "init.signals").exists() and inside.poll() is None, "pid 1 was signalled"
    )
    inside.kill()
    inside.wait()


if __name__ == "__main__":
    sandbox.main(__file__, globals())
