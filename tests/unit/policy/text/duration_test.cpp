#include "policy/text/duration.hpp"

#include "tests/support/catch.hpp"

namespace reaper::policy {

using namespace std::chrono_literals;

TEST_CASE("Durations with a unit are understood") {
    CHECK(parse_duration("500ms") == 500ms);
    CHECK(parse_duration("30s") == 30s);
    CHECK(parse_duration("5m") == 5min);
    CHECK(parse_duration("2h") == 2h);
    CHECK(parse_duration("7d") == 168h);
    CHECK(parse_duration("3650d").has_value());
}

TEST_CASE("Everything else is refused, with a reason") {
    struct Row {
        std::string_view text;
        std::string_view says;
    };
    for (const Row& row :
         {Row{"30", "30: a duration needs a unit: 30s"},
          Row{"", "expected a duration such as 500ms"},
          Row{"-3s", "-3s: a duration cannot be negative"}, Row{"-0s", "cannot be negative"},
          Row{"+3s", "expected"}, Row{"1.5s", "expected"}, Row{"1h30m", "expected"},
          Row{"30 s", "expected"}, Row{" 30s", "expected"}, Row{"30S", "expected"},
          Row{"s", "expected"}, Row{"30sec", "expected"}, Row{"0x10s", "expected"},
          Row{"3651d", "too long"}, Row{"9223372036854775807d", "too long"},
          Row{"99999999999999999999s", "too long"}, Row{"\x1b[2J", "\\x1b[2J: expected"}}) {
        INFO(row.text);
        const auto result = parse_duration(row.text);
        REQUIRE_FALSE(result.has_value());
        CHECK(result.error().find(row.says) != std::string::npos);
    }
}

TEST_CASE("a duration is written so that it reads the same") {
    for (const char* text : {"0s", "1ms", "1500ms", "90s", "2m", "1h", "25h", "7d", "3650d"}) {
        CHECK(duration_text(parse_duration(text).value()) == text);
    }
    CHECK(duration_text(std::chrono::seconds(3600)) == "1h");
    CHECK(duration_text(std::chrono::milliseconds(0)) == "0s");
}

}  // namespace reaper::policy
