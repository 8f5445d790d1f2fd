#include "scanner/json/package_json.hpp"

#include "tests/support/catch.hpp"

using reaper::scanner::parse_package_name;

TEST_CASE("the name of a package") {
    CHECK(parse_package_name(R"({"version":"1","name":"@memtensor/memos-local-plugin"})").value() ==
          "@memtensor/memos-local-plugin");
    CHECK_FALSE(parse_package_name(R"({"type":"module"})").value());
}

TEST_CASE("what is no package.json") {
    const std::string deep(100'000, '[');
    for (const std::string& text :
         {std::string(), std::string("null"), std::string("[]"), std::string("\"name\""),
          std::string(R"({"name":7})"), std::string(R"({"name":"a")"),
          std::string(R"({"name":"a"} x)"), std::string("{\"name\":\"\xff\"}"),
          std::string(R"({"name":"a","name":"b"})"), std::string(R"({"name":"\u0061"})"), deep}) {
        const auto name = parse_package_name(text);
        REQUIRE_FALSE(name);
        CHECK(name.error().code == std::errc::invalid_argument);
    }
}
