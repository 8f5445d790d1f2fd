#include "scanner/model/number.hpp"

#include <cstdint>

#include "scanner/model/fraction.hpp"
#include "tests/support/catch.hpp"

using namespace reaper::scanner;

TEST_CASE("a whole number or none") {
    CHECK(to_number<std::int32_t>("2147483647") == 2147483647);
    CHECK(to_number<std::int32_t>("-5") == -5);
    CHECK(to_number<std::uint64_t>("0") == 0U);
    for (const char* text :
         {"", " 1", "1 ", "+1", "1x", "2147483648", "99999999999999999999", "-", "0x1", "1\n"}) {
        INFO(text);
        CHECK_FALSE(to_number<std::int32_t>(text));
    }
    CHECK_FALSE(to_number<std::uint32_t>("-1"));
}

TEST_CASE("what cannot be taken stays") {
    std::string_view text = "12 rest";
    int value = 7;
    REQUIRE(take_number(text, value));
    CHECK(value == 12);
    CHECK(text == " rest");
    CHECK_FALSE(take_number(text, value));
    CHECK(value == 12);
    CHECK(text == " rest");
}

TEST_CASE("a whole fraction or none") {
    CHECK(to_fraction("0") == 0.0);
    CHECK(to_fraction("-1.5") == -1.5);
    CHECK(to_fraction(".125") == 0.125);
    CHECK(to_fraction("17e2") == 1700.0);
    CHECK(to_fraction(std::string_view("1.5Z").substr(0, 3)) == 1.5);
    for (const char* text : {"", " 1", "1 ", "+1", "1x", "1e999", "1e-999", "-", "0x1", "inf",
                             "nan", "1.5.5", "1e", "."}) {
        INFO(text);
        CHECK_FALSE(to_fraction(text));
    }
}
