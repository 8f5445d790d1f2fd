#include "agent/doctor/schedule_state.hpp"
#include "tests/support/catch.hpp"

namespace reaper::agent {

namespace {

constexpr std::string_view kShown =
    "Id=orphan-reaper.timer\nLoadState=loaded\nActiveState=active\nResult=success\n"
    "\n"
    "Result=exit-code\nExecMainStatus=3\nExecMainExitTimestampMonotonic=40000000\n"
    "Id=orphan-reaper.service\nLoadState=loaded\nActiveState=failed\n"
    "\n"
    "Result=success\nExecMainStatus=0\nExecMainExitTimestampMonotonic=0\n"
    "Id=orphan-reaper-watch.service\nLoadState=not-found\nActiveState=inactive\n";

std::vector<std::string> texts_of(std::string_view crontab, bool has_users,
                                  std::string_view user = "") {
    std::vector<std::string> texts;
    for (const CronLine& line : parse_crontab(crontab, "f", has_users, user)) {
        CHECK(line.file == "f");
        texts.push_back(line.text);
    }
    return texts;
}

}  // namespace

TEST_CASE("What systemctl shows is a block for each unit, in any order") {
    const auto units = parse_units(kShown, true, 100'000'000);
    REQUIRE(units.size() == 3);
    CHECK(units[0].name == "orphan-reaper.timer");
    CHECK(units[0].active == "active");
    CHECK_FALSE(units[0].exit_status);
    CHECK(units[1].name == "orphan-reaper.service");
    CHECK(units[1].result == "exit-code");
    CHECK(units[1].exit_status == 3);
    CHECK(units[1].seconds_since_end == 60);
    CHECK(units[2].load == "not-found");
    CHECK_FALSE(units[2].seconds_since_end);  // none since the boot
    CHECK(units[2].of_user_manager);
}

TEST_CASE("Nothing, and nonsense, are no units with anything to say") {
    CHECK(parse_units("", false, 1).empty());
    CHECK(parse_units("\n\n\n", false, 1).empty());
    const auto units = parse_units(
        "Id\n=\nExecMainStatus=x\nExecMainExitTimestampMonotonic=-5\n"
        "ExecMainExitTimestampMonotonic=9",
        false, 5);
    REQUIRE(units.size() == 1);
    CHECK(units[0].name.empty());
    CHECK_FALSE(units[0].exit_status);
    CHECK_FALSE(units[0].seconds_since_end);  // later than now
}

TEST_CASE("A line of a crontab counts if it sweeps, whatever stands around it") {
    const std::vector<std::string> sweeping = {
        "*/5 * * * * orphan-reaper sweep",
        "*/5 * * * * /usr/bin/orphan-reaper sweep --quiet",
        "\t*/5 *\t* * *  nice -n 10 /opt/x/orphan-reaper --quiet sweep",
        "@hourly orphan-reaper preflight",
        "@reboot orphan-reaper watch",
        "@hourly HOME=/x A= ionice -c 3 nice -5 orphan-reaper sweep >/dev/null 2>&1",
        "@hourly ionice -c3 orphan-reaper --family bridge sweep -o report"};
    const std::vector<std::string> others = {"*/5 * * * * echo do not run orphan-reaper sweep",
                                             "0 3 * * * test -d /x || orphan-reaper sweep",
                                             "@daily nice",
                                             "@daily nice -n",
                                             "@daily A=/orphan-reaper sweep",
                                             "@daily ./A=b orphan-reaper sweep",
                                             "@daily orphan-reaper report -o sweep",
                                             "# */5 * * * * orphan-reaper sweep",
                                             "",
                                             "   ",
                                             "MAILTO=alice",
                                             "*/5 * * * * orphan-reaper report",
                                             "*/5 * * * * orphan-reaper sweep --dry-run",
                                             "@reboot orphan-reaper watch --report-only",
                                             "*/5 * * * * orphan-reaper",
                                             "*/5 * * * * my-orphan-reaper sweep",
                                             "*/5 * * * * sweep orphan-reaper",
                                             "orphan-reaper sweep * * *"};
    for (const std::string& line : sweeping) {
        INFO(line);
        CHECK(texts_of(line, false) == std::vector{line});
    }
    for (const std::string& line : others) {
        INFO(line);
        CHECK(texts_of(line, false).empty());
    }
    CHECK(texts_of("a\n" + sweeping[0] + "\nb\n" + sweeping[1], false) ==
          std::vector{sweeping[0], sweeping[1]});
}

TEST_CASE("A line tells its program, and where cron would look for that") {
    const auto lines = parse_crontab(
        "@hourly A=b /opt/orphan-reaper sweep\nPATH = \"/x:/y\"\n@hourly orphan-reaper sweep\n",
        "f", false, "");
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].program == "/opt/orphan-reaper");
    CHECK(lines[0].path == "/usr/bin:/bin");
    CHECK(lines[1].program == "orphan-reaper");
    CHECK(lines[1].path == "/x:/y");
}

TEST_CASE("A unit sweeps by the words of what it starts") {
    const auto sweeps = [](const std::string& command) {
        const std::string text = "Id=a.service\nExecStart={ path=/a ; argv[]=" + command +
                                 " ; ignore_errors=no ; pid=0 }\n";
        return parse_units(text, true, 1).at(0).sweeps;
    };
    CHECK(sweeps("/usr/bin/orphan-reaper sweep --quiet"));
    CHECK(sweeps("/usr/bin/nice -n 5 /usr/bin/orphan-reaper watch"));
    CHECK_FALSE(sweeps("/usr/bin/orphan-reaper report --quiet"));
    CHECK_FALSE(sweeps("/usr/bin/orphan-reaper watch --report-only"));
    CHECK_FALSE(sweeps("/usr/bin/echo orphan-reaper sweep"));
    CHECK_FALSE(parse_units("Id=a.service\nExecStart=\n", true, 1).at(0).sweeps);
    CHECK(parse_units("Id=a.timer\nUnit=b.service\n", true, 1).at(0).starts == "b.service");
}

TEST_CASE("In the folder of the system each line names its user") {
    const std::string alice = "*/5 * * * * alice orphan-reaper sweep";
    const std::string daily = "@daily bob orphan-reaper sweep";
    const std::string text = alice + "\n" + daily + "\n*/5 * * * *\n";
    CHECK(texts_of(text, true) == std::vector{alice, daily});
    CHECK(texts_of(text, true, "alice") == std::vector{alice});
    CHECK(texts_of(text, true, "bob") == std::vector{daily});
    CHECK(texts_of(text, true, "carol").empty());
}

}  // namespace reaper::agent
