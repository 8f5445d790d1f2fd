#include "agent/mcp/rows.hpp"

#include <algorithm>

#include "agent/mcp/tools.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/agent/report/sample_report.hpp"

namespace reaper::agent {

namespace {

Json schema_of(const std::string& tool) {
    for (const Json& one : list_tools(true)) {
        if (one["name"] == tool) return one["outputSchema"];
    }
    FAIL(tool);
    return {};
}

void check_conforms(const std::string& tool, const Json& result) {
    CHECK(find_mismatch(schema_of(tool), result, tool) == "");
}

void check_text(const std::string& text, std::size_t longest) {
    CHECK(text.size() <= longest);
    CHECK(std::ranges::all_of(text, [](char c) { return c >= 0x20 && c <= 0x7e; }));
}

// Every text in there: what this program says itself may be longer.
void check_texts(const Json& value, std::size_t longest = 120) {
    if (value.is_string()) check_text(value.get<std::string>(), longest);
    if (value.is_array()) {
        for (const Json& part : value) check_texts(part, longest);
    }
    if (!value.is_object()) return;
    for (const auto& [key, part] : value.items()) {
        const bool is_own = key == "remedy" || key == "help" || key == "remarks";
        check_texts(part, is_own ? 1000 : 120);
    }
}

}  // namespace

TEST_CASE("What tools return is as their schemas say, for every kind of report") {
    for (const test::Sample& sample : test::all_samples()) {
        INFO(sample.name);
        for (const bool all : {false, true}) {
            check_conforms("report", report_result(sample.report, all));
            check_texts(report_result(sample.report, all));
        }
        check_conforms("explain", explain_result(sample.report));
        check_texts(explain_result(sample.report));
        check_conforms("preflight_check", preflight_result(sample.report));
        check_texts(preflight_result(sample.report));
        const ToolAnswer plan = plan_result(sample.report, "orphan-reaper sweep");
        check_conforms("plan_sweep", plan.structured);
        check_texts(plan.structured);
        for (const std::string& line : plan.question) check_text(line, 400);
        check_conforms("sweep", sweep_result(sample.report, plan.plan));
    }
    check_conforms("history", history_result({}));
}

TEST_CASE("A secret in an argv is in no answer") {
    Report report = test::two_leaked();
    report.processes.front().facts.row.command_line.value.argv = {"node", "bridge.mjs",
                                                                  "--api-key=hunter2", "hunter2"};
    for (const Json& result :
         {report_result(report, true), explain_result(report), plan_result(report, "").structured})
        CHECK(json_text(result).find("hunter2") == std::string::npos);
}

TEST_CASE("At most 50 rows, then counts, and the plan has all of them") {
    const Report report = test::hundred_leaked();
    const Json result = report_result(report, false);
    CHECK(result["processes"].size() == 50);
    CHECK(result["omitted"] == report.processes.size() - 50);
    const ToolAnswer plan = plan_result(report, "");
    CHECK(plan.structured["planned"] == report.processes.size());
    CHECK(plan.question.size() == 11);
    CHECK(plan.question.back() == "and " + std::to_string(report.processes.size() - 10) + " more");
}

TEST_CASE("Advice is whole, however long it is") {
    Report report = test::two_leaked();
    const std::string remark(500, 'r');
    report.remarks = {remark};
    policy::Obstacle obstacle;
    obstacle.help = "systemctl --user -M someone@.host stop " + std::string(200, 'u');
    report.obstacles = {obstacle};
    CHECK(report_result(report, false)["remarks"][0] == remark);
    CHECK(preflight_result(report)["obstacles"][0]["help"] == obstacle.help);
}

TEST_CASE("A person is asked about what can be told apart") {
    Report report = test::two_leaked();
    for (ReportedProcess& process : report.processes)
        process.facts.row.command_line.value.argv = {"node", "/a/bridge.mjs", "--token=hunter2"};
    const std::string line = plan_result(report, "").question.front();
    for (const char* part :
         {"pid ", "bridge", " of ~", "1h 10m old", "91 MB", "orphan", "node /a/bridge.mjs"}) {
        INFO(line);
        CHECK(line.find(part) != std::string::npos);
    }
    CHECK(line.find("hunter2") == std::string::npos);
}

TEST_CASE("What is leaked of other hosts is told, with the words to ask for it") {
    Report report = test::report_of("report", {});
    report.others = {test::orphan(7), test::daemon(8)};
    report.other_packs = {"agents"};
    conclude(report);
    const Json result = report_result(report, false);
    CHECK(result["remarks"][0] ==
          "1 helper of other hosts may be leaked, and only counted here: call report with "
          "families [\"agents\"]");
    report.others = {test::daemon(8)};
    CHECK(report_result(report, false)["remarks"].empty());
}

TEST_CASE("What is in use is only counted, unless all is asked for") {
    Report report = test::report_of("report", {test::daemon(1), test::orphan(2)});
    conclude(report);
    const Json few = report_result(report, false);
    REQUIRE(few["processes"].size() == 1);
    CHECK(few["processes"][0]["pid"] == 2);
    CHECK(few["kept"] == 1);
    CHECK_FALSE(few["processes"][0].contains("evidence"));
    const Json all = report_result(report, true);
    REQUIRE(all["processes"].size() == 2);
    CHECK(all["processes"][0]["pid"] == 2);  // what is leaked stands first
    CHECK(all["processes"][0].contains("evidence"));
}

TEST_CASE("What a sweep would refuse is in no plan") {
    CHECK(plan_result(test::refused(), "").plan.empty());
    CHECK(plan_result(test::nothing_leaked(), "").plan.empty());
}

}  // namespace reaper::agent
