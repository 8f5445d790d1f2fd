#include <fstream>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "agent/report/report.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/agent/report/sample_report.hpp"

namespace reaper::agent {

namespace {

using Json = nlohmann::json;

Json golden(const std::string& name) {
    std::ifstream file(std::string(REAPER_TEST_DATA) + "/reports/" + name);
    REQUIRE(file.good());
    return Json::parse(file);
}

bool is_ascii(const std::string& text) {
    for (const char c : text) {
        if (c != '\n' && (c < 0x20 || c > 0x7e)) return false;
    }
    return true;
}

// Text that is valid UTF-8 although it holds every control character, and the traps of terminals.
std::string nasty_text() {
    std::string text;
    for (char c = 0; c < 0x7f; ++c) text += c;
    return text + "\x7f\xc2\x9b\xe2\x80\xae\xf0\x9f\x92\x80\"\\/";
}

}  // namespace

TEST_CASE("The JSON of a report is what the design promises") {
    CHECK(Json::parse(render_json(test::two_leaked())) == golden("two_leaked.json"));
    CHECK(Json::parse(render_json(test::swept())) == golden("swept.json"));
    CHECK(Json::parse(render_json(test::sick_machine())) == golden("sick_machine.json"));
}

TEST_CASE("Every byte in every field still gives valid ASCII JSON") {
    const std::string text = render_json(test::hostile());
    CHECK(is_ascii(text));
    const Json json = Json::parse(text);
    CHECK(json["processes"].size() == 2);
    CHECK(json["processes"][0]["comm"].get<std::string>().substr(0, 0x80).size() == 0x80);
}

TEST_CASE("Each byte value survives or is replaced, alone and in company") {
    for (int byte = 0; byte < 256; ++byte) {
        const std::string bytes = std::string("a") + static_cast<char>(byte) + "z";
        ReportedProcess process = test::orphan(7);
        process.facts.row.comm = bytes;
        process.judgement.home = bytes;
        process.facts.row.command_line.value.argv = {bytes, "--home=" + bytes};
        const std::string text = render_json(test::report_of("report", {process}));
        REQUIRE(is_ascii(text));
        const Json shown = Json::parse(text)["processes"][0];
        const std::string expected = byte < 0x80 ? bytes : "a\xef\xbf\xbdz";
        CHECK(shown["comm"] == expected);
        CHECK(shown["home"] == expected);
        REQUIRE(shown["argv"].size() == 2);
    }
}

TEST_CASE("Valid text comes back exactly") {
    ReportedProcess process = test::orphan(7);
    process.facts.row.comm = nasty_text();
    process.judgement.home = nasty_text();
    const std::string text = render_json(test::report_of("report", {process}));
    CHECK(is_ascii(text));
    const Json json = Json::parse(text);
    CHECK(json["processes"][0]["comm"] == nasty_text());
    CHECK(json["processes"][0]["home"] == nasty_text());
}

TEST_CASE("JSON lines: a line a process, then the summary") {
    const Report report = test::two_leaked();
    std::istringstream lines(render_jsonl(report));
    std::vector<Json> parsed;
    for (std::string line; std::getline(lines, line);) parsed.push_back(Json::parse(line));
    REQUIRE(parsed.size() == 4);
    CHECK(parsed[0]["type"] == "process");
    CHECK(parsed[1]["pid"] == 4711);
    CHECK(parsed[3]["type"] == "summary");
    CHECK(parsed[3]["summary"] == golden("two_leaked.json")["summary"]);
    std::istringstream hostile(render_jsonl(test::hostile()));
    for (std::string line; std::getline(hostile, line);)
        CHECK_NOTHROW(std::ignore = Json::parse(line));
}

TEST_CASE("How a process died is told where the kernel tells it") {
    ReportedProcess process = test::with(test::orphan(7), OutcomeResult::ended_on_term);
    const auto outcome_of = [&] {
        return Json::parse(
            render_json(test::report_of("sweep", {process})))["processes"][0]["outcome"];
    };
    CHECK(outcome_of()["exit_status"].is_null());
    CHECK(outcome_of()["ended_by_signal"] == 15);
    process.outcome->wait_status = 3 << 8;
    CHECK(outcome_of()["exit_status"] == 3);
    CHECK(outcome_of()["ended_by_signal"].is_null());
    process.outcome->wait_status.reset();
    CHECK(outcome_of()["exit_status"].is_null());
}

}  // namespace reaper::agent
