#include "scanner/parse/proc_stat.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/proc_tree.hpp"

using namespace reaper::scanner;
using reaper::test::FakeProcess;
using reaper::test::stat_text;

namespace {

bool is_refused(std::string_view text) {
    const auto stat = parse_stat(text);
    return !stat && stat.error().code == std::errc::invalid_argument;
}

// The text of a good stat with one field (counted from 1, as in proc(5)) replaced.
std::string with_field(int number, const std::string& value) {
    std::string text = stat_text({.pid = 7});
    std::size_t begin = text.rfind(')') + 2;
    for (int field = 3; field < number; ++field) begin = text.find(' ', begin) + 1;
    return text.replace(begin, text.find_first_of(" \n", begin) - begin, value);
}

}  // namespace

TEST_CASE("stat of a living process as Linux 6 prints it") {
    const auto stat = parse_stat(
        "4242 (node) S 1 4242 4200 34816 -1 4194304 2605 0 3 0 17 4 0 0 20 0 11 0 78345 1092444160 "
        "11854 "
        "18446744073709551615 94371840 94399 140722 0 0 0 0 4096 134234626 0 0 0 17 1 0 0 0 0 0 95 "
        "96 97 98 99 100 101 "
        "0\n");
    REQUIRE(stat);
    CHECK(stat->pid == 4242);
    CHECK(stat->comm == "node");
    CHECK(stat->state == 'S');
    CHECK(stat->ppid == 1);
    CHECK(stat->pgrp == 4242);
    CHECK(stat->session == 4200);
    CHECK(stat->tty == 34816);
    CHECK(stat->flags == 4194304);
    CHECK(stat->user_ticks == 17);
    CHECK(stat->system_ticks == 4);
    CHECK(stat->threads == 11);
    CHECK(stat->start_ticks == 78345);
    CHECK_FALSE(stat->kernel_thread());
}

TEST_CASE("stat of a kernel thread") {
    const auto stat =
        parse_stat(stat_text({.pid = 2, .ppid = 0, .pgrp = 0, .session = 0, .flags = 0x208040}));
    REQUIRE(stat);
    CHECK(stat->kernel_thread());
}

TEST_CASE("a process cannot make up stat fields through its name") {
    const std::string name =
        GENERATE(as<std::string>(), ")", "a) R 1 (b", "(", "((", "", " ", "x) R 1 (\n\x1b[2J",
                 "\xff\xfe", "7 (x) Z 99 99 99", ") S 4 4 4 0 -1 0 0 0 0 0 0 0");
    const auto stat = parse_stat(stat_text({.pid = 7, .ppid = 3, .start_ticks = 12, .comm = name}));
    REQUIRE(stat);
    CHECK(stat->comm == name);
    CHECK(stat->ppid == 3);
    CHECK(stat->state == 'S');
    CHECK(stat->start_ticks == 12);
}

TEST_CASE("every cut through a stat is refused") {
    const std::string text = stat_text({.pid = 7, .comm = "a) b"});
    for (std::size_t size = 0; size < text.size(); ++size) {
        INFO(size);
        CHECK(is_refused(std::string_view(text).substr(0, size)));
    }
    CHECK(parse_stat(text));
}

TEST_CASE("numbers that do not fit, or are none, are refused wherever they stand") {
    for (const int field : {4, 5, 6, 7, 9, 14, 15, 22}) {
        for (const char* bad :
             {"99999999999999999999999", "x", "", "+1", "0x10", "1.5", "1-", "--1"}) {
            INFO(field << " = " << bad);
            CHECK(is_refused(with_field(field, bad)));
        }
    }
    for (const int field : {8, 10, 23, 52}) {
        for (const char* bad : {"x", "", "-", "1x"}) {
            INFO(field << " = " << bad);
            CHECK(is_refused(with_field(field, bad)));
        }
    }
}

TEST_CASE("stat numbers have the range that the kernel gives them") {
    CHECK(is_refused(with_field(4, "-1")));
    CHECK(is_refused(with_field(4, "2147483648")));
    CHECK(parse_stat(with_field(4, "2147483647")));
    CHECK(parse_stat(with_field(5, "-1")));  // being released
    CHECK(is_refused(with_field(5, "-2")));
    CHECK(is_refused(with_field(9, "4294967296")));
    CHECK(is_refused(with_field(22, "-5")));
    CHECK(is_refused(with_field(22, "18446744073709551616")));
    CHECK(parse_stat(with_field(22, "18446744073709551615"))->start_ticks ==
          18446744073709551615ULL);
    CHECK(is_refused(with_field(3, "SS")));
    CHECK(is_refused(with_field(3, "3")));
}

TEST_CASE("a stat that is none is refused") {
    const std::string good = stat_text({.pid = 7});
    CHECK(is_refused(""));
    CHECK(is_refused("\n"));
    CHECK(is_refused(")"));
    CHECK(is_refused("7 ()"));
    CHECK(is_refused("0" + good.substr(1)));
    CHECK(is_refused("-" + good));
    CHECK(is_refused(" " + good));
    CHECK(is_refused(good + "\n"));
    CHECK(is_refused(good + "1"));
    CHECK(is_refused(good.substr(0, good.size() - 1) + " trailing\n"));
    CHECK(is_refused(good.substr(0, good.size() - 1) + std::string(1, '\0') + "\n"));
}
