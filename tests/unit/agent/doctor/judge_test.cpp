// What each observation means, and what mends it.
#include "agent/doctor/judge.hpp"

#include <algorithm>
#include <functional>
#include <sstream>

#include "agent/cli/cli.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/agent/doctor/sample_observations.hpp"

namespace reaper::agent {

namespace {

using enum FindingStatus;

struct Case {
    const char* what;
    std::function<void(Observations&)> change;
    const char* id;
    FindingStatus status;
    const char* says;
    const char* fix;
};

void become_root(Observations& seen) {
    seen.own_uid = 0;
    seen.whose = {0, "root", true};
    seen.standing.capabilities = (1ULL << 5) | (1ULL << 19);
}

const std::vector<Case>& cases() {
    static const std::vector<Case> all = {
        {"the table cannot be read", [](auto& seen) { seen.sight.trouble = "cannot read /proc"; },
         "proc", fail, "cannot read /proc", ""},
        {"hidepid, a user", [](auto& seen) { seen.sight.machine.hides_processes = true; }, "proc",
         fail, "hidepid", "sudo mount -o remount,hidepid=0 /proc"},
        {"hidepid, root",
         [](auto& seen) {
             become_root(seen);
             seen.sight.machine.hides_processes = true;
         },
         "proc", fail, "every user sees the processes of all", "mount -o remount,hidepid=0 /proc"},
        {"ProtectProc in a unit",
         [](auto& seen) {
             seen.sight.machine.hides_processes = true;
             seen.standing.in_service = true;
         },
         "proc", fail, "ProtectProc=default", ""},
        {"something hangs", [](auto& seen) { seen.sight.unanswered = {"/mnt/x"}; }, "readable",
         warn, "/mnt/x did not answer", ""},
        {"some may not be read", [](auto& seen) { seen.sight.count.denied = 2; }, "readable", warn,
         "2 of the processes", "orphan-reaper report --verbose"},
        {"another user without root", [](auto& seen) { seen.whose = {1001, "bob", false}; },
         "rights", fail, "bob", "sudo orphan-reaper doctor --user bob"},
        {"root in a box",
         [](auto& seen) {
             become_root(seen);
             seen.standing.capabilities = 1ULL << 5;
         },
         "rights", warn, "CAP_SYS_PTRACE", ""},
        {"root that may not kill",
         [](auto& seen) {
             become_root(seen);
             seen.standing.capabilities = 1ULL << 19;
         },
         "rights", warn, "CAP_KILL", ""},
        {"root with all rights", become_root, "rights", ok, "root", ""},
        {"root of a user namespace",
         [](auto& seen) {
             become_root(seen);
             seen.standing.first_user_namespace = false;
         },
         "rights", ok, "root of a user namespace", ""},
        {"no copy of the program can be made",
         [](auto& seen) { seen.around_trouble = "cannot start a copy"; }, "around", fail,
         "nothing else could be looked at: cannot start a copy", ""},
        {"Yama", [](auto& seen) { seen.standing.ptrace_scope = 2; }, "yama", ok, "is 2", ""},
        {"a container",
         [](auto& seen) {
             seen.standing.container = "podman";
             seen.standing.first_pid_namespace = false;
         },
         "place", ok, "a container (podman); what runs outside", ""},
        {"WSL", [](auto& seen) { seen.sight.machine.kernel = "5.15-microsoft-standard-WSL2"; },
         "place", ok, "WSL", ""},
        {"another root", [](auto& seen) { seen.standing.other_root = true; }, "place", warn,
         "another root directory", ""},
        {"no pidfd", [](auto& seen) { seen.sight.machine.has_handles = false; }, "pidfd", fail,
         "nothing can be ended", ""},
        {"no pidfs", [](auto& seen) { seen.kernel.has_pidfs = false; }, "pidfs", skip, "6.9", ""},
        {"no PIDFD_GET_INFO", [](auto& seen) { seen.kernel.tells_parents = false; }, "pidfd_info",
         skip, "6.13", ""},
        {"zombies", [](auto& seen) { seen.sight.diagnosis.init.zombies = 3; }, "init", warn,
         "docker run --init", ""},
        {"no systemd", [](auto& seen) { seen.manager.runs = false; }, "units", skip, "no systemd",
         ""},
        {"a static program", [](auto& seen) { seen.manager.can_ask = false; }, "units", warn,
         "a static one: what runs in services is kept", ""},
        {"no bus", [](auto& seen) { seen.manager.reachable = false; }, "units", warn,
         "there is no system bus", ""},
        {"a manager hangs", [](auto& seen) { seen.sight.managers_hang = true; }, "units", warn,
         "does not answer", "systemctl is-system-running"},
        {"a cgroup that is nearly full", [](auto& seen) { seen.sight.diagnosis.cgroup.used = 800; },
         "pids_max", warn, "pids.max", ""},
        {"a cgroup that is full", [](auto& seen) { seen.sight.diagnosis.cgroup.used = 970; },
         "pids_max", fail, "pids.max", ""},
        {"a user at the limit", [](auto& seen) { seen.sight.diagnosis.user = {100, 100, "pid 7"}; },
         "ulimit_u", fail, "ulimit -u", ""},
        {"few pids", [](auto& seen) { seen.threads = {27'000, 32'768}; }, "pid_max", warn,
         "27000 of at most 32768", "sudo sysctl kernel.pid_max=4194304"},
        {"limits that are not known", [](auto& seen) { seen.threads = {}; }, "pid_max", ok,
         "no limit", ""},
        {"a rule file of everybody's",
         [](auto& seen) {
             seen.rules_trouble =
                 "/home/alice/.config/orphan-reaper/rules.d/a b.json can be written by others "
                 "(chmod go-w would do)";
         },
         "rules", fail, "nothing is done",
         "chmod go-w '/home/alice/.config/orphan-reaper/rules.d/a b.json'"},
        {"a rule file of the system",
         [](auto& seen) {
             seen.rules_trouble =
                 "/etc/orphan-reaper can be written by others (chmod o-w would do)";
         },
         "rules", fail, "nothing is done", "sudo chmod o-w /etc/orphan-reaper"},
        {"a folder of rules that others can write",
         [](auto& seen) {
             seen.rules_trouble =
                 "/home/alice/rules.d can be written by others (chmod o-w would do)";
         },
         "rules", fail, "nothing is done", "chmod go-w /home/alice/rules.d"},
        {"a mistake in a rule file",
         [](auto& seen) { seen.rules_trouble = "/etc/orphan-reaper/rules.d/a.json:1:2: no JSON"; },
         "rules", fail, "no JSON", "orphan-reaper rules check /etc/orphan-reaper/rules.d/a.json"},
        {"a rule file of a third user",
         [](auto& seen) {
             seen.rules_trouble = "/x.json belongs to user id 7, not to you or root";
         },
         "rules", fail, "user id 7", ""},
        {"rules of another user",
         [](auto& seen) { seen.sight.users_with_unreadable_rules[1001] = "/x can be written"; },
         "user_rules", warn, "user id 1001", ""},
        {"a history of one's own that is closed",
         [](auto& seen) { seen.history.state = HistoryPlaceState::closed; }, "history", fail,
         "may not be written to",
         "sudo install -d -o 1000 -m 700 /home/alice/.local/state/orphan-reaper"},
        {"a folder of the history that is closed",
         [](auto& seen) {
             seen.history.state = HistoryPlaceState::closed;
             seen.history.place = seen.history.folder;
         },
         "history", fail, "may not be written to",
         "chmod u+rwx /home/alice/.local/state/orphan-reaper"},
        {"a history outside of the home",
         [](auto& seen) {
             seen.history = {"/var/lib/foo/orphan-reaper", HistoryPlaceState::closed, "/var/lib", 0,
                             true};
         },
         "history", fail, "/var/lib may not be written to", ""},
        {"a history below a third user's folder",
         [](auto& seen) {
             seen.history.state = HistoryPlaceState::closed;
             seen.history.owner = 1001;
         },
         "history", fail, "may not be written to", ""},
        {"a history below what is no folder",
         [](auto& seen) {
             seen.history = {"/dev/null/orphan-reaper", HistoryPlaceState::foreign,
                             "/dev/null/orphan-reaper"};
         },
         "history", fail, "no plain file", ""},
        {"a place that no terminal shows as it is",
         [](auto& seen) {
             seen.history.state = HistoryPlaceState::full;
             seen.history.place = "/home/\xc3\xa9";
         },
         "history", fail, "no room", ""},
        {"a place with a byte that acts on a terminal",
         [](auto& seen) {
             seen.history.state = HistoryPlaceState::full;
             seen.history.place = "/home/\x1b[2J";
         },
         "history", fail, "no room", ""},
        {"a rule file whose name is escaped already",
         [](auto& seen) {
             seen.rules_trouble =
                 "/home/\\xc3/rules.d can be written by others (chmod o-w would do)";
         },
         "rules", fail, "by others", ""},
        {"a place that is too long to be shown",
         [](auto& seen) {
             seen.history.state = HistoryPlaceState::full;
             seen.history.place = "/" + std::string(2000, 'a');
         },
         "history", fail, "no room", ""},
        {"a history below another user's folder",
         [](auto& seen) {
             seen.history.state = HistoryPlaceState::closed;
             seen.history.owner = 0;
         },
         "history", fail, "may not be written to",
         "sudo install -d -o 1000 -m 700 /home/alice/.local/state/orphan-reaper"},
        {"a history that is a link",
         [](auto& seen) { seen.history.state = HistoryPlaceState::foreign; }, "history", fail,
         "no plain file", "mv /home/alice /home/alice.aside"},
        {"a disk that is full", [](auto& seen) { seen.history.state = HistoryPlaceState::full; },
         "history", fail, "no room", "df -h /home/alice"},
        {"no home", [](auto& seen) { seen.history.state = HistoryPlaceState::nowhere; }, "history",
         fail, "HOME", "export HOME=~"},
        {"a history that hangs",
         [](auto& seen) { seen.history.state = HistoryPlaceState::unanswered; }, "history", fail,
         "did not answer", ""},
        {"a history on a read-only disk",
         [](auto& seen) { seen.history.state = HistoryPlaceState::read_only; }, "history", fail,
         "read-only", ""},
        {"a timer", [](auto&) {}, "schedule", ok, "orphan-reaper.timer sweeps by itself", ""},
        {"a timer that is installed and off",
         [](auto& seen) { seen.schedule.units[0].active = "inactive"; }, "schedule", warn,
         "nothing sweeps", "systemctl --user enable --now orphan-reaper.timer"},
        {"a watch beside it that is off",
         [](auto& seen) {
             seen.schedule.units[0].active = "inactive";
             seen.schedule.units[2].active = "active";
         },
         "schedule", ok, "orphan-reaper-watch.service", ""},
        {"a timer that waits while its service fails",
         [](auto& seen) {
             seen.schedule.units[1].result = "exit-code";
             seen.schedule.units[1].exit_status = 3;
         },
         "schedule", fail, "exit-code, exit status 3",
         "journalctl --user -u orphan-reaper.service -n 20"},
        {"a system timer that has failed",
         [](auto& seen) {
             seen.schedule.units = {{"orphan-reaper@alice.timer", false, "loaded", "failed",
                                     "resources", std::nullopt, std::nullopt}};
         },
         "schedule", fail, "resources", "sudo journalctl -u orphan-reaper@alice.timer -n 20"},
        {"nothing at all", [](auto& seen) { seen.schedule = no_schedule(); }, "schedule", warn,
         "nothing sweeps", "orphan-reaper schedule install"},
        {"nothing for root",
         [](auto& seen) {
             become_root(seen);
             seen.schedule = no_schedule();
         },
         "schedule", warn, "nothing sweeps",
         "orphan-reaper schedule install --system --cron --user root"},
        {"a timer that only reports", [](auto& seen) { seen.schedule.units[1].sweeps = false; },
         "schedule", warn, "orphan-reaper.timer runs, but sweeps nothing",
         "orphan-reaper schedule install"},
        {"a timer that starts another service",
         [](auto& seen) { seen.schedule.units[0].starts = "other.service"; }, "schedule", warn,
         "sweeps nothing", "orphan-reaper schedule install"},
        {"a timer that is off, and would only report",
         [](auto& seen) {
             seen.schedule.units[0].active = "inactive";
             seen.schedule.units[1].sweeps = false;
         },
         "schedule", warn, "nothing sweeps", "orphan-reaper schedule install"},
        {"a service of watch that only reports",
         [](auto& seen) {
             seen.schedule.units = {{"orphan-reaper-watch.service", true, "loaded", "active",
                                     "success", std::nullopt, std::nullopt}};
         },
         "schedule", warn, "orphan-reaper-watch.service runs, but sweeps nothing",
         "orphan-reaper schedule install"},
        {"a line whose program is gone",
         [](auto& seen) {
             seen.schedule = no_schedule();
             seen.schedule.cron = {{"/etc/crontab", "", "/x/orphan-reaper", "", true}};
             seen.schedule.cron_runs = true;
         },
         "schedule", warn, "but its program /x/orphan-reaper is gone",
         "orphan-reaper schedule install"},
        {"nothing, and no cron", [](auto& seen) { seen.schedule = {}; }, "schedule", warn,
         "nothing sweeps", "orphan-reaper schedule install"},
        {"a line and a cron",
         [](auto& seen) {
             seen.schedule = no_schedule();
             seen.schedule.cron = {{"crontab of alice", "* * * * * orphan-reaper sweep"}};
             seen.schedule.cron_runs = true;
         },
         "schedule", ok, "crontab of alice sweeps", ""},
        {"a line without a cron",
         [](auto& seen) {
             seen.schedule = no_schedule();
             seen.schedule.cron = {{"/etc/crontab", "* * * * * root orphan-reaper sweep"}};
         },
         "schedule", warn, "no cron runs", ""},
        {"a silent manager",
         [](auto& seen) {
             seen.schedule = no_schedule();
             seen.schedule.user_manager = ManagerAnswer::silent;
         },
         "schedule", skip, "systemd did not answer", "systemctl is-system-running"},
        {"a line whose program is gone beside a silent manager",
         [](auto& seen) {
             seen.schedule = no_schedule();
             seen.schedule.cron = {{"/etc/crontab", "", "/x/orphan-reaper", "", true}};
             seen.schedule.user_manager = ManagerAnswer::silent;
         },
         "schedule", skip, "did not answer in time; /etc/crontab has a line",
         "systemctl is-system-running"},
        {"a manager of another user",
         [](auto& seen) {
             become_root(seen);
             seen.whose = {1000, "alice", false};
             seen.schedule = no_schedule();
             seen.schedule.user_manager = ManagerAnswer::not_asked;
         },
         "schedule", skip, "the systemd of alice answers only that user",
         "runuser -u alice -- /usr/bin/orphan-reaper doctor"},
        {"a manager of another user beside a timer that is off",
         [](auto& seen) {
             become_root(seen);
             seen.whose = {1000, "alice", false};
             seen.schedule.user_manager = ManagerAnswer::not_asked;
             seen.schedule.units = {{"orphan-reaper@alice.timer", false, "loaded", "inactive",
                                     "success", std::nullopt, std::nullopt}};
         },
         "schedule", skip, "the systemd of alice answers only that user",
         "runuser -u alice -- /usr/bin/orphan-reaper doctor"},
        {"a timer that is off, and a manager behind no bus",
         [](auto& seen) {
             seen.schedule.units[0].active = "inactive";
             seen.schedule.system_manager = ManagerAnswer::not_asked;
         },
         "schedule", warn, "nothing sweeps", "systemctl --user enable --now orphan-reaper.timer"},
        {"a manager behind no bus",
         [](auto& seen) {
             seen.schedule = no_schedule();
             seen.schedule.system_manager = ManagerAnswer::not_asked;
         },
         "schedule", skip, "cannot be asked", ""},
        {"a crontab that is not shown",
         [](auto& seen) {
             seen.schedule = no_schedule();
             seen.schedule.crontab_unknown = true;
         },
         "schedule", skip, "the crontab of alice may not be read", ""},
        {"a watch, started by hand",
         [](auto& seen) {
             seen.schedule = no_schedule();
             seen.watches = {{77, false, false, ""}};
         },
         "schedule", ok, "a watch (pid 77) sweeps by itself", ""},
        {"a watch that only reports",
         [](auto& seen) {
             seen.schedule = no_schedule();
             seen.watches = {{77, false, true, ""}};
         },
         "schedule", warn, "nothing sweeps", "orphan-reaper schedule install"},
        {"a watch that is a unit",
         [](auto& seen) {
             seen.schedule.units[2].active = "active";
             seen.watches = {{77, false, false, "orphan-reaper-watch.service"}};
         },
         "schedule", ok, "orphan-reaper.timer, orphan-reaper-watch.service sweep, each", ""},
        {"a user without a name", [](auto& seen) { seen.whose = {1001, "", false}; }, "rights",
         fail, "user id 1001", "sudo orphan-reaper doctor --user 1001"},
        {"no linger", [](auto& seen) { seen.schedule.lingers = false; }, "linger", warn,
         "when alice logs out", "loginctl enable-linger"},
        {"a run of just now", [](auto&) {}, "last_sweep", ok,
         "orphan-reaper.service last ran 3m ago, with exit status 0; something was last ended 2h",
         ""},
        {"a run of long ago",
         [](auto& seen) { seen.schedule.units[1].seconds_since_end = 100'000; }, "last_sweep", warn,
         "1d 3h ago", ""},
        {"no run that is known",
         [](auto& seen) { seen.schedule.units[1].seconds_since_end.reset(); }, "last_sweep", skip,
         "not recorded", ""},
        {"a folder that is no home", [](auto& seen) { seen.homes[0].looks_like_hermes = false; },
         "home", warn, "holds nothing", ""},
        {"a home that is closed", [](auto& seen) { seen.homes[0].readable = false; }, "home", warn,
         "may not be read", "chmod u+rx /home/alice/.hermes"},
        {"no home", [](auto& seen) { seen.homes[0] = {"/home/alice/.hermes"}; }, "home", skip,
         "no home of Hermes", ""},
        {"a home that the environment names, and that is gone",
         [](auto& seen) {
             seen.homes = {{"/srv/hermes"}};
             seen.hermes_home = "/srv/hermes";
         },
         "home", warn, "HERMES_HOME", ""},
        {"an older one",
         [](auto& seen) { seen.others = {{"/opt/bin/orphan-reaper", true, "0.9"}}; }, "program",
         warn, "/opt/bin/orphan-reaper is in PATH too, version 0.9; this is", ""},
        {"a copy", [](auto& seen) { seen.others = {{"/opt/bin/orphan-reaper", true, "1.2.3"}}; },
         "program", ok, "in PATH too", ""},
        {"a planted one", [](auto& seen) { seen.others = {{"/tmp/orphan-reaper", false, ""}}; },
         "program", warn, "others can change it: it was not asked", ""},
        {"a watch of the past",
         [](auto& seen) { seen.watches = {{77, true, false, "orphan-reaper-watch.service"}}; },
         "watch", warn, "pid 77", "systemctl --user restart orphan-reaper-watch.service"},
        {"a watch of the past without a unit",
         [](auto& seen) { seen.watches = {{77, true, false, ""}}; }, "watch", warn, "pid 77",
         "kill 77; orphan-reaper watch"},
        {"a watch of the past in another unit",
         [](auto& seen) { seen.watches = {{77, true, false, "ssh.service"}}; }, "watch", warn,
         "in ssh.service", ""},
        {"a watch of the present", [](auto& seen) { seen.watches = {{77, false, false, ""}}; },
         "watch", ok, "that is installed", ""},
    };
    return all;
}

Findings of(const Case& one) {
    Observations seen = healthy();
    one.change(seen);
    return judge_machine(seen);
}

const Finding* find(const Findings& findings, const std::string& id) {
    const auto found = std::ranges::find(findings, id, &Finding::id);
    return found == findings.end() ? nullptr : &*found;
}

// As a shell splits it, for words without quotes.
std::vector<std::string> words_of(const std::string& command) {
    std::istringstream text(command);
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    return words;
}

}  // namespace

TEST_CASE("A machine that is well has no warning and no failure") {
    const Findings findings = judge_machine(healthy());
    for (const Finding& finding : findings) {
        INFO(finding.id << ": " << finding.message);
        CHECK((finding.status == ok || finding.status == skip));
        CHECK(finding.fix.empty());
    }
    CHECK(findings.size() > 15);
    CHECK(exit_status_of(findings, true, true) == ExitStatus::clean);
}

TEST_CASE("Each observation has its finding, its words and its command") {
    for (const Case& one : cases()) {
        INFO(one.what);
        const Findings findings = of(one);
        const Finding* finding = find(findings, one.id);
        REQUIRE(finding != nullptr);
        CHECK(to_string(finding->status) == to_string(one.status));
        CHECK(finding->message.find(one.says) != std::string::npos);
        CAPTURE(finding->message);
        CHECK(finding->fix == one.fix);
    }
}

TEST_CASE("One observation makes no other finding worse") {
    for (const Case& one : cases()) {
        if (find(of(one), "proc")->message.find("could not") != std::string::npos) continue;
        for (const Finding& finding : of(one)) {
            const bool is_related = std::string(one.id) == "schedule" || finding.id == one.id;
            INFO(one.what << ": " << finding.id << ": " << finding.message);
            CHECK((is_related || finding.status == ok || finding.status == skip));
        }
    }
}

TEST_CASE("Every command of this program that a finding names can be parsed") {
    std::size_t parsed = 0;
    for (const Case& one : cases()) {
        for (const Finding& finding : of(one)) {
            std::vector<std::string> words = words_of(finding.fix);
            if (!words.empty() && words.front() == "sudo") words.erase(words.begin());
            if (words.empty() || words.front() != "orphan-reaper") continue;
            INFO(finding.fix);
            std::vector<const char*> arguments(words.size());
            std::ranges::transform(words, arguments.begin(), &std::string::c_str);
            CHECK(std::holds_alternative<Options>(parse(std::span(arguments).subspan(1))));
            ++parsed;
        }
    }
    CHECK(parsed >= 3);
}

TEST_CASE("The exit status: failures count, warnings only when strict, a look that failed first") {
    const auto with = [](FindingStatus status) { return Findings{{.id = "a"}, {"b", status}}; };
    CHECK(exit_status_of(with(ok), true, true) == ExitStatus::clean);
    CHECK(exit_status_of(with(skip), true, true) == ExitStatus::clean);
    CHECK(exit_status_of(with(warn), true, false) == ExitStatus::clean);
    CHECK(exit_status_of(with(warn), true, true) == ExitStatus::leaks_left);
    CHECK(exit_status_of(with(fail), true, false) == ExitStatus::leaks_left);
    CHECK(exit_status_of(with(fail), false, false) == ExitStatus::incomplete);
}

}  // namespace reaper::agent
