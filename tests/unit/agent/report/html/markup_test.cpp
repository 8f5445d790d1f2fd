#include "agent/report/html/markup.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/unit/agent/report/html/page_reader.hpp"

namespace reaper::agent::html {

namespace {

// A browser's way back, of what this program writes.
std::string unescaped(std::string words) {
    constexpr std::pair<std::string_view, char> kNames[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}, {"&amp;", '&'}};
    for (const auto& [name, letter] : kNames) {
        for (std::size_t at = words.find(name); at != std::string::npos;
             at = words.find(name, at + 1))
            words.replace(at, name.size(), 1, letter);
    }
    return words;
}

// The same numbers everywhere, so that a failure can be repeated.
class Random {
   public:
    std::uint32_t below(std::uint32_t limit) {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::uint32_t>(state_ >> 33U) % limit;
    }

   private:
    std::uint64_t state_ = 42;
};

std::string random_words(Random& random) {
    constexpr std::string_view kParts[] = {"<",  ">",    "\"",       "'",     "&", "&amp;", "-->",
                                           "]]", "</",   "<script>", "=",     "x", " ",     "\n",
                                           "\0", "\x80", "</style>", "&#39;", "`", "/>",    "on"};
    std::string words;
    for (std::uint32_t left = random.below(12); left > 0; --left) {
        if (random.below(3) == 0) {
            words += static_cast<char>(random.below(256));
        } else {
            words += kParts[random.below(std::size(kParts))];
        }
    }
    return words;
}

}  // namespace

TEST_CASE("Markup: words are shown as they are, and an attribute cannot be left") {
    CHECK(text("a<b>&\"'c").str() == "a&lt;b&gt;&amp;&quot;&#39;c");
    CHECK(text(std::string("\x1b[31m\0", 6)).str() == "\\x1b[31m\\x00");
    CHECK(text("abcdef", 4).str() == "abcd...");
    const Markup made = element("p", {{"title", "\" onclick=\"x"}}, text("<b>"));
    CHECK(made.str() == "<p title=\"&quot; onclick=&quot;x\">&lt;b&gt;</p>");
    CHECK(empty_element("use", {{"href", "#a"}}).str() == "<use href=\"#a\"/>");
    CHECK((literal("<hr>") + text("&")).str() == "<hr>&amp;");
    CHECK(Markup().empty());
}

TEST_CASE("Markup: coordinates are short") {
    CHECK(coordinate(12) == "12");
    CHECK(coordinate(12.25) == "12.2");
    CHECK(coordinate(-0.5) == "-0.5");
}

TEST_CASE("Markup: no bytes make an element, end one, or get lost") {
    Random random;
    for (int round = 0; round < 20'000; ++round) {
        const std::string words = random_words(random);
        const std::string page =
            element("p", {{"title", words}}, text(words) + element("b", text(words))).str();
        const test::PageReader read(page);
        INFO(page);
        REQUIRE(read.complaints.empty());
        REQUIRE(read.elements == std::map<std::string, std::size_t>{{"p", 1}, {"b", 1}});
        REQUIRE(unescaped(read.shown) == policy::escape(words) + policy::escape(words));
    }
}

}  // namespace reaper::agent::html
