#include "agent/detach/watched.hpp"

#include "agent/cli/cli.hpp"
#include "agent/detach/request.hpp"
#include "tests/support/catch.hpp"

namespace reaper::agent {

namespace {

Options options_of(std::vector<const char*> words) {
    const auto parsed = parse(words);
    REQUIRE(std::holds_alternative<Options>(parsed));
    return std::get<Options>(parsed);
}

bool is_enough(const std::vector<const char*>& watch, const std::vector<const char*>& sweep) {
    return does_as_much(options_of(watch), options_of(sweep));
}

std::string place(const std::vector<const char*>& words) {
    const Options options = options_of(words);
    return meeting_place(options, options);
}

}  // namespace

TEST_CASE("A watch that ends leaks does what a sweep is asked for") {
    CHECK(is_enough({"watch"}, {"sweep", "--detach"}));
    CHECK(is_enough({"watch", "--with", "agents", "--reap", "held"}, {"sweep", "--detach"}));
    CHECK(is_enough({"watch", "--with", "agents"}, {"sweep", "--with", "agents"}));
    CHECK(is_enough({"watch"}, {"sweep", "--home", "/h"}));
    CHECK(is_enough({"watch", "--home", "/h"}, {"sweep", "--home", "/h"}));
    CHECK(is_enough({"watch", "--min-age", "1s"}, {"sweep"}));
}

TEST_CASE("A watch that does less does not count") {
    CHECK_FALSE(is_enough({"watch", "--report-only"}, {"sweep"}));
    CHECK_FALSE(is_enough({"watch"}, {"sweep", "--with", "agents"}));
    CHECK_FALSE(is_enough({"watch", "--home", "/h"}, {"sweep"}));
    CHECK_FALSE(is_enough({"watch", "--home", "/h"}, {"sweep", "--home", "/other"}));
    CHECK_FALSE(is_enough({"watch", "--family", "bridge"}, {"sweep"}));
    CHECK_FALSE(is_enough({"watch"}, {"sweep", "--reap", "held"}));
    CHECK_FALSE(is_enough({"watch"}, {"sweep", "--reap", "in-service"}));
    CHECK_FALSE(is_enough({"watch"}, {"sweep", "--under", "/work"}));
    CHECK_FALSE(is_enough({"watch"}, {"sweep", "--all-users"}));
    CHECK_FALSE(is_enough({"watch"}, {"sweep", "--min-age", "1s"}));
    CHECK_FALSE(is_enough({"watch", "--min-age", "1h"}, {"sweep"}));
    CHECK_FALSE(is_enough({"watch", "--max-kills", "1"}, {"sweep"}));
    CHECK_FALSE(is_enough({"watch"}, {"sweep", "--notify"}));
    CHECK_FALSE(is_enough({"watch"}, {"sweep", "--output", "/r"}));
    CHECK_FALSE(is_enough({"watch", "--config", "/c"}, {"sweep"}));
    CHECK_FALSE(is_enough({"sweep"}, {"sweep"}));
}

TEST_CASE("Requests meet where one sweep serves them") {
    const std::string usual = place({"sweep", "--detach"});
    CHECK(usual == place({"sweep", "--detach", "--from", "codex", "--after", "host", "-q"}));
    CHECK(usual.size() < 100);
    const std::vector<std::vector<const char*>> others = {{"--home", "/h"},
                                                          {"--family", "bridge"},
                                                          {"--with", "agents"},
                                                          {"--under", "/work"},
                                                          {"--user", "u"},
                                                          {"--all-users"},
                                                          {"--reap", "held"},
                                                          {"--config", "/c"},
                                                          {"--dry-run"},
                                                          {"--no-history"},
                                                          {"--notify"},
                                                          {"--min-age", "1s"},
                                                          {"--settle", "1s"},
                                                          {"--grace", "1s"},
                                                          {"--grace-cap", "1m"},
                                                          {"--max-kills", "3"},
                                                          {"--lock-wait", "1s"},
                                                          {"-o", "/f"},
                                                          {"--reap", "in-service"},
                                                          {"--at-most-every", "1s"}};
    for (const auto& more : others) {
        std::vector<const char*> words{"sweep", "--detach"};
        for (const char* word : more) words.push_back(word);
        INFO(more.front());
        CHECK(place(words) != usual);
    }
}

}  // namespace reaper::agent
