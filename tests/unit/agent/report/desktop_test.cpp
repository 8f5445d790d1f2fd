#include "agent/report/desktop.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/agent/report/sample_report.hpp"

namespace reaper::agent {

namespace {

const std::string kReason = "parent is init (pid 1); nothing can write to its stdin any more";

ReportedProcess ended(scanner::Pid pid, scanner::Uid user = 1000) {
    ReportedProcess process = test::with(test::orphan(pid), OutcomeResult::ended_on_term);
    process.facts.row.uid = user;
    return process;
}

}  // namespace

TEST_CASE("A desktop is told nothing where nothing of its user was ended") {
    ReportedProcess respawned = ended(4);
    respawned.outcome->respawned_as = 5;
    const Report report = test::report_of(
        "sweep",
        {test::daemon(1), test::with(test::orphan(2), OutcomeResult::refused),
         test::with(test::orphan(3), OutcomeResult::already_gone), respawned, ended(6, 1001)});
    CHECK_FALSE(desktop_note(report, 1000));
    CHECK(desktop_note(report, 1001));
}

TEST_CASE("A desktop is told in one line what was ended, and why") {
    const auto one = desktop_note(test::report_of("sweep", {ended(2)}), 1000);
    REQUIRE(one);
    CHECK(one->summary == "1 leaked helper ended");
    CHECK(one->body == "1 bridge: " + kReason + "; 91 MB came back");
    const auto two = desktop_note(test::report_of("sweep", {ended(2), ended(3)}), 1000);
    REQUIRE(two);
    CHECK(two->summary == "2 leaked helpers ended");
    CHECK(two->body == "2 bridge: " + kReason + ", and others; 182 MB came back");
}

TEST_CASE("What a stranger named cannot become markup or a second line") {
    ReportedProcess process = ended(2);
    process.judgement.family = "<b>&\n\x1b";
    for (auto& piece : process.judgement.evidence) piece.detail = "<a href='x'>&\nsecond";
    const auto note = desktop_note(test::report_of("sweep", {process}), 1000);
    REQUIRE(note);
    CHECK(note->body.find('<') == std::string::npos);
    CHECK(note->body.find('\n') == std::string::npos);
    CHECK(note->body.find("&lt;b&gt;&amp;\\x0a\\x1b") != std::string::npos);
}

}  // namespace reaper::agent
