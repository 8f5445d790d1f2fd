#include <nlohmann/json.hpp>

#include "agent/schedule/view.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/agent/schedule/found.hpp"

using namespace reaper::agent;

namespace {

constexpr double kNow = 1795152600;

Situation scheduled() {
    Situation found = found_for_alice();
    found.user_manager = found.system_manager = found.lingers = found.cron_runs = true;
    add_package(found);
    UnitState& timer = found.units["orphan-reaper.timer"];
    timer.enabled = "enabled";
    timer.active = "active";
    timer.next = kNow + 200;
    UnitState& service = found.units["orphan-reaper.service"];
    service.ended = kNow - 100;
    service.exit_status = 0;
    return found;
}

// The ids of what is not well, with blanks between.
std::string complaints(const std::vector<ScheduleCheck>& checks) {
    std::string ids;
    for (const ScheduleCheck& check : checks) {
        if (check.result != CheckResult::ok) ids += (ids.empty() ? "" : " ") + check.id;
    }
    return ids;
}

std::string status_complaints(const Situation& found) {
    return complaints(status_of(found, kNow).checks);
}

int status(const Situation& found) {
    return static_cast<int>(exit_status_of(status_of(found, kNow).checks));
}

}  // namespace

TEST_CASE("A timer that runs well has nothing to complain of") {
    const Situation found = scheduled();
    CHECK(status_complaints(found).empty());
    CHECK(status(found) == 0);
    CHECK(render_schedule(status_of(found, kNow)) ==
          "schedule of alice: user timer\n"
          "  ok    orphan-reaper.service is loaded from "
          "/usr/lib/systemd/user/orphan-reaper.service, and runs '/usr/local/bin/orphan-reaper "
          "sweep --quiet'\n"
          "  ok    orphan-reaper.timer is enabled and active\n"
          "  ok    next run 2026-11-20T05:33:20Z (in 3m)\n"
          "  ok    last run 2026-11-20T05:28:20Z: success, exit status 0\n"
          "  ok    it goes on when alice logs out\n");
}

TEST_CASE("Each thing that is wrong is told") {
    Situation found = scheduled();
    SECTION("the last run failed") {
        found.units["orphan-reaper.service"].result = "exit-code";
        CHECK(status_complaints(found) == "last");
        CHECK(status(found) == 1);
    }
    SECTION("it is enabled, but not active") {
        found.units["orphan-reaper.timer"].active = "inactive";
        CHECK(status_complaints(found) == "active");
        CHECK(status(found) == 1);
    }
    SECTION("it is active, but not enabled") {
        found.units["orphan-reaper.timer"].enabled = "disabled";
        CHECK(status_complaints(found) == "active");
    }
    SECTION("it has no next run") {
        found.units["orphan-reaper.timer"].next.reset();
        CHECK(status_complaints(found) == "next");
        found.units["orphan-reaper.service"].active = "activating";
        CHECK(status_complaints(found).empty());
    }
    SECTION("its file is newer than what is loaded") {
        found.units["orphan-reaper.service"].must_reload = true;
        CHECK(status_complaints(found) == "unit");
        CHECK(status(found) == 0);
    }
    SECTION("the user does not linger") {
        found.lingers = false;
        CHECK(status_complaints(found) == "linger");
        CHECK(status(found) == 0);
    }
    SECTION("nothing is scheduled") {
        found = found_for_alice();
        CHECK(status_complaints(found) == "scheduled");
        CHECK(status(found) == 1);
    }
    SECTION("the manager does not answer") {
        found = found_for_alice();
        found.user_trouble = "timed out";
        CHECK(status(found) == 4);
    }
    SECTION("a crontab names a program that is gone") {
        found = found_for_alice();
        found.cron_runs = true;
        found.crontab = "# orphan-reaper begin\n*/5 * * * * /x sweep\n# orphan-reaper end\n";
        CHECK(status_complaints(found).empty());
        found.missing_programs = {"/x"};
        CHECK(status_complaints(found) == "unit");
        CHECK(status(found) == 1);
    }
    SECTION("two at once") {
        found.crontab = "# orphan-reaper begin\n*/5 * * * * x sweep\n# orphan-reaper end\n";
        CHECK(status_complaints(found) == "several");
        CHECK(status_of(found, kNow).checks.back().fix == "orphan-reaper schedule remove --cron");
        CHECK(status(found) == 0);
        found.cron_runs = false;
        CHECK(status_complaints(found) == "cron several");
    }
}

TEST_CASE("After an installation the loaded command is compared with the wanted one") {
    Situation found = scheduled();
    const auto check = [&](const std::string& words) {
        return complaints(check_kind(found, ScheduleKind::user_timer, words, kNow));
    };
    CHECK(check("sweep --quiet").empty());
    CHECK(check("report --quiet") == "unit");
    found.units["orphan-reaper.service"].runs_this = false;
    CHECK(check("sweep --quiet") == "unit");
    CHECK(complaints(check_kind(found, ScheduleKind::user_cron, "sweep --quiet", kNow)) == "unit");
}

TEST_CASE("A unit that stands in the place of the one that install wrote is told") {
    Situation found = scheduled();
    const std::string own = found.unit_folder + "/orphan-reaper.service";
    found.files[own] = std::string(kWrittenByInstall) + "\n";
    CHECK(status_complaints(found) == "unit");
    found.units["orphan-reaper.service"].path = own;
    CHECK(status_complaints(found).empty());
    found.units["orphan-reaper.service"].path = "/usr/lib/systemd/user/orphan-reaper.service";
    found.files[own] = "# mine\n";
    CHECK(status_complaints(found).empty());
}

TEST_CASE("The JSON form says the same") {
    const auto json = nlohmann::json::parse(render_schedule_json(status_of(scheduled(), kNow)));
    CHECK(json["schema"] == "orphan-reaper/schedule/1");
    CHECK(json["user"] == "alice");
    CHECK(json["exit_status"] == 0);
    REQUIRE(json["scheduled"].size() == 1);
    CHECK(json["scheduled"][0]["kind"] == "user timer");
    CHECK(json["scheduled"][0]["last_run"]["result"] == "success");
    CHECK(json["scheduled"][0]["next_run"] == "2026-11-20T05:33:20Z");
    CHECK(json["checks"][0]["status"] == "ok");
    CHECK(json["last_action_at"].is_null());
}
