#include "scanner/json/text_at.hpp"

#include <vector>

#include "tests/support/catch.hpp"

namespace {

constexpr std::string_view kPath[] = {"packages", "venv", "environment"};

auto read(std::string_view text) {
    return reaper::scanner::json::text_at(text, kPath);
}

}  // namespace

TEST_CASE("a text is found by its keys, and only where they lead") {
    CHECK(read(R"({"packages": {"python": {"entry": "x"}, "venv": {"environment": "/e"}}})")
              .value() == "/e");
    CHECK(read(R"({"a": {"packages": {"venv": {"environment": "/no"}}}, "packages": {"venv":
               {"more": {"environment": "/no"}, "environment": "/e", "list": [{"venv": 1}]}}})")
              .value() == "/e");
    for (const char* text :
         {"{}", R"({"packages": {}})", R"({"packages": {"venv": null}})",
          R"({"packages": {"venv": [{"environment": "/no"}]}})",
          R"({"packages": [{"venv": {"environment": "/no"}}]})",
          R"({"venv": {"environment": "/no"}})",
          R"({"packages": {"venv": {}, "python": {"environment": "/no"}}})",
          R"({"packages": {"venv": {}}, "other": {"venv": {"environment": "/no"}}})"}) {
        INFO(text);
        const auto found = read(text);
        REQUIRE(found);
        CHECK_FALSE(*found);
    }
}

TEST_CASE("a value that is no text, or stands there twice, is refused") {
    for (const char* text : {"", "[]", R"({"packages": {"venv": {"environment": 7}}})",
                             R"({"packages": {"venv": {"environment": {}}}})",
                             R"({"packages": {"venv": {"environment": "a", "environment": "b"}}})",
                             R"({"packages": {"venv": {"environment": "/e"}})"}) {
        INFO(text);
        CHECK_FALSE(read(text));
    }
}
