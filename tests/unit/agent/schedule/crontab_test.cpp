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
    const std::string alice = "*/5 * * * * alice /x sweep --quiet";
    const std::string bob = "*/5 * * * * bob /x report --quiet";
    const std::string one = with_system_line("", "alice", alice);
    CHECK(one == mark + alice + "\n");
    const std::string two = with_system_line(one, "bob", bob);
    CHECK(two == one + bob + "\n");
    CHECK(find_system_line(two, "bob") == bob);
    CHECK(!find_system_line(two, "ali"));
    CHECK(without_system_line(two, "bob") == one);
    CHECK(without_system_line(one, "alice").empty());
    const std::string later = "0 * * * * alice /x sweep --quiet";
    CHECK(with_system_line(two, "alice", later) == mark + bob + "\n" + later + "\n");
}

TEST_CASE("Lines that a person has added or switched off in /etc/cron.d stay") {
    const std::string own =
        "0 3 * * * alice /usr/bin/backup\nMAILTO=x\n#0 * * * * alice /x sweep --quiet\n";
    const std::string mark = std::string(kWrittenByInstall) + "\n";
    const std::string file =
        with_system_line(mark + own, "alice", "* * * * * alice /x sweep --quiet");
    CHECK(file == mark + own + "* * * * * alice /x sweep --quiet\n");
    CHECK(without_system_line(file, "alice") == mark + own);
    CHECK(find_system_line(mark + "*/5\t* * *  * alice\t/x sweep --quiet\n", "alice"));
    CHECK(!find_system_line(mark + own, "alice"));
}

TEST_CASE("What a line of a crontab runs") {
    CHECK(command_of_cron_line("*/5 * * * * /x sweep --quiet", false) == "/x sweep --quiet");
    CHECK(command_of_cron_line("*/5\t*  * * *\talice /x sweep", true) == "/x sweep");
    CHECK(command_of_cron_line("@hourly /x sweep", false) == "/x sweep");
    CHECK(command_of_cron_line("#*/5 * * * * /x sweep --quiet", false).empty());
    CHECK(command_of_cron_line(" # * * * * * /x", false).empty());
    CHECK(command_of_cron_line("* * * * *", false).empty());
    CHECK(command_of_cron_line("", true).empty());
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
