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

// Every text in there.
void check_texts(const Json& value) {
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        CHECK(text.size() <= 120);
        CHECK(std::ranges::all_of(text, [](char c) { return c >= 0x20 && c <= 0x7e; }));
    }
    if (value.is_structured()) {
        for (const Json& part : value) check_texts(part);
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
        for (const std::string& line : plan.question) check_texts(line);
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
