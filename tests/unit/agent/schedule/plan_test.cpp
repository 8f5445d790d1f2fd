#include "agent/schedule/plan.hpp"

#include <algorithm>

#include "agent/schedule/carry_out.hpp"
#include "agent/schedule/names.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/agent/schedule/found.hpp"

using namespace reaper::agent;

namespace {

using Kind = ScheduleStep::Kind;
using Lines = std::vector<std::string>;

const std::string kUnits = "/home/alice/.config/systemd/user/";
const std::string kMark = std::string(kWrittenByInstall) + "\n";

Situation with_user_manager() {
    Situation found = found_for_alice();
    found.user_manager = found.system_manager = true;
    return found;
}

Situation of_root() {
    Situation found = with_user_manager();
    found.is_root = true;
    return found;
}

// Each step on a line, without contents.
Lines lines_of(const std::vector<ScheduleStep>& steps) {
    Lines lines;
    for (ScheduleStep step : steps) {
        step.text.clear();
        std::string line = steps_text({step});
        line.pop_back();
        lines.push_back(line);
    }
    return lines;
}

Lines installed(const Situation& found, const ScheduleWish& wish) {
    const auto steps = plan_install(found, wish);
    return steps ? lines_of(*steps) : Lines{steps.error().text};
}

Lines removed(const Situation& found, const ScheduleWish& wish) {
    const auto steps = plan_remove(found, wish);
    return steps ? lines_of(*steps) : Lines{steps.error().text};
}

std::string text_of(const Situation& found, const ScheduleWish& wish, const std::string& path) {
    const auto steps = plan_install(found, wish);
    REQUIRE(steps);
    const auto step = std::ranges::find(*steps, path, &ScheduleStep::path);
    REQUIRE(step != steps->end());
    return step->text;
}

int refused(const Situation& found, const ScheduleWish& wish) {
    const auto steps = plan_install(found, wish);
    return steps ? 0 : steps.error().status;
}

}  // namespace

TEST_CASE("The way that fits is chosen") {
    struct Row {
        ScheduleWish wish;
        bool root, user_manager, system_manager, crontab;
        std::optional<ScheduleKind> chosen;
    };
    const ScheduleWish system{.task = "install", .system = true};
    const ScheduleWish system_cron{.task = "install", .system = true, .cron = true};
    const Row rows[] = {
        {{}, false, true, true, true, ScheduleKind::user_timer},
        {{}, false, true, true, false, ScheduleKind::user_timer},
        {{}, false, false, true, true, ScheduleKind::user_cron},
        {{}, true, false, true, true, ScheduleKind::user_cron},
        {{}, false, false, false, true, ScheduleKind::user_cron},
        {{}, false, false, false, false, std::nullopt},
        {{.cron = true}, false, true, true, true, ScheduleKind::user_cron},
        {{.cron = true}, false, true, true, false, std::nullopt},
        {{.watch = true}, false, true, true, true, ScheduleKind::user_watch},
        {{.watch = true}, false, false, true, true, std::nullopt},
        {{.linger = true}, false, false, true, true, std::nullopt},
        {system, true, false, true, false, ScheduleKind::system_timer},
        {system, true, true, false, false, ScheduleKind::system_cron},
        {system_cron, true, true, true, false, ScheduleKind::system_cron},
        {system, false, true, true, true, std::nullopt},
    };
    for (const Row& row : rows) {
        Situation found = found_for_alice();
        found.is_root = row.root;
        found.user_manager = row.user_manager;
        found.system_manager = row.system_manager;
        if (!row.crontab) found.crontab.reset();
        const auto chosen = choose_kind(found, row.wish);
        CAPTURE(&row - rows);
        CHECK((chosen ? std::optional(*chosen) : std::nullopt) == row.chosen);
    }
}

TEST_CASE("The units of a package are used as they are") {
    Situation found = with_user_manager();
    add_package(found);
    CHECK(installed(found, {}) == Lines{"run systemctl --user daemon-reload",
                                        "run systemctl --user enable orphan-reaper.timer",
                                        "run systemctl --user restart orphan-reaper.timer"});
    CHECK(installed(found, {.watch = true}) ==
          Lines{"run systemctl --user daemon-reload",
                "run systemctl --user enable orphan-reaper-watch.service",
                "run systemctl --user restart orphan-reaper-watch.service"});
}

