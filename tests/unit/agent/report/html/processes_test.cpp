#include "agent/report/html/processes.hpp"

#include <string>

#include "agent/report/html/tiles.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/agent/report/html/page_reader.hpp"
#include "tests/unit/agent/report/sample_report.hpp"

namespace reaper::agent::html {

namespace {

using agent::test::orphan;
using policy::Verdict;

std::size_t count(const std::string& text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

bool contains(const std::string& text, std::string_view part) {
    return count(text, part) > 0;
}

std::string list_of(const Report& report, ReportSection which, Folding folding) {
    Room room;
    return process_list(report, processes_in(report, which), folding, room).str();
}

}  // namespace

TEST_CASE("Equal leaks are one row, with the memory of all") {
    Report report = agent::test::hundred_leaked();
    report.processes[0].judgement.home = "/home/u/.hermes/other";
    const std::string list = list_of(report, ReportSection::leaked, Folding::equals);
    CHECK(contains(list, "99 bridges of ~/.hermes/memos-plugin"));
    CHECK(contains(list, ">8.8 GB<"));
    CHECK(contains(list, "pid 1001"));
    CHECK(count(list, "<details>") == 101);
}

TEST_CASE("What differs in home, verdict, host or outcome is not one row") {
    Report report = agent::test::swept_partly();
    report.processes.push_back(orphan(4713));
    report.processes.push_back(orphan(4714));
    report.processes.back().judgement.verdict = Verdict::superseded;
    report.processes.push_back(orphan(4715));
    report.processes.back().judgement.host = 80;
    const auto groups = group_equals(report, processes_in(report, ReportSection::leaked));
    REQUIRE(groups.size() == 5);
    CHECK(groups[0].mark == Mark::failed);
    CHECK(groups[1].mark == Mark::leaked);
    CHECK(groups[4].mark == Mark::ended);
}

TEST_CASE("Helpers are called what a person calls them") {
    CHECK(helpers_text("bridge", 1) == "bridge");
    CHECK(helpers_text("bridge", 6) == "6 bridges");
    CHECK(helpers_text("slash_worker", 2) == "2 slash workers");
    CHECK(helpers_text("mcp", 1) == "mcp helper");
    CHECK(helpers_text("iron_proxy", 3) == "3 iron proxy helpers");
}

TEST_CASE("Evidence is in words, with its code, and what to type") {
    const Report report = agent::test::two_leaked();
    const std::string list = list_of(report, ReportSection::leaked, Folding::equals);
    CHECK(contains(list, "parent is init (pid 1)<small><code>parent.adopter</code></small>"));
    CHECK(contains(list, "<code class=\"type\">orphan-reaper explain 4711</code>"));
    CHECK(contains(list, "<code>orphan</code>: lost its host"));
    CHECK_FALSE(contains(list, "for_kill"));
    const std::string kept = list_of(report, ReportSection::kept, Folding::by_verdict);
    CHECK(contains(kept, "the daemon that must stay"));
    CHECK(contains(kept, "listens on 127.0.0.1 port 18800"));
}

TEST_CASE("A list ends where a browser would be slow, and says how many more there are") {
    Report report = agent::test::report_of("report", {});
    for (scanner::Pid pid = 1000; pid < 2200; ++pid) report.processes.push_back(orphan(pid));
    const std::string list = list_of(report, ReportSection::leaked, Folding::equals);
    CHECK(count(list, "class=\"body\"") == Room::kMostRows);
    CHECK(contains(list, "and 200 more: <code>orphan-reaper report --json</code>"));
    for (ReportedProcess& process : report.processes) {
        process.facts.row.command_line.value.argv.assign(60, "'/\"");
        process.judgement.evidence.assign(100,
                                          {"a.code", policy::Weight::note, std::string(5000, '"')});
    }
    const std::string heavy = list_of(report, ReportSection::leaked, Folding::equals);
    CHECK(heavy.size() < Room::kMostBytes + 50'000);
    CHECK(contains(heavy, " more: <code>orphan-reaper report --json</code>"));
}

TEST_CASE("No group is shown that has no room for a member") {
    Report report = agent::test::report_of("report", {});
    for (scanner::Pid pid = 1000; pid < 5000; ++pid) {
        report.processes.push_back(orphan(pid));
        report.processes.back().judgement.home = "/home/u/" + std::to_string(pid / 2);
    }
    const std::string list = list_of(report, ReportSection::leaked, Folding::equals);
    const std::size_t rows = count(list, "class=\"body\"");
    CHECK(rows > 900);
    CHECK(count(list, "<details>") == rows + (rows + 1) / 2);
}

TEST_CASE("Tiles count what was found, or what was done") {
    const auto value = [](const Report& report, std::string_view name) {
        for (const Tile& tile : tiles_of(report)) {
            if (tile.name == name) return tile.value;
        }
        return std::string("none");
    };
    CHECK(value(agent::test::two_leaked(), "Leaked") == "2");
    CHECK(value(agent::test::two_leaked(), "Would come back") == "182 MB");
    CHECK(value(agent::test::two_leaked(), "Kept") == "1");
    CHECK(value(agent::test::two_leaked(), "Last sweep") == "not known");
    CHECK(value(agent::test::dry_run(), "Would be ended") == "1");
    CHECK(value(agent::test::swept(), "Ended") == "2");
    CHECK(value(agent::test::swept(), "Leaked") == "none");
    CHECK(value(agent::test::swept_partly(), "Did not end") == "1");
    CHECK(value(agent::test::swept_partly(), "To look at") == "1");
    Report ready = agent::test::report_of("preflight", {});
    conclude(ready);
    CHECK(value(ready, "Ready to update") == "yes");
    ready.obstacles.emplace_back();
    conclude(ready);
    CHECK(value(ready, "Ready to update") == "no");
    CHECK(value(ready, "In the way") == "1");
}

}  // namespace reaper::agent::html
