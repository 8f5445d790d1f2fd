"""What a project, a deleted worktree or a job of a runner has left behind, whatever it runs."""
import os
import shutil
import subprocess

from harness import layout, sandbox
from harness.actor import wait_until
from harness.sandbox import NODE, PYTHON, case, expect
from harness.stage import Stage


class Project:
    """A folder below the user's home, with programs of no family."""

    def __init__(self, name="work/task-1"):
        self.stage = Stage()
        self.folder = self.stage.layout.home / name
        self.elsewhere = self.stage.layout.home / "elsewhere"
        for folder in (self.folder, self.elsewhere):
            folder.mkdir(parents=True)
            layout.put(folder / "server.cjs", f"require('{self.stage.layout.lib}/standin.cjs');\n")
        self.server = self.folder / "server.cjs"
        layout.own_below(self.stage.layout.home / name.split("/")[0], self.stage.uid)

    def child(self, name, cwd=None, script=None, **more):
        more.setdefault("ignore_eof", True)
        argv = [NODE, str(script or self.elsewhere / "server.cjs")]
        return self.stage.child(name, argv, cwd or self.folder, **more)

    def report(self, *more, **options):
        return self.stage.report("--under", str(self.folder), *more, **options)

    def sweep(self, *more, **options):
        return self.stage.sweep("--under", str(self.folder), *more, **options)


@case
def what_lost_its_host_and_both_ends_is_ended():
    """By working folder, by script, by executable; and nothing that runs elsewhere."""
    project = Project()
    stage = project.stage
    own = project.folder / "own-node"
    shutil.copy2(os.path.realpath(NODE), own)
    stage.orphans(
        [
            project.child("by-cwd"),
            project.child("by-script", cwd="/", script=project.server),
            stage.child("by-exe", [own, project.elsewhere / "server.cjs"], "/", ignore_eof=True),
            project.child("elsewhere", cwd=project.elsewhere),
            project.child("detached", stdio="detached"),
        ],
    )
    stage.start_host("host", [project.child("in-use")])
    report = project.report()
    expect(report.status == 1, report.explain())
    ended = ["by-cwd", "by-script", "by-exe"]
    stage.expect_verdicts(
        report,
        {
            **{name: ("orphan", "reap") for name in ended},
            "detached": ("unknown", "report"),
            "in-use": ("attached", "keep"),
        },
    )
    stage.expect_not_listed(report, ["elsewhere"])
    roles = {stage.actors["by-exe"].pid: "own-node", stage.actors["by-cwd"].pid: "node"}
    for pid, role in roles.items():
        expect(report.process(pid)["role"] == role, f"{report.process(pid)}")
    alive = [name for name in stage.actors if name not in ended]
    stage.expect_sweep(project.sweep(), ended, alive, status=1)


@case
def a_deleted_worktree():
    """Its folder is gone, and what ran in it is found by its name."""
    project = Project()
    stage = project.stage
    stage.orphans([project.child("leaked"), project.child("silent", stdio="detached")])
    shutil.rmtree(project.folder)
    report = project.report()
    stage.expect_verdicts(report, {"leaked": ("orphan", "reap"), "silent": ("unknown", "report")})
    for name in ("leaked", "silent"):
        stage.expect_evidence(report, name, "cwd.deleted")
    stage.expect_sweep(project.sweep(), ["leaked"], ["silent"], status=1)


@case
def what_cannot_be_proven_in_a_deleted_folder_stays():
    """As a mosh-server does, and a shell on a terminal that is in use."""
    project = Project()
    stage = project.stage
    stage.orphans([project.child("mosh", stdio="detached", port=8941)])
    shell = subprocess.Popen(
        ["script", "-qec", "exec sleep 300", "/dev/null"],
        cwd=project.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        user=stage.uid,
        group=stage.uid,
        extra_groups=[],
    )
    try:
        wait_until(
            lambda: any("sleep" in process["role"] for process in project.report().processes),
            "the shell",
        )
        shutil.rmtree(project.folder)
        result = project.sweep()
        expect(not result.signalled() and shell.poll() is None, result.explain())
        stage.expect_evidence(result, "mosh", "cwd.deleted")
        stage.expect_alive(["mosh"])
    finally:
        shell.kill()
        shell.wait()


