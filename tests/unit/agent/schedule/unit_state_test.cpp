#include "agent/schedule/unit_state.hpp"

#include "agent/schedule/trial.hpp"
#include "agent/schedule/units.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/agent/schedule/found.hpp"

using namespace reaper::agent;

TEST_CASE("What systemctl shows is understood") {
    const auto units = units_of(
        "LastTriggerUSec=Fri 2026-11-20 05:30:01 UTC\nNextElapseUSecMonotonic=1h 5min 3.5s\n"
        "NextElapseUSecRealtime=\nId=orphan-reaper.timer\nLoadState=loaded\n"
        "FragmentPath=/usr/lib/systemd/user/orphan-reaper.timer\nUnitFileState=enabled\n"
        "ActiveState=active\nNeedDaemonReload=no\n\n"
        "ExecStart={ path=/bin/x ; argv[]=/bin/x sweep --quiet ; ignore_errors=no ; pid=0 }\n"
        "ExecMainStatus=3\nResult=exit-code\nId=orphan-reaper.service\nNeedDaemonReload=yes\n"
        "ExecMainExitTimestamp=n/a\n");
    REQUIRE(units.size() == 2);
    CHECK(units[0].name == "orphan-reaper.timer");
    CHECK(units[0].path == "/usr/lib/systemd/user/orphan-reaper.timer");
    CHECK(units[0].load == "loaded");
    CHECK(units[0].enabled == "enabled");
    CHECK(units[0].active == "active");
    CHECK(units[0].last == 1795152601.0);
    CHECK(!units[0].next);
    CHECK(units[0].next_after == 3903.5);
    CHECK(!units[0].must_reload);
    CHECK(units[1].command == "/bin/x sweep --quiet");
    CHECK(units[1].exit_status == 3);
    CHECK(units[1].result == "exit-code");
    CHECK(!units[1].ended);
    CHECK(units[1].must_reload);
    CHECK(units_of("").empty());
    CHECK(units_of("\n\n=\nx\n").size() == 1);
}

TEST_CASE("Times and spans of systemd") {
    CHECK(parse_manager_time("Thu 1970-01-01 00:00:01 UTC") == 1.0);
    for (const char* wrong :
         {"", "n/a", "Thu 1970-01-01 00:00:01 CET", "Thu 1970-13-01 00:00:01 UTC",
          "Thu 1970-01-01 00:00 UTC", "Thu 1970-01-01 a:00:01 UTC"})
        CHECK(!parse_manager_time(wrong));
    CHECK(parse_manager_span("2d 1min 500ms") == 172860.5);
    CHECK(!parse_manager_span(""));
    CHECK(!parse_manager_span("5 parsecs"));
    CHECK(!parse_manager_span("infinity"));
}

TEST_CASE("A trial is a report, as that user, confined where that can be had") {
    using Words = std::vector<std::string>;
    Situation found = found_for_alice();
    const Words plain{found.program, "report", "--json"};
    CHECK(trial_command(found, ScheduleKind::user_timer) == plain);
    found.can_confine = true;
    found.group = 1600;
    CHECK(trial_command(found, ScheduleKind::user_cron) == plain);
    CHECK(trial_command(found, ScheduleKind::system_cron) ==
          Words{"setpriv", "--reuid=1500", "--regid=1600", "--init-groups", found.program, "report",
                "--json"});
    for (const auto kind :
         {ScheduleKind::user_timer, ScheduleKind::user_watch, ScheduleKind::system_timer}) {
        const Words words = trial_command(found, kind);
        const auto has = [&](const std::string& word) {
            return std::ranges::find(words, word) != words.end();
        };
        CHECK(words.front() == "systemd-run");
        CHECK(has(kind == ScheduleKind::system_timer ? "--system" : "--user"));
        CHECK(has("--property=NoNewPrivileges=yes"));
        CHECK(has("--property=User=alice") == (kind == ScheduleKind::system_timer));
        CHECK(Words(words.end() - 3, words.end()) == plain);
    }
}

TEST_CASE("What runs the report is told from the report") {
    const Situation found = found_for_alice();
    const auto judged = [&](int status, const std::string& out, const std::string& err = "") {
        return judge_trial(found, {status, out, err});
    };
    const std::string leaks = R"({"schema": "orphan-reaper/report/1", "exit_status": 1})";
    CHECK(judged(1, leaks).result == CheckResult::ok);
    CHECK(judged(0, R"({"schema": "orphan-reaper/report/1", "exit_status": 0})").result ==
          CheckResult::ok);
    const auto failed = judged(1, "", "Failed to connect to bus\nmore\n");
    CHECK(failed.result == CheckResult::failed);
    CHECK(failed.message ==
          "a report as alice did not work: exit status 1: Failed to connect to bus");
    CHECK(judged(0, leaks).result == CheckResult::failed);
    CHECK(judged(0, "").result == CheckResult::failed);
    CHECK(judged(1, R"({"exit_status": 1})").result == CheckResult::failed);
    CHECK(judged(1, R"(["exit_status"])").result == CheckResult::failed);
    const auto incomplete = judged(
        4, R"({"schema": "orphan-reaper/report/1", "exit_status": 4, "remarks": ["no /proc"]})");
    CHECK(incomplete.result == CheckResult::failed);
    CHECK(incomplete.message == "a report as alice did not work: exit status 4: no /proc");
}

TEST_CASE("cron's commands do not see what surrounds ours") {
    Situation found = found_for_alice();
    found.home = "/home/alice";
    const auto environment = environment_of_cron(found);
    for (const char* variable : {"HOME=/home/alice", "USER=alice", "XDG_CONFIG_HOME="})
        CHECK(std::ranges::find(environment, variable) != environment.end());
    found.can_confine = true;
    CHECK(is_confined(found, ScheduleKind::user_timer));
    CHECK(!is_confined(found, ScheduleKind::user_cron));
    CHECK(!is_confined(found, ScheduleKind::system_cron));
}

TEST_CASE("A trial is confined as the unit is, and is no service of that kind") {
    const auto settings = confinement_of("orphan-reaper@.service", "alice");
    const auto has = [&](const std::string& setting) {
        return std::ranges::find(settings, setting) != settings.end();
    };
    for (const char* setting : {"User=alice", "ProtectSystem=strict", "NoNewPrivileges=yes",
                                "CapabilityBoundingSet=", "StateDirectory=orphan-reaper/alice",
                                "SystemCallFilter=@system-service",
                                "Environment=XDG_STATE_HOME=/var/lib/orphan-reaper/alice"})
        CHECK(has(setting));
    for (const std::string& setting : settings) {
        CAPTURE(setting);
        CHECK(setting.find('%') == std::string::npos);
        for (const char* name : {"Type=", "ExecStart=", "Description=", "SuccessExitStatus=", "#"})
            CHECK(!setting.starts_with(name));
    }
    CHECK(confinement_of("orphan-reaper-watch.service", "").size() > 10);
    CHECK(confinement_of("other.service", "").empty());
    CHECK(unit_text("other.service", "/x").empty());
}
