"""A user who gets it wrong is told what was wrong, with the right exit status, and nothing is
touched."""
import json
import os
import stat
import subprocess
import time

from harness import sandbox
from harness.claims import is_busy
from harness.layout import put
from harness.sandbox import case, expect
from harness.stage import Stage

NOBODY = 65534


def refused(stage, status, words, *arguments, **more):
    """This call ends with `status` and says one of `words` to the person, not into the report."""
    result = stage.reaper(*arguments, **more)
    called = " ".join(arguments)
    expect(
        result.status == status,
        f"{called}: exit {result.status}, wanted {status}: {result.explain()}",
    )
    expect(
        any(word in result.err for word in words), f"{called}: none of {words} in: {result.err!r}"
    )
    expect("terminate called" not in result.err, result.err)
    return result


@case
def wrong_words_are_usage_errors():
    stage = Stage()
    stage.orphans([stage.bridge("leaked")])
    for words, arguments in (
        (["--dry-run"], ["sweep", "--dry-rnu"]),
        (["sweep"], ["sweeep"]),
        (["bridge"], ["sweep", "--family", "brigde"]),
        (["500ms", "30s"], ["sweep", "--grace", "soon"]),
        (["grace"], ["sweep", "--grace", "-3s"]),
        (["grace"], ["sweep", "--grace", "99999999999999999999h"]),
        (["max-kills"], ["sweep", "--max-kills", "many"]),
        (["/no/such/home"], ["sweep", "--home", "/no/such/home"]),
        (["no-such-user"], ["sweep", "--user", "no-such-user"]),
        (["json"], ["report", "--format", "jsno"]),
        (["abandoned"], ["sweep", "--reap", "abandonned"]),
        (["pid", "PID"], ["explain", "zero"]),
        (["pid", "PID"], ["explain", "-1"]),
        (["pid", "PID"], ["explain", "99999999999999"]),
        (["pid", "PID"], ["explain"]),
        (
            ["file", "regular"],
            ["sweep", "--home", put(stage.layout.home / "a-file", "").as_posix()],
        ),
    ):
        refused(stage, 2, words, *arguments)
    stage.expect_alive(["leaked"])


@case
def a_wrong_configuration_stops_everything():
    stage = Stage()
    stage.orphans([stage.bridge("leaked")])
    good = put(stage.layout.home / "good.json", json.dumps({"protect": [{"home": "/nowhere"}]}))
    unreadable = put(stage.layout.home / "secret.json", "{}", uid=0)
    unreadable.chmod(0)
    expect(stage.report("--config", str(good)).status == 1, "control: a good configuration")
    for words, path in (
        (["no-such.json"], "/no-such.json"),
        (["secret.json"], str(unreadable)),
        (["home"], str(stage.layout.home)),
        (["cut.json"], put(stage.layout.home / "cut.json", '{"protect": [').as_posix()),
        (["bytes.json"], put(stage.layout.home / "bytes.json", "\x00\x01").as_posix()),
        (["word.json"], put(stage.layout.home / "word.json", '{"protetc": []}').as_posix()),
        (["type.json"], put(stage.layout.home / "type.json", '{"protect": 7}').as_posix()),
    ):
        for command in ("sweep", "report"):
            refused(stage, 3, words, command, "--min-age", "1ms", "--config", path)
    stage.expect_alive(["leaked"])


@case
def explains_a_process_that_is_gone_or_none_of_ours():
    stage = Stage()
    stage.orphans([stage.bridge("leaked")])
    gone = stage.reaper("explain", "4194000")
    expect(gone.status == 4 and "4194000: there is no such process" in gone.out, gone.explain())
    stranger = subprocess.Popen(
        ["/bin/sleep", "60"], user=stage.uid, group=stage.uid, extra_groups=[]
    )
    none = stage.reaper("explain", str(stranger.pid))
    expect(none.status == 0 and "no family describes it" in none.out, none.explain())
    hidden = stage.reaper("explain", str(os.getpid()))
    expect(
        hidden.status == 4 and "its executable could not be read" in hidden.out, hidden.explain()
    )
    both = stage.reaper("explain", str(stranger.pid), "4194000")
    expect(both.status == 4, both.explain())
    stranger.kill()
    stranger.wait()
    leaked = stage.reaper("explain", "--min-age", "1ms", str(stage.actors["leaked"].pid))
    expect(
        leaked.status == 1 and "orphan" in leaked.out and "parent.adopter" in leaked.out,
        leaked.explain(),
    )
    stage.expect_alive(["leaked"])