TEST_CASE("What differs from the units of a package stands beside them") {
    Situation found = with_user_manager();
    add_package(found);
    const ScheduleWish wish{.every = std::chrono::minutes(10), .report_only = true};
    const auto lines = installed(found, wish);
    REQUIRE(lines.size() == 5);
    CHECK(lines[0] == "write " + kUnits + "orphan-reaper.service.d/schedule.conf");
    CHECK(lines[1] == "write " + kUnits + "orphan-reaper.timer.d/schedule.conf");
    CHECK(text_of(found, wish, kUnits + "orphan-reaper.service.d/schedule.conf") ==
          kMark + "[Service]\nExecStart=\nExecStart=/usr/local/bin/orphan-reaper report --quiet\n");
    CHECK(text_of(found, wish, kUnits + "orphan-reaper.timer.d/schedule.conf") ==
          kMark +
              "[Unit]\nDescription=Sweep up leaked helper processes every 10m\n\n"
              "[Timer]\nOnCalendar=\nOnCalendar=*:0/10\n");
}

TEST_CASE("Without a package, or with another program's, units are written with this program") {
    Situation found = with_user_manager();
    found.program = "/opt/x/orphan-reaper";
    const Lines wanted{
        "write " + kUnits + "orphan-reaper.service", "write " + kUnits + "orphan-reaper.timer",
        "run systemctl --user daemon-reload", "run systemctl --user enable orphan-reaper.timer",
        "run systemctl --user restart orphan-reaper.timer"};
    CHECK(installed(found, {}) == wanted);
    const std::string text = text_of(found, {}, kUnits + "orphan-reaper.service");
    CHECK(text.starts_with(kMark));
    CHECK(text.find("\nExecStart=/opt/x/orphan-reaper sweep --quiet\n") != std::string::npos);
    CHECK(text.find("@CMAKE") == std::string::npos);
    add_package(found);
    found.units["orphan-reaper.service"].runs_this = false;
    CHECK(installed(found, {}) == wanted);
}

TEST_CASE(
    "Units that install has written are written again, and what is not wanted any more goes") {
    Situation found = with_user_manager();
    found.units["orphan-reaper.timer"] = {
        .name = "orphan-reaper.timer", .path = kUnits + "orphan-reaper.timer", .load = "loaded"};
    for (const char* file :
         {"orphan-reaper.timer", "orphan-reaper.service", "orphan-reaper.timer.d/schedule.conf"})
        found.files[kUnits + file] = kMark + "x\n";
    const auto lines = installed(found, {});
    REQUIRE(lines.size() == 6);
    CHECK(lines[1] == "write " + kUnits + "orphan-reaper.timer");
    CHECK(lines[2] == "remove " + kUnits + "orphan-reaper.timer.d/schedule.conf");
}

TEST_CASE("A file that install has not written is neither overwritten nor removed") {
    for (const char* file : {"orphan-reaper.timer", "orphan-reaper.timer.d/schedule.conf"}) {
        Situation found = with_user_manager();
        found.files[kUnits + file] = "# mine\n" + kMark;
        const ScheduleWish wish{.every = std::chrono::minutes(10)};
        CHECK(refused(found, wish) == 3);
        CHECK(installed(found, wish).front().find(file) != std::string::npos);
        CHECK(removed(found, {}).empty());
    }
    Situation found = of_root();
    found.files["/etc/cron.d/orphan-reaper"] = "* * * * * alice x\n";
    CHECK(refused(found, {.task = "install", .system = true, .cron = true}) == 3);
    CHECK(removed(found, {.task = "remove", .system = true}).empty());
}

TEST_CASE("A program that is not to be scheduled changes nothing") {
    Situation found = with_user_manager();
    found.refusal = "it is in a build folder";
    CHECK(refused(found, {}) == 3);
    CHECK(refused(found, {.cron = true}) == 3);
    CHECK(installed(found, {}).front().find("build folder") != std::string::npos);
}

TEST_CASE("The system's timer is one instance") {
    Situation found = of_root();
    const ScheduleWish wish{.task = "install", .every = std::chrono::minutes(7), .system = true};
    CHECK(installed(found, wish) ==
          Lines{"write /etc/systemd/system/orphan-reaper@.service",
                "write /etc/systemd/system/orphan-reaper@.timer",
                "write /etc/systemd/system/orphan-reaper@alice.timer.d/schedule.conf",
                "run systemctl --system daemon-reload",
                "run systemctl --system enable orphan-reaper@alice.timer",
                "run systemctl --system restart orphan-reaper@alice.timer"});
    for (const char* odd : {"DOMAIN\\alice", "al ice", "alice%", "alice\n"}) {
        found.account = odd;
        CHECK(refused(found, wish) == 2);
    }
    found.account = "root";
    found.uid = 0;
    CHECK(refused(found, wish) == 2);
}

