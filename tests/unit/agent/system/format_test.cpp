#include "agent/system/format.hpp"

#include "tests/support/catch.hpp"

namespace reaper::agent {

using namespace std::chrono_literals;

TEST_CASE("Counts agree with their nouns") {
    CHECK(count_text(0, "helper") == "0 helpers");
    CHECK(count_text(1, "helper") == "1 helper");
    CHECK(count_text(2, "helper") == "2 helpers");
}

TEST_CASE("Sizes read like people write them") {
    CHECK(size_text(0) == "0 KB");
    CHECK(size_text(190840832) == "182 MB");
    CHECK(size_text(1023 * 1024) == "1 MB");
    CHECK(size_text(1536ULL * 1024 * 1024) == "1.5 GB");
    CHECK(size_text(~0ULL) == "16777216 TB");
}

TEST_CASE("Ages and times read like people write them") {
    CHECK(age_text(0) == "0s");
    CHECK(age_text(59) == "59s");
    CHECK(age_text(60) == "1m");
    CHECK(age_text(4231) == "1h 10m");
    CHECK(age_text(90000) == "1d 1h");
    CHECK(took_text(41ms) == "41 ms");
    CHECK(took_text(30s) == "30 s");
    CHECK(took_text(1234ms) == "1.23 s");
    CHECK(took_text(10min) == "10 min");
    CHECK(time_text(0) == "1970-01-01T00:00:00Z");
    CHECK(time_text(1769860800) == "2026-01-31T12:00:00Z");
    CHECK(time_text(-1) == "unknown");
    CHECK(time_text(1e300) == "unknown");
}

TEST_CASE("A home is shortened for its own user only") {
    CHECK(home_text("/home/u/.hermes", "u") == "~/.hermes");
    CHECK(home_text("/home/u", "u") == "~");
    CHECK(home_text("/home/user/.hermes", "u") == "/home/user/.hermes");
    CHECK(home_text("/root/x", "root") == "~/x");
    CHECK(home_text("/home/x", "") == "/home/x");
}

TEST_CASE("Text is broken between words, never inside of one") {
    CHECK(wrap("one two three", 7) == std::vector<std::string>{"one two", "three"});
    CHECK(wrap("abcdefghij k", 4) == std::vector<std::string>{"abcdefghij", "k"});
    CHECK(wrap("", 4) == std::vector<std::string>{""});
}

}  // namespace reaper::agent
