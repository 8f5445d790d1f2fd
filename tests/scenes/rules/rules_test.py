"""Rule files of the system and of the user: who may write them, what they change, and that a broken
one stops everything."""
import json
import os
import pathlib

from harness import layout, sandbox
from harness.layout import put
from harness.sandbox import case, expect
from harness.stage import Stage

SPARE = {"families": {"bridge": {"actions": {"orphan": "report"}}}}
END = {"families": {"bridge": {"actions": {"orphan": "reap"}}}}


class Rules:
    """The folders of rules of a stage: the system's below a private /etc/orphan-reaper, and the
    user's own."""

    def __init__(self, stage):
        self.stage = stage
        upper, work = stage.layout.base / "etc-upper", stage.layout.base / "etc-work"
        # The stage has mounted its own there.
        put(upper / "passwd", pathlib.Path("/etc/passwd").read_text(), uid=0)
        work.mkdir()
        try:
            sandbox.mount(
                "overlay", "/etc", "overlay", data=f"lowerdir=/etc,upperdir={upper},workdir={work}"
            )
        except OSError as error:
            raise sandbox.Skip(f"no /etc of one's own: {error}") from error
        self.system = pathlib.Path("/etc/orphan-reaper/rules.d")
        self.user = stage.layout.home / ".config/orphan-reaper/rules.d"
        for folder, uid in ((self.system, 0), (self.user, stage.uid)):
            folder.mkdir(parents=True)
            os.chown(folder, uid, uid)
            folder.chmod(0o755)

    def put(self, folder, name, rules):
        path = put(
            folder / name,
            rules if isinstance(rules, str) else json.dumps(rules),
            uid=0 if folder == self.system else self.stage.uid,
        )
        path.chmod(0o644)
        return path


def leaked():
    stage = Stage()
    rules = Rules(stage)
    stage.orphans([stage.bridge("leaked")])
    return stage, rules


def told(result):
    return f"exit {result.status}: {result.out}\n{result.err}"


def expect_action(stage, action, *arguments, **more):
    report = stage.report(*arguments, **more)
    expect(report.status == 1, told(report))
    stage.expect_verdicts(report, {"leaked": ("orphan", action)})


def expect_refused(stage, *words, **more):
    """Every command stops before it looks at anything, and the leaked one is not touched."""
    for command in (
        ["sweep", "--min-age", "1ms", "--settle", "1ms"],
        ["report"],
        ["explain", "1"],
        ["rules"],
        [],
    ):
        result = stage.reaper(*command, **more)
        expect(result.status == 3 and not result.out, f"{command}: {result.explain()}")
        for word in (*words, "nothing was done"):
            expect(word in result.err, f"{command}: no {word!r} in {result.err!r}")
    stage.expect_alive(["leaked"])


@case
def the_last_file_counts():
    stage, rules = leaked()
    expect_action(stage, "reap")
    rules.put(rules.system, "50-site.json", SPARE)
    expect_action(stage, "report")
    rules.put(rules.system, "60-site.json", END)
    expect_action(stage, "reap")
    own = rules.put(rules.user, "10.json", SPARE)
    expect_action(stage, "report")
    expect_action(
        stage, "reap", "--config", str(put(stage.layout.home / "end.json", json.dumps(END)))
    )
    rules.put(rules.user, "90.json.off", END)
    stage.expect_sweep(stage.sweep(), [], ["leaked"], status=1)
    own.unlink()
    stage.expect_sweep(stage.sweep(), ["leaked"], [])


@case
def the_folder_of_xdg_and_of_root():
    stage, rules = leaked()
    rules.put(rules.user, "10.json", {"protect": [{"arguments": ["--no-viewer"]}]})
    elsewhere = stage.layout.home / "elsewhere"
    put(elsewhere / "orphan-reaper/rules.d/10.json", json.dumps(END))
    layout.own_below(elsewhere, stage.uid)
    expect_action(stage, "reap", env={"XDG_CONFIG_HOME": str(elsewhere)})
    rules.put(rules.user, "10.json", SPARE)
    expect_action(stage, "reap", env={"XDG_CONFIG_HOME": str(elsewhere)})
    expect_action(stage, "report")
    expect_action(stage, "report", env={"XDG_CONFIG_HOME": "relative"})
    # What sudo leaves of the user's environment makes root read the rules of another user.
    expect_action(
        stage,
        "reap",
        "--user",
        "u",
        uid=0,
        env={"XDG_CONFIG_HOME": str(stage.layout.home / ".config")},
    )