TEST_CASE("The files of all instances stay while other users have theirs") {
    Situation found = of_root();
    found.units["orphan-reaper@alice.timer"] = {.name = "orphan-reaper@alice.timer",
                                                .enabled = "enabled"};
    for (const char* file : {"orphan-reaper@.service", "orphan-reaper@.timer",
                             "orphan-reaper@alice.timer.d/schedule.conf"})
        found.files[std::string(kSystemUnits) + "/" + file] = kMark;
    const ScheduleWish wish{.task = "remove", .system = true};
    CHECK(removed(found, wish) ==
          Lines{"run systemctl --system disable --now orphan-reaper@alice.timer",
                "run systemctl --system clean --what=state orphan-reaper@alice.timer",
                "remove /etc/systemd/system/orphan-reaper@.service",
                "remove /etc/systemd/system/orphan-reaper@.timer",
                "remove /etc/systemd/system/orphan-reaper@alice.timer.d/schedule.conf",
                "run systemctl --system daemon-reload"});
    found.other_instances = true;
    const auto lines = removed(found, wish);
    CHECK(std::ranges::count_if(
              lines, [](const std::string& line) { return line.starts_with("remove"); }) == 1);
}

TEST_CASE("A removal takes back the timer, the watch and the crontab, and only what is there") {
    Situation found = with_user_manager();
    add_package(found);
    CHECK(removed(found, {}).empty());
    found.units["orphan-reaper.timer"].enabled = "enabled";
    found.units["orphan-reaper-watch.service"].active = "active";
    found.crontab = "# mine\n# orphan-reaper begin\n* * * * * x\n# orphan-reaper end\n";
    const Lines watch{"run systemctl --user disable --now orphan-reaper-watch.service"};
    const Lines timer{"run systemctl --user disable --now orphan-reaper.timer",
                      "run systemctl --user clean --what=state orphan-reaper.timer"};
    const Lines cron{"run crontab -"};
    CHECK(removed(found, {.watch = true}) == watch);
    CHECK(removed(found, {.cron = true}) == cron);
    Lines all = timer;
    all.push_back(watch.front());
    all.push_back(cron.front());
    CHECK(removed(found, {}) == all);
    found.crontab = "# orphan-reaper begin\n* * * * * x\n# orphan-reaper end\n";
    CHECK(removed(found, {.cron = true}) == Lines{"run crontab -r"});
}

TEST_CASE("Where a manager does not answer, no other way is taken unless it is asked for") {
    Situation found = found_for_alice();
    found.user_trouble = "systemctl --user: timed out";
    CHECK(refused(found, {}) == 4);
    CHECK(installed(found, {}).front().find("--cron does without it") != std::string::npos);
    CHECK(refused(found, {.cron = true}) == 0);
    found = of_root();
    found.system_trouble = "systemctl: timed out";
    CHECK(refused(found, {.task = "install", .system = true}) == 4);
    CHECK(refused(found, {.task = "install", .system = true, .cron = true}) == 0);
}

TEST_CASE("What cannot be looked at is not removed") {
    Situation found = with_user_manager();
    found.user_trouble = "systemctl --user: timed out";
    const auto steps = plan_remove(found, {});
    REQUIRE(!steps);
    CHECK(steps.error().status == 4);
    CHECK(plan_remove(found, {.cron = true}));
    found.cron_trouble = "crontab -l: not allowed";
    CHECK(!plan_remove(found, {.cron = true}));
}

TEST_CASE("cron gets one line, and refuses what it cannot express") {
    Situation found = found_for_alice();
    found.crontab = "MAILTO=x\n";
    auto steps = plan_install(found, {.every = std::chrono::minutes(10)});
    REQUIRE(steps);
    REQUIRE(steps->size() == 1);
    CHECK(steps->front().argv == std::vector<std::string>{"crontab", "-"});
    CHECK(steps->front().text ==
          "MAILTO=x\n# orphan-reaper begin\n"
          "*/10 * * * * /usr/local/bin/orphan-reaper sweep --quiet\n# orphan-reaper end\n");
    CHECK(refused(found, {.every = std::chrono::minutes(7)}) == 2);
    found = of_root();
    steps =
        plan_install(found, {.task = "install", .system = true, .cron = true, .report_only = true});
    REQUIRE(steps);
    CHECK(steps->front().path == "/etc/cron.d/orphan-reaper");
    CHECK(steps->front().text ==
          kMark + "*/5 * * * * alice /usr/local/bin/orphan-reaper report --quiet\n");
}

TEST_CASE("A crontab whose markers were changed is left alone") {
    for (const char* text :
         {"# orphan-reaper begin\n", "# orphan-reaper end\n",
          "# orphan-reaper begin\n* * * * * x\n* * * * * mine\n# orphan-reaper end\n"}) {
        Situation found = found_for_alice();
        found.crontab = text;
        CHECK(refused(found, {}) == 3);
        CHECK(!plan_remove(found, {.cron = true}));
        CHECK(!plan_remove(found, {}));
    }
}

TEST_CASE("Lingering is switched on only when asked for") {
    Situation found = with_user_manager();
    add_package(found);
    for (const std::string& line : installed(found, {}))
        CHECK(line.find("linger") == std::string::npos);
    CHECK(installed(found, {.linger = true}).back() ==
          "run loginctl --no-ask-password enable-linger alice");
}