@case
def a_report_goes_where_it_was_sent_or_nothing_happens():
    stage = Stage()
    stage.orphans([stage.bridge("leaked")])
    folder = stage.run / "reports"
    folder.mkdir()
    os.chown(folder, stage.uid, stage.uid)
    for place in (str(folder), str(folder) + "/", str(folder / "none") + "/", "/proc/none/report"):
        refused(stage, 4, [place], "sweep", "--min-age", "1ms", "--settle", "1ms", "-o", place)
    stage.expect_alive(["leaked"])
    old = put(folder / "old", "x" * 100000)
    old.chmod(0o604)
    (folder / "link").symlink_to(put(folder / "target", "x" * 100000))
    (folder / "dangling").symlink_to(folder / "nowhere")
    umask = ["/bin/sh", "-c", 'umask 027; exec "$@"', "sh"]
    for name in ("old", "new", "link", "dangling"):
        result = stage.reaper(
            "report", "--json", "--min-age", "1ms", "-o", str(folder / name), before=umask
        )
        expect(result.status == 1 and not result.out, result.explain())
        expect(json.loads((folder / name).read_text())["exit_status"] == 1, name)
    modes = {
        name: stat.S_IMODE((folder / name).stat().st_mode) for name in ("old", "new", "nowhere")
    }
    expect(modes == {"old": 0o604, "new": 0o640, "nowhere": 0o640}, str(modes))
    expect(
        (folder / "link").is_symlink() and (folder / "dangling").is_symlink(), "a link was replaced"
    )
    for word in ("--help", "--version", "report"):
        full = stage.reaper(word, before=["/bin/sh", "-c", 'exec "$@" >/dev/full', "sh"])
        expect(full.status == 4 and "No space left" in full.err, full.explain())
        closed = stage.reaper(word, before=["/bin/sh", "-c", 'exec "$@" >&-', "sh"])
        expect(closed.status == 4 and "Bad file descriptor" in closed.err, closed.explain())


@case
def no_family_at_all_is_said():
    stage = Stage()
    families = stage.report().json["scope"]["families"]
    off = put(
        stage.layout.home / "off.json",
        json.dumps({"families": {name: {"enabled": False} for name in families}}),
    )
    for form in ("text", "json"):
        result = stage.reaper("report", "--config", str(off), "--format", form)
        expect(result.status == 0 and "no family is enabled" in result.out, result.explain())


@case
def nothing_leaked_is_said_plainly():
    stage = Stage()
    stage.start_host("gateway", [stage.bridge("attached")])
    for command in (["report"], ["sweep", "--settle", "1ms"], ["sweep", "--dry-run"], []):
        result = stage.reaper(*command)
        expect(result.status == 0 and result.out.strip(), f"{command}: {result.explain()}")
    stage.expect_alive(["attached", "gateway"])


@case
def a_user_without_rights_sees_and_ends_nothing():
    """Another user has no rights over the leaked ones, and that sweep is not about them."""
    stage = Stage()
    stage.orphans([stage.bridge("leaked")])
    own = stage.sweep(uid=NOBODY, home="/nonexistent")
    expect(own.status in (0, 4) and not own.signalled(), own.explain())
    everybody = stage.sweep("--all-users", uid=NOBODY, home="/nonexistent")
    expect(
        everybody.status != 0 and not everybody.signalled(),
        f"it could not look, and says that all is clean: {everybody.explain()}",
    )
    of_u = stage.reaper("sweep", "--user", "u", "--min-age", "1ms", uid=NOBODY, home="/nonexistent")
    expect(
        of_u.status == everybody.status and "could not be read" in of_u.out + of_u.err,
        of_u.explain(),
    )
    stage.expect_alive(["leaked"])


