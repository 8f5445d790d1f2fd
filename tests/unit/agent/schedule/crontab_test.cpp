#include "agent/schedule/crontab.hpp"

#include "agent/schedule/parts.hpp"
#include "agent/schedule/period.hpp"
#include "tests/support/catch.hpp"

using namespace reaper::agent;

TEST_CASE("All other lines of a crontab stay, byte for byte") {
    const std::string crontabs[] = {"",
                                    "\n",
                                    "# mine\n\n\n",
                                    "MAILTO=\"\"\n*/5 * * * *\ttrue % \xff\n",
                                    "  @yearly  x\r\n",
                                    "x # orphan-reaper begin\ny\n# orphan-reaper ends\n"};
    for (const std::string& old : crontabs) {
        CAPTURE(old);
        const std::string once = with_cron_line(old, "* * * * * one");
        CHECK(once == old + "# orphan-reaper begin\n* * * * * one\n# orphan-reaper end\n");
        CHECK(find_cron_line(once) == "* * * * * one");
        CHECK(!has_stray_markers(once));
        const std::string twice = with_cron_line(once + "# after\n", "* * * * * two");
        CHECK(find_cron_line(twice) == "* * * * * two");
        CHECK(without_cron_line(twice) == old + "# after\n");
        CHECK(without_cron_line(old) == old);
    }
}

TEST_CASE("Markers that are no pair around one line are told from others") {
    for (const char* text :
         {"# orphan-reaper begin\n", "# orphan-reaper end\n", "# orphan-reaper end\nx\n",
          "# orphan-reaper end\n# orphan-reaper begin\n",
          "# orphan-reaper begin\na\nmine\n# orphan-reaper end\n",
          "# orphan-reaper begin\na\n# orphan-reaper end\n# orphan-reaper begin\nb\n"
          "# orphan-reaper end\n"}) {
        CAPTURE(text);
        CHECK(has_stray_markers(text));
    }
    CHECK(!has_stray_markers(""));
    CHECK(!has_stray_markers("# orphan-reaper begin\na\n# orphan-reaper end\n"));
    CHECK(!has_stray_markers("echo '# orphan-reaper end'\n"));
}

TEST_CASE("A crontab without a newline at its end gets one") {
    CHECK(with_cron_line("x", "y") == "x\n# orphan-reaper begin\ny\n# orphan-reaper end\n");
}

TEST_CASE("/etc/cron.d/orphan-reaper has a line for each user") {
    const std::string mark = std::string(kWrittenByInstall) + "\n";
    const std::string one = with_system_line("", "alice", "*/5 * * * * alice x sweep");
    CHECK(one == mark + "*/5 * * * * alice x sweep\n");
    const std::string two = with_system_line(one, "bob", "*/5 * * * * bob x sweep");
    CHECK(two == one + "*/5 * * * * bob x sweep\n");
    CHECK(find_system_line(two, "bob") == "*/5 * * * * bob x sweep");
    CHECK(!find_system_line(two, "ali"));
    CHECK(without_system_line(two, "bob") == one);
    CHECK(without_system_line(one, "alice").empty());
    CHECK(with_system_line(two, "alice", "0 * * * * alice x") ==
          mark + "*/5 * * * * bob x sweep\n0 * * * * alice x\n");
}

TEST_CASE("A period is said in the words of cron and of systemd") {
    using std::chrono::seconds;
    struct Row {
        int seconds;
        std::string cron;  // empty: it cannot
        std::string timer;
    };
    const Row rows[] = {
        {60, "* * * * *", "OnCalendar=*:0/1\n"},
        {300, "*/5 * * * *", "OnCalendar=*:0/5\n"},
        {1800, "*/30 * * * *", "OnCalendar=*:0/30\n"},
        {3600, "0 * * * *", "OnCalendar=*:00\n"},
        {7200, "0 */2 * * *", "OnCalendar=0/2:00\n"},
        {43200, "0 */12 * * *", "OnCalendar=0/12:00\n"},
        {86400, "0 0 * * *", "OnCalendar=*-*-* 00:00:00\n"},
        {420, "", "OnActiveSec=420\nOnUnitActiveSec=420\n"},
        {90, "", "OnActiveSec=90\nOnUnitActiveSec=90\n"},
        {18000, "", "OnActiveSec=18000\nOnUnitActiveSec=18000\n"},
        {5400, "", "OnActiveSec=5400\nOnUnitActiveSec=5400\n"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.seconds);
        CHECK(cron_fields(seconds(row.seconds)).value_or("") == row.cron);
        CHECK(timer_lines(seconds(row.seconds)) == "OnCalendar=\n" + row.timer);
    }
    CHECK(cron_fields(seconds(420)).error().find("--every 7m: cron cannot") == 0);
}
