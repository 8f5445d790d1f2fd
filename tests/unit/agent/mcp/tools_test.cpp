#include "agent/mcp/tools.hpp"

#include <regex>

#include "agent/mcp/arguments.hpp"
#include "tests/support/catch.hpp"

namespace reaper::agent {

namespace {

using namespace std::chrono_literals;

Options options_for(const std::string& tool, const Json& arguments, std::string& wrong) {
    return options_of({tool, arguments, {}, "mcp:x"}, {}, wrong);
}

}  // namespace

TEST_CASE("The tools stand in one order, and each says all that a host shows") {
    std::vector<std::string> names;
    for (const Json& tool : list_tools(true)) {
        const std::string name = tool["name"];
        INFO(name);
        names.push_back(name);
        CHECK(std::regex_match(name, std::regex("[A-Za-z0-9_.-]{1,64}")));
        CHECK(tool["title"].is_string());
        CHECK(tool["description"].get<std::string>().size() < 500);
        for (const char* schema : {"inputSchema", "outputSchema"}) {
            CHECK(tool[schema]["type"] == "object");
            CHECK(tool[schema]["additionalProperties"] == false);
        }
        CHECK(json_text(tool).find("$ref") == std::string::npos);
        const Json& notes = tool["annotations"];
        CHECK(notes["title"] == tool["title"]);
        CHECK(notes["readOnlyHint"] == (name != "sweep"));
        CHECK(notes["destructiveHint"] == (name == "sweep"));
        CHECK(notes["idempotentHint"] == (name != "plan_sweep"));
        CHECK(notes["openWorldHint"] == false);
    }
    CHECK(names == std::vector<std::string>{"report", "explain", "history", "preflight_check",
                                            "plan_sweep", "sweep"});
    CHECK(list_tools(false).size() == names.size() - 1);
}

TEST_CASE("No tool takes a pid or a pattern to end, and sweep takes a plan only") {
    for (const Json& tool : list_tools(true)) {
        const Json& properties = tool["inputSchema"]["properties"];
        if (tool["name"] == "sweep") {
            CHECK(properties.size() == 1);
            CHECK(properties.contains("plan_id"));
        }
        if (tool["name"] == "plan_sweep")
            CHECK(properties["reap"]["items"]["enum"] == Json::array({"abandoned", "duplicate"}));
        CHECK(properties.contains("pid") == (tool["name"] == "explain"));
    }
}

TEST_CASE("Arguments become the options of a command") {
    std::string wrong;
    const Options report = options_for(
        "report", {{"families", {"bridge"}}, {"homes", {"/h"}}, {"min_age", "10m"}}, wrong);
    CHECK(report.command == Command::report);
    CHECK(report.lists_others);
    CHECK(report.families == std::vector<std::string>{"bridge"});
    CHECK(report.homes == std::vector<std::string>{"/h"});
    CHECK(report.min_age == std::chrono::milliseconds(10min));
    CHECK(report.from == "mcp:x");
    CHECK(options_for("explain", {{"pid", 7}}, wrong).pids == std::vector<scanner::Pid>{7});
    CHECK(options_for("history", {{"since", "2h"}}, wrong).since == std::chrono::hours(2));
    CHECK(options_for("history", Json::object(), wrong).since == std::chrono::hours(7 * 24));
    CHECK(wrong.empty());
    std::ignore = options_for("report", {{"min_age", "soon"}}, wrong);
    CHECK(wrong.find("min_age: soon") != std::string::npos);
}

TEST_CASE("Only the tool that ends something is no dry run, and none lifts a veto") {
    std::string wrong;
    for (const char* tool : {"report", "explain", "history", "preflight_check", "plan_sweep"})
        CHECK(options_for(tool, Json::object(), wrong).dry_run);
    const Options sweep = options_for("sweep", {{"reap", {"abandoned"}}}, wrong);
    CHECK_FALSE(sweep.dry_run);
    CHECK(sweep.also_reap == std::set<policy::Verdict>{policy::Verdict::abandoned});
    CHECK_FALSE(sweep.reap_inside_services);
    CHECK_FALSE(sweep.all_users);
    CHECK(sweep.user.empty());
    CHECK(command_to_type(sweep, sweep.max_kills, policy::built_in_rules()) ==
          "orphan-reaper sweep --reap abandoned");
}

TEST_CASE("An age that is asked for never makes a rule look at younger processes") {
    policy::Rules rules = policy::built_in_rules();
    const policy::Rules before = rules;
    raise_min_age(rules, 0ms);
    raise_min_age(rules, 1ms);
    for (std::size_t at = 0; at < rules.families.size(); ++at)
        CHECK(rules.families[at].start_up == before.families[at].start_up);
    raise_min_age(rules, 24h);
    for (const policy::FamilyRule& rule : rules.families) CHECK(rule.start_up >= 24h);
}

TEST_CASE("An answer survives its way from the copy") {
    ToolAnswer answer;
    answer.structured = {{"a", {1, "b"}}};
    answer.plan = {{"boot:1:2:3", {policy::Verdict::superseded, "00c0ffee00c0ffee"}}};
    answer.question = {"one", "two"};
    const auto read = read_answer(write_answer(answer));
    REQUIRE(read);
    CHECK(read->structured == answer.structured);
    CHECK(read->plan == answer.plan);
    CHECK(read->question == answer.question);
    CHECK(read_answer(write_answer(tool_trouble("why")))->trouble == "why");
    CHECK_FALSE(read_answer("{\"cut off"));
}

}  // namespace reaper::agent
