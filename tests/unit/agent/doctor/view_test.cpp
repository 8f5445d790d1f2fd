#include "agent/doctor/view.hpp"

#include <nlohmann/json.hpp>

#include "agent/doctor/judge.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/agent/doctor/sample_observations.hpp"

namespace reaper::agent {

namespace {

using enum FindingStatus;

DoctorView sick() {
    return {"1.2.3",
            "alice",
            {{"proc", ok, "all is seen", "", {{"seen", std::int64_t{7}}}},
             {"rules", warn, "a\x1b[0m remark", "", {}},
             {"history", fail, "closed", "chmod u+rwx /x", {{"who", std::monostate{}}}},
             {"watch", skip, "none", "", {{"of", std::vector<std::string>{"a", "b"}}}}},
            ExitStatus::leaks_left,
            false};
}

}  // namespace

TEST_CASE("A line for each finding, its command below it, and how many there are") {
    CHECK(render_doctor(sick(), {}) ==
          "ok    proc: all is seen\n"
          "WARN  rules: a\\x1b[0m remark\n"
          "FAIL  history: closed\n"
          "      -> chmod u+rwx /x\n"
          "skip  watch: none\n"
          "\n"
          "1 failed, 1 warning\n");
    const DoctorView well{"1", "alice", judge_machine(healthy()), ExitStatus::clean, false};
    CHECK(render_doctor(well, {}).ends_with("\n\nthis machine is in order\n"));
}

TEST_CASE("A message is broken between words, a command never") {
    DoctorView view = sick();
    view.findings = {{"a", fail, "one two three four five six seven eight nine ten", "", {}}};
    view.findings[0].fix = std::string(200, 'x');
    RenderOptions options;
    options.width = 40;
    const std::string text = render_doctor(view, options);
    CHECK(text.find("FAIL  a: one two three four five six\n      seven") == 0);
    CHECK(text.find("-> " + std::string(200, 'x') + "\n") != std::string::npos);
}

TEST_CASE("Quiet says one line of what is wrong, and nothing where nothing is") {
    RenderOptions quiet;
    quiet.quiet = true;
    DoctorView view = sick();
    CHECK(render_doctor(view, quiet) == "history: closed\n");
    view.strict = true;
    CHECK(render_doctor(view, quiet) == "rules: a\\x1b[0m remark\n");
    view.exit_status = ExitStatus::clean;
    CHECK(render_doctor(view, quiet).empty());
}

TEST_CASE("Verbose shows what a finding was decided by") {
    RenderOptions verbose;
    verbose.verbose = true;
    const std::string text = render_doctor(sick(), verbose);
    CHECK(text.find("      seen: 7\n") != std::string::npos);
    CHECK(text.find("      who: not known\n") != std::string::npos);
    CHECK(text.find("      of: a, b\n") != std::string::npos);
}

TEST_CASE("What could not be looked at is not in order") {
    DoctorView view{"1", "", {{"proc", ok, "a", "", {}}}, ExitStatus::incomplete, false};
    CHECK(render_doctor(view, {}).find("in order") == std::string::npos);
    CHECK(render_doctor(view, {}).find("could not be looked at") != std::string::npos);
}

TEST_CASE("JSON has every field, ASCII only") {
    DoctorView view = sick();
    view.findings[0].message = "\xff\xc3\xa9";
    const std::string text = render_doctor_json(view);
    for (const char c : text) CHECK((c == '\n' || (c >= ' ' && c <= '~')));
    const auto json = nlohmann::json::parse(text);
    CHECK(json["schema"] == "orphan-reaper/doctor/1");
    CHECK(json["summary"] == nlohmann::json{{"ok", 1}, {"warn", 1}, {"fail", 1}, {"skip", 1}});
    CHECK(json["exit_status"] == 1);
    CHECK(json["checks"][0]["fix"] == nullptr);
    CHECK(json["checks"][0]["facts"]["seen"] == 7);
    CHECK(json["checks"][2]["fix"] == "chmod u+rwx /x");
    CHECK(json["checks"][2]["facts"]["who"] == nullptr);
    CHECK(json["checks"][3]["facts"]["of"] == nlohmann::json{"a", "b"});
}

}  // namespace reaper::agent