@case
def it_does_not_end_what_it_runs_in():
    """A job whose last step sweeps its own folder: its shell is an ancestor."""
    project = Project()
    stage = project.stage
    stage.orphans([project.child("leaked")])
    line = (
        f"cd {project.folder} && {stage.layout.binary} sweep --under . --min-age 1ms --settle 1ms"
    )
    done = subprocess.run(
        ["bash", "-c", f"{line}; echo status=$?"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        user=stage.uid,
        group=stage.uid,
        extra_groups=[],
        env={"HOME": str(stage.layout.home), "PATH": "/usr/bin:/bin"},
        timeout=60,
    )
    expect("status=0" in done.stdout, f"{done.stdout}{done.stderr}")
    stage.expect_ended(["leaked"])


@case
def a_family_keeps_what_is_its_own():
    """A designated daemon below the folder stays, and a leaked bridge goes by its own rules."""
    project = Project()
    stage = project.stage
    stage.start_host("host", [stage.bridge("in-use")])
    stage.orphans([stage.bridge("leaked")])
    result = stage.sweep("--under", str(stage.layout.plugin))
    stage.expect_sweep(result, ["leaked"], ["host", "in-use"])
    families = {process["family"] for process in result.processes}
    expect(families <= {"bridge", "gateway", "leftover"}, f"{families}")


@case
def a_step_below_a_shell_that_goes_on_stays():
    """If it ended, the shell would do what comes next."""
    project = Project()
    stage = project.stage
    after = stage.run / "after"
    text = f"{NODE} {project.server}; touch {after}"
    stage.start_host(
        "host",
        [stage.child("step", ["/bin/bash", "-c", text], project.elsewhere, ignore_eof=True)],
        lost=["step"],
    )
    wait_until((stage.run / "step.ready").exists, "the step")
    stage.know("step", int((stage.run / "step.ready").read_text()))
    stage.kill_host("host")
    result = project.sweep()
    expect(not result.signalled() and not after.exists(), result.explain())
    stage.expect_alive(["step"])


@case
def what_agents_leave_on_purpose_stays():
    """Their rules count below the folder, too, also while the pack is off; and those of a family
    that its user has switched off."""
    project = Project()
    stage = project.stage
    codex = project.folder / "bin/codex"
    codex.parent.mkdir()
    shutil.copy2(os.path.realpath(NODE), codex)
    daemon = [codex, project.server, "app-server", "--listen", "unix://", "--managed-daemon"]
    stage.orphans(
        [
            stage.child("daemon", daemon, project.folder, ignore_eof=True),
            stage.bridge("off"),
        ]
    )
    off = layout.put(stage.layout.home / "off.json", '{"families": {"bridge": {"enabled": false}}}')
    result = project.sweep()
    expect(not result.signalled(), result.explain())
    result = stage.sweep("--under", str(stage.layout.plugin), "--config", str(off))
    expect(not result.signalled(), result.explain())
    stage.expect_alive(["daemon", "off"])


@case
def an_agent_and_what_runs_it_stay():
    """What runs it passes on what it is sent: timeout, npm, tini."""
    project = Project()
    stage = project.stage
    codex = project.folder / "bin/codex"
    codex.parent.mkdir()
    shutil.copy2(os.path.realpath(NODE), codex)
    argv = ["/usr/bin/timeout", "600", codex, project.server]
    stage.start_host(
        "host", [stage.child("timed", argv, project.folder, ignore_eof=True)], lost=["timed"]
    )
    wait_until((stage.run / "timed.ready").exists, "the agent")
    stage.know("timed", int((stage.run / "timed.ready").read_text()))
    stage.kill_host("host")
    result = project.sweep()
    expect(result.status == 1 and not result.signalled(), result.explain())
    stage.expect_alive(["timed"])


MANAGER = """import os, signal, subprocess, sys
ready, elsewhere = sys.argv[1:]
server = (
    "import os, socket, time;"
    "server = socket.create_server(('127.0.0.1', 0));"
    f"open('{ready}/served.ready', 'w').write(str(os.getpid()));"
    "time.sleep(600)"
)
quiet = dict(stdin=subprocess.DEVNULL, stdout=open(os.devnull, "w"))
subprocess.Popen([sys.executable, "-c", server], cwd=elsewhere, **quiet)
open(f"{ready}/manager.ready", "w").write(str(os.getpid()))
signal.pause()
"""


@case
def both_looks_see_the_same_below_a_manager():
    """A server that it has started runs elsewhere, so it counts for neither."""
    project = Project()
    stage = project.stage
    manager = layout.put(project.folder / "manager.py", MANAGER)
    argv = [PYTHON, manager, stage.run, project.elsewhere]
    stage.start_host("host", [stage.child("manager", argv, project.folder)], lost=["manager"])
    for name in ("manager", "served"):
        ready = stage.run / f"{name}.ready"
        wait_until(lambda: ready.exists() and ready.read_text(), name)
        stage.know(name, int(ready.read_text()))
    stage.kill_host("host")
    stage.expect_sweep(project.sweep(), ["manager"], ["served"], silent=["served"])


@case
def a_folder_behind_a_link_has_two_names():
    """Programs are started by the path that their user knows. By the other it is not seen."""
    project = Project()
    stage = project.stage
    link = stage.layout.home / "link"
    link.symlink_to(project.folder.parent)
    known = link / project.folder.name
    stage.orphans([project.child("leak", cwd="/", script=known / "server.cjs")])
    stage.expect_not_listed(project.report(), ["leak"])
    enter = ("/bin/sh", "-c", 'cd "$0" && exec "$@"', str(known))
    stage.expect_verdicts(stage.report("--under", ".", before=enter), {"leak": ("orphan", "reap")})
    stage.expect_sweep(stage.sweep("--under", str(known)), ["leak"], [])


@case
def no_project_is_too_wide():
    """/, the home folder, and what lies above it."""
    project = Project()
    stage = project.stage
    (stage.layout.home / "link").symlink_to("/")
    for folder in (
        "/",
        str(stage.layout.home),
        str(stage.layout.home.parent),
        f"{stage.layout.home}/link",
    ):
        for command in ("report", "sweep"):
            refused = stage.reaper(command, "--under", folder)
            expect(
                refused.status == 2 and "expected a folder of a project" in refused.err,
                f"{folder}: {refused.status} {refused.err}",
            )
    other = stage.reaper("watch", "--under", str(project.folder))
    expect(other.status == 2, other.err)
    for file in (project.server, project.server / "below"):
        refused = stage.reaper("sweep", "--under", str(file))
        expect(refused.status == 2 and "not a file" in refused.err, f"{file}: {refused.err}")


@case
def what_names_nothing_is_told():
    """A folder that never was, and root's own processes in a folder of another user."""
    project = Project()
    stage = project.stage
    never = stage.layout.home / "never/was"
    nothing = stage.reaper("report", "--under", str(never))
    told = f"{never} does not exist: only what was started before it was deleted can be found"
    expect(nothing.status == 0 and told in nothing.out, f"{nothing.out}{nothing.err}")
    expect("does not exist" not in project.report().out, "it exists")
    folder = str(project.folder)
    told = f"--under is {folder}, which belongs to user id {stage.uid}: "
    for command in ("report", "sweep"):
        by_root = stage.reaper(command, "--under", folder, uid=0)
        expect(told in by_root.out, f"{by_root.out}{by_root.err}")
        own = stage.reaper(command, "--under", folder)
        expect(told not in own.out, own.out)


if __name__ == "__main__":
    sandbox.main(__file__, globals())