@case
def root_spares_what_users_protect_of_their_own():
    stage, rules = leaked()
    stage.orphans([stage.worker("worker", parent_pid=999999)])
    other = layout.OTHER_UID
    stage.orphans(
        [
            stage.worker(
                "worker-of-v", parent_pid=999999, become=("--uids", f"{other},{other},{other}")
            )
        ],
        uid=0,
    )
    own = rules.put(
        rules.user, "10.json", {"protect": [{"arguments": ["tui_gateway.slash_worker"]}], **SPARE}
    )
    report = stage.report("--all-users", uid=0)
    stage.expect_evidence(report, "worker", "veto.protected")
    stage.expect_verdicts(report, {"leaked": ("orphan", "reap"), "worker-of-v": ("orphan", "reap")})
    # By a link root could be made to read what the user may not, and by a FIFO to wait.
    for spoil in (
        lambda: own.symlink_to("/etc/shadow"),
        lambda: os.mkfifo(own),
        lambda: own.write_text("secret"),
        lambda: put(own, "{}", uid=other),
    ):
        own.unlink()
        spoil()
        report = stage.report("--user", "u", uid=0)
        expect(report.status == 4 and "secret" not in report.out + report.err, told(report))
        stage.expect_verdicts(
            report, {"leaked": ("unknown", "report"), "worker": ("unknown", "report")}
        )
        stage.expect_evidence(report, "worker", "veto.unreadable.rules")
    spared = stage.sweep("--all-users", uid=0)
    stage.expect_sweep(spared, ["worker-of-v"], ["leaked", "worker"], status=4)
    own.unlink()
    rules.put(rules.user, "10.json", {"protect": [{"arguments": ["tui_gateway.slash_worker"]}]})
    del stage.actors["worker-of-v"]
    stage.expect_sweep(stage.sweep("--user", "u", uid=0), ["leaked"], ["worker"])


def replayed(stage, *arguments, **more):
    """A report, and whether judging its facts again says the same."""
    facts = stage.run / "facts.json"
    live = stage.report("--facts", str(facts), *arguments, **more)
    again = stage.report("--from-facts", str(facts), **more)
    expect(
        [one["verdict"] for one in live.processes]
        == [one["verdict"] for one in again.processes]
        != [],
        told(again),
    )
    return live, facts.read_text()


@case
def facts_say_what_users_protect():
    stage, rules = leaked()
    own = rules.put(rules.user, "10.json", {"protect": [{"arguments": ["--no-viewer"]}]})
    report, _ = replayed(stage, "--all-users", uid=0)
    stage.expect_verdicts(report, {"leaked": ("supervised", "keep")})
    own.write_text("broken")
    report, _ = replayed(stage, "--all-users", uid=0)
    stage.expect_verdicts(report, {"leaked": ("unknown", "report")})


@case
def variables_that_only_mark_are_not_told():
    stage, rules = leaked()
    stage.orphans([stage.worker("worker", env={"ACME_TOKEN": "hunter2"})])
    rules.put(
        rules.user,
        "10.json",
        {
            "families": {
                "slash_worker": {"enabled": False},
                "acme": {
                    "programs": [
                        {
                            "interpreters": ["python"],
                            "modules": ["tui_gateway.slash_worker"],
                            "marked_variables": ["ACME_TOKEN"],
                        }
                    ],
                    "roles": [{"name": "worker"}],
                    "home": [{"path": "~"}],
                },
            }
        },
    )
    report, facts = replayed(stage)
    stage.expect_verdicts(report, {"leaked": ("orphan", "reap"), "worker": ("orphan", "reap")})
    explained = stage.reaper("explain", str(stage.actors["worker"].pid))
    expect("ACME_TOKEN=[redacted]" in explained.out, told(explained))
    expect("hunter2" not in facts + report.out + explained.out, "a secret is told")


@case
def another_user_that_can_take_rules_away_stops_everything():
    stage, rules = leaked()
    rules.put(rules.user, "10.json", SPARE)
    for folder in (rules.user.parent, rules.user.parent.parent):
        folder.chmod(0o777)
        expect_refused(stage, f"{folder} can be written by others (chmod o-w would do)")
        folder.chmod(0o775)
        expect_action(stage, "report")
    rules.user.rename(rules.user.with_name("away"))
    expect_action(stage, "reap")
    rules.user.symlink_to("/media/usb/rules.d")
    expect_refused(stage, f"{rules.user} is a link that leads nowhere")


@case
def another_user_that_can_write_rules_stops_everything():
    stage, rules = leaked()
    site = rules.put(rules.system, "50-site.json", END)
    own = rules.put(rules.user, "50-own.json", END)
    expect_action(stage, "reap")
    for path, owner, mode in (
        (site, 0, 0o644),
        (own, stage.uid, 0o644),
        (rules.system, 0, 0o755),
        (rules.user, stage.uid, 0o755),
    ):
        for wrong in (mode | 0o020, mode | 0o002):
            path.chmod(wrong)
            expect_refused(stage, str(path), "can be written by others")
        path.chmod(mode)
        os.chown(path, layout.OTHER_UID, 0)
        expect_refused(stage, str(path), f"belongs to user id {layout.OTHER_UID}")
        os.chown(path, owner, owner)
        expect_action(stage, "reap")
    os.chown(site, stage.uid, stage.uid)  # a user's own file is no authority for root
    expect_action(stage, "reap")
    expect_refused(stage, str(site), f"belongs to user id {stage.uid}", uid=0)
    own.unlink()
    own.symlink_to(put(stage.layout.home / "v.json", json.dumps(END), uid=layout.OTHER_UID))
    expect_refused(stage, str(own), f"belongs to user id {layout.OTHER_UID}")


