#include "policy/text/escape.hpp"

#include <algorithm>
#include <string>

#include "tests/support/catch.hpp"

namespace reaper::policy {

namespace {

bool is_printable(const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

}  // namespace

TEST_CASE("Every byte becomes printable, and printable ones stay as they are") {
    for (int byte = 0; byte < 256; ++byte) {
        const std::string text(1, static_cast<char>(byte));
        const std::string shown = escape(text);
        INFO(byte);
        CHECK(is_printable(shown));
        CHECK((shown == text) == (byte >= 0x20 && byte <= 0x7e));
    }
    CHECK(escape("a\x1b[2J\n\xff") == "a\\x1b[2J\\x0a\\xff");
}

TEST_CASE("Long text is cut, never in the middle of an escape") {
    for (std::size_t longest = 0; longest < 20; ++longest) {
        const std::string shown = escape("ab\x01\x02\x03\x04\x05", longest);
        CHECK(shown.size() <= longest + 3);
        CHECK(is_printable(shown));
        CHECK(shown.substr(shown.size() - 3) == "...");
    }
    CHECK(escape("abc", 3) == "abc");
    CHECK(escape(std::string(6'000'000, '\0')).size() == kLongestShown + 3);
}

}  // namespace reaper::policy