@case
def proc_is_mounted_with_hidepid():
    """A user that sees only its own processes cannot know whether a parent lives: what is not seen
    is not evidence."""
    stage = Stage()
    stage.orphans([stage.bridge("leaked")])
    stage.start_host("gateway", [stage.bridge("attached")])
    stage.start_host(
        "root-gateway",
        [stage.bridge("attached-to-root", become=("--uids", ",".join([str(stage.uid)] * 3)))],
        uid=0,
    )
    sandbox.mount("proc", "/proc", "proc", 0x20, "hidepid=invisible")  # MS_REMOUNT
    without = stage.sweep(
        before=[sandbox.PYTHON, "-B", str(stage.layout.lib / "deny_calls.py"), "ioctl=ENOTTY", "--"]
    )
    expect(
        without.status == 4 and not without.signalled(),
        f"own ancestors are not known: {without.explain()}",
    )
    expect("TERM" not in without.err, f"announced, but then not done: {without.err}")
    stage.expect_evidence(without, "leaked", "veto.unreadable.ancestors")
    stage.expect_alive(["leaked", "attached", "gateway", "attached-to-root", "root-gateway"])
    result = stage.sweep()
    expect(result.status == 4, f"one parent cannot be seen: {result.explain()}")
    expect(not result.signalled(), f"in a container pid 1 may be a host: {result.explain()}")
    stage.expect_alive(["leaked", "attached", "gateway", "attached-to-root", "root-gateway"])
    said = stage.reaper("report", "--min-age", "1ms")
    expect("hidepid" in said.out + said.err, f"not a word about hidepid:\n{said.out}\n{said.err}")


@case(timeout=150, alone=True)
def a_hundred_deaf_orphans_cost_one_grace():
    stage = Stage()
    slowdown = int(os.environ.get("REAPER_SLOWDOWN", "1"))
    count = 100 // slowdown
    stage.orphans(
        [
            stage.worker(f"deaf-{number}", session=f"s{number}", ignore_term=True)
            for number in range(count)
        ]
    )
    grace, overhead = 2.0, float(slowdown)
    result = stage.reaper(
        "sweep", "--json", "--min-age", "1ms", "--settle", "200ms", "--grace", "2s"
    )
    done = time.time()
    expect(result.status == 0 and result.json["summary"]["reaped"] == count, result.explain())
    first_term = min((stage.run / f"{name}.signals").stat().st_mtime for name in stage.actors)
    print(
        f"     {count} deaf ones: {done - first_term:.2f} s from the first TERM to the end, with a "
        f"grace of {grace} s"
    )
    if done - first_term > grace + overhead and is_busy():
        raise sandbox.Skip(f"the machine is too busy to measure time: load {os.getloadavg()[0]}")
    expect(done - first_term <= grace + overhead, f"{done - first_term:.2f} s")
    stage.expect_ended(list(stage.actors))
    expect(
        all(one.signals() == ["TERM"] for one in stage.actors.values()), "every one gets TERM once"
    )


@case
def a_hundred_orphans_and_few_descriptors():
    """Where not all of them can be held at once, they are ended in batches; where none can be,
    nothing is signalled by number."""
    stage = Stage()
    names = [f"leaked-{number}" for number in range(40)]
    stage.orphans([stage.worker(name, session=name) for name in names])
    none = stage.sweep(before=["prlimit", "--nofile=14"])
    expect(none.status in (4, 5) and not none.signalled(), none.explain())
    expect(
        "RLIMIT_NOFILE" in none.out + none.err or "Too many open files" in none.out + none.err,
        none.explain(),
    )
    stage.expect_alive(names)
    stage.expect_sweep(stage.sweep(before=["prlimit", "--nofile=24"]), names, [])


@case
def more_than_the_limit_refuses_all():
    stage = Stage()
    names = [f"leaked-{number}" for number in range(4)]
    stage.orphans([stage.worker(name, session=name) for name in names])
    result = stage.sweep("--max-kills", "3")
    expect(result.status == 5 and not result.signalled(), result.explain())
    stage.expect_alive(names)
    stage.expect_sweep(stage.sweep("--max-kills", "4"), names, [])


if __name__ == "__main__":
    sandbox.main(__file__, globals())
