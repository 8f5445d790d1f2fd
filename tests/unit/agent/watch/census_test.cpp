#include "agent/watch/census.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/facts_builder.hpp"

namespace reaper::agent {

namespace {

CensusCount count(const test::FactsBuilder& builder) {
    Judged judged;
    judged.look.facts = builder.facts();
    judged.look.rules = policy::built_in_rules();
    judged.judgements = policy::judge(judged.look.facts, judged.look.rules, {}, {});
    return census_of(judged);
}

std::map<scanner::Pid, std::size_t> by_host(const CensusCount& count) {
    std::map<scanner::Pid, std::size_t> members;
    for (const auto& [key, number] : count) members[key.host] += number;
    return members;
}

}  // namespace

TEST_CASE("Helpers are counted by host, what was left behind has none, and a pair is one") {
    test::FactsBuilder builder;
    builder.attached_bridge(100, test::kHost)
        .attached_bridge(101, test::kHost)
        .orphan_bridge(102)
        .orphan_pair(103, 104);
    CHECK(by_host(count(builder)) == std::map<scanner::Pid, std::size_t>{{0, 2}, {test::kHost, 2}});
    builder[101].row.state = 'Z';
    CHECK(by_host(count(builder)) == std::map<scanner::Pid, std::size_t>{{0, 2}, {test::kHost, 1}});
}

TEST_CASE("The most that there ever were outlives them, that of one host goes with the host") {
    const CensusKey first{50, 1, "bridge", "/h"};
    const CensusKey second{60, 2, "bridge", "/h"};
    const CensusKey nobodys{0, 0, "bridge", "/h"};
    Census census;
    CHECK(census.update({{first, 2}, {nobodys, 7}}));
    CHECK_FALSE(census.update({{first, 2}, {nobodys, 7}}));
    CHECK(census.members() == 9);
    CHECK(census.update({{first, 1}}));
    auto line = nlohmann::json::parse(census.line(1'800'000'000));
    CHECK(line["groups"].size() == 1);
    CHECK(line["groups"][0]["members"] == 1);
    CHECK(line["groups"][0]["most"] == 2);
    CHECK(census.update({{second, 1}}));
    line = nlohmann::json::parse(census.line(1'800'000'000));
    CHECK(line["groups"][0]["most"] == 1);
    REQUIRE(line["largest"].size() == 1);
    CHECK(line["largest"][0]["members"] == 2);
    CHECK(line["largest"][0]["host"] == 50);
    CHECK(line["at"] == "2027-01-15T08:00:00Z");
}

TEST_CASE("The most that an earlier watch saw counts on, by its last whole line") {
    const CensusKey first{50, 1, "bridge", "/h"};
    const CensusKey second{60, 2, "bridge", "/i"};
    Census earlier;
    std::string lines;
    for (const std::size_t members : {1U, 3U, 2U}) {
        earlier.update({{first, members}});
        lines += earlier.line(1'800'000'000);
    }
    const auto largest = [&](const std::string& text) {
        Census census;
        census.resume(text);
        census.update({{second, 2}});
        return nlohmann::json::parse(census.line(1'800'000'060))["largest"][0];
    };
    CHECK(largest(lines)["members"] == 3);
    CHECK(largest(lines)["host"] == 50);
    CHECK(largest(lines + R"({"schema":"orphan-reaper/census/1","largest":[{"fam)")["members"] ==
          3);
    for (const char* nothing :
         {"", "\n", "x", "[]\n", "{}\n", R"({"schema":"orphan-reaper/census/1","largest":{}})",
          R"({"schema":"orphan-reaper/census/1","largest":[7]})", R"({"schema":7})"})
        CHECK(largest(nothing)["members"] == 2);
}

TEST_CASE("A census is one line of ASCII, whatever a home is called") {
    Census census;
    std::ignore = census.update({{{50, 1, "bridge", "/h\n\xff\x1b[2J"}, 1}});
    for (const std::string& text : {census.line(0), census.text()}) {
        for (const char c : text.substr(0, text.find('\n'))) CHECK((c >= 0x20 && c < 0x7f));
    }
    CHECK(census.line(0).find('\n') == census.line(0).size() - 1);
    CHECK(Census().text() == "census: no helpers\n");
}

}  // namespace reaper::agent