@case
def what_is_broken_or_cannot_be_read_stops_everything():
    stage, rules = leaked()
    for text, *words in (
        ('{\n "famlies": {}}', ":2:2:", "did you mean 'families'?"),
        ("{", ":1:", "no JSON"),
        ("", "no JSON"),
        ('{"packs": ["agnets"]}', ":1:12:", "did you mean 'agents'?"),
    ):
        path = rules.put(rules.system, "50-site.json", text)
        expect_refused(stage, str(path), *words)
    path = rules.put(rules.system, "50-site.json", END)
    path.chmod(0)
    expect_refused(stage, str(path), "Permission denied")
    path.unlink()
    path.mkdir()
    expect_refused(stage, str(path), "is no regular file")
    path.rmdir()
    rules.system.chmod(0)
    expect_refused(stage, str(rules.system), "Permission denied")
    rules.system.chmod(0o755)
    stage.expect_sweep(stage.sweep(), ["leaked"], [])


@case
def a_check_shows_what_would_match():
    stage, _rules = leaked()
    pid = stage.actors["leaked"].pid
    file = put(stage.layout.home / "site.json", json.dumps(SPARE))
    check = ["rules", "check", str(file), "--min-age", "1ms"]
    result = stage.reaper(*check, "--json")
    expect(result.status == 0, told(result))
    expect(
        result.json["changes"]
        == [{"family": "bridge", "setting": "actions.orphan", "was": "reap", "is": "report"}],
        str(result.json["changes"]),
    )
    matches = [
        (one["pid"], one["family"], one["role"], one["verdict"], one["action"])
        for one in result.json["processes"]
    ]
    expect(matches == [(pid, "bridge", "headless", "orphan", "report")], str(matches))
    said = stage.reaper(*check)
    for words in (
        "good rule file",
        'actions.orphan: "report", was "reap"',
        f"{pid} bridge/headless",
        "orphan, report",
    ):
        expect(words in said.out, f"no {words!r} in {said.out}")
    others = stage.reaper(*check, "--json", uid=layout.OTHER_UID, home=stage.layout.base)
    expect(others.status == 3 and f"belongs to user id {stage.uid}" in others.err, told(others))
    everybody = stage.reaper(*check, "--json", "--all-users", uid=0)
    expect(everybody.status == 3, f"a user's file is no authority for root: {told(everybody)}")
    os.chown(file, 0, 0)
    own = stage.reaper(*check, "--json", uid=0)
    expect(own.status == 0 and not own.processes, f"root's own processes only: {told(own)}")
    everybody = stage.reaper(*check, "--json", "--all-users", uid=0)
    expect([one["pid"] for one in everybody.processes] == [pid], str(everybody.out))
    file.write_text('{"families": {"bridge": {"grase": "1s"}}}')
    wrong = stage.reaper(*check)
    expect(
        wrong.status == 3 and "site.json:1:26:" in wrong.err and "'grace'" in wrong.err, told(wrong)
    )
    stage.expect_alive(["leaked"])


@case
def a_file_that_is_in_effect_is_compared_with_the_rules_without_it():
    stage, rules = leaked()
    spare = rules.put(rules.system, "50-site.json", SPARE)
    rules.put(rules.user, "10.json", {"protect": [{"home": "/nowhere"}]})
    result = stage.reaper("rules", "check", str(spare), "--json")
    expect(result.status == 0 and result.json["in_effect"], told(result))
    expect(
        [change["is"] for change in result.json["changes"]] == ["report"],
        str(result.json["changes"]),
    )
    shown = stage.reaper("rules", "--json")
    origins = shown.json["origins"]
    expect(
        origins["families"]["bridge"]
        == {"from": "built-in", "settings": {"actions.orphan": str(spare)}},
        str(origins["families"]["bridge"]),
    )
    expect(origins["protect"] == [str(rules.user / "10.json")], str(origins["protect"]))
    again = put(
        stage.layout.home / "again.json",
        json.dumps({key: shown.json[key] for key in ("families", "protect")}),
    )
    same = stage.reaper("rules", "check", str(again), "--json")
    settings = [change for change in same.json["changes"] if change["family"]]
    expect(
        same.status == 0 and not settings,
        f"what is shown must say the same: {told(same)} {settings}",
    )


@case
def a_home_is_protected_under_any_of_its_names():
    stage, rules = leaked()
    home = stage.layout.data_home("protected")
    link = stage.layout.home / "link"
    link.symlink_to(home)
    stage.orphans([stage.bridge("by-link", home=link), stage.bridge("by-path", home=home)])
    for name in (f"{link}", f"{home}", f"{home}/.", f"{home}//", f"{home}/../{home.name}"):
        rules.put(rules.user, "protect.json", {"protect": [{"home": name}]})
        stage.expect_verdicts(
            stage.report(), {"by-link": "supervised", "by-path": "supervised", "leaked": "orphan"}
        )
    rules.put(rules.user, "protect.json", {"protect": [{"home": f"{link}"}]})
    stage.expect_sweep(stage.sweep(), ["leaked"], ["by-link", "by-path"])


if __name__ == "__main__":
    sandbox.main(__file__, globals())
