#include "agent/report/html/tree.hpp"

#include <string>

#include "tests/support/catch.hpp"
#include "tests/unit/agent/report/html/page_reader.hpp"
#include "tests/unit/agent/report/sample_report.hpp"

namespace reaper::agent::html {

namespace {

using agent::test::orphan;
using policy::Action;
using policy::Verdict;

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

ReportedProcess attached(scanner::Pid pid, scanner::Pid host) {
    ReportedProcess made = agent::test::process(pid, Verdict::attached, Action::keep);
    made.judgement.host = host;
    return made;
}

}  // namespace

TEST_CASE("Each host is a tree, and what has lost its own is the first") {
    const Report report = agent::test::sick_machine();
    const std::vector<Tree> trees = trees_of(report);
    REQUIRE(trees.size() == 4);
    CHECK(trees[0].name == "No living host");
    CHECK(trees[0].leaked == 2);
    REQUIRE(trees[0].twigs.size() == 1);
    CHECK(trees[0].twigs[0].group.members.size() == 2);
    CHECK(trees[1].name == "hermes");
    CHECK(trees[1].note == "host, pid 80");
    CHECK(trees[1].twigs.size() == 2);
    CHECK(trees[2].name == "Host that is not known by name");
    CHECK(trees[3].name == "On their own");
    CHECK(trees[3].kept);
}

TEST_CASE("What a listed process started hangs below it") {
    ReportedProcess launcher = orphan(70);
    ReportedProcess bridge = orphan(71);
    launcher.judgement.role = "launcher";
    bridge.facts.row.ppid = 70;
    const Report report = agent::test::report_of("report", {bridge, launcher});
    const std::vector<Tree> trees = trees_of(report);
    REQUIRE(trees.size() == 1);
    REQUIRE(trees[0].twigs.size() == 2);
    CHECK(trees[0].twigs[0].group.members.front()->facts.row.pid == 70);
    CHECK(trees[0].twigs[0].depth == 0);
    CHECK(trees[0].twigs[1].depth == 1);
}

TEST_CASE("Parents that run in a circle, or deep down, are drawn all the same") {
    std::vector<ReportedProcess> processes;
    for (scanner::Pid pid = 10; pid < 20; ++pid) {
        processes.push_back(orphan(pid));
        processes.back().judgement.role = std::string("r") + std::to_string(pid);
        processes.back().facts.row.ppid = pid == 10 ? 19 : pid - 1;
    }
    const Report report = agent::test::report_of("report", processes);
    const std::vector<Tree> trees = trees_of(report);
    REQUIRE(trees.size() == 1);
    CHECK(trees[0].twigs.size() == 10);
    CHECK(test::PageReader(draw(report, trees).str()).elements.at("svg") == 2);
}

TEST_CASE("A listed host is the root of its tree, not a helper") {
    ReportedProcess gateway = attached(50, 0);
    gateway.judgement.family = "gateway";
    const Report report = agent::test::report_of("report", {gateway, attached(51, 50)});
    const std::vector<Tree> trees = trees_of(report);
    REQUIRE(trees.size() == 1);
    CHECK(trees[0].name == "gateway of ~/.hermes/memos-plugin");
    CHECK(trees[0].mark == Mark::kept);
    CHECK(trees[0].twigs.size() == 1);
}

TEST_CASE("A drawing says in words what it shows, by shape and colour too") {
    const Report report = agent::test::sick_machine();
    const std::string drawn = draw(report, trees_of(report)).str();
    CHECK(contains(drawn, "role=\"img\" aria-labelledby=\"tree-0\" aria-describedby=\"tree-0-d\""));
    CHECK(contains(drawn, "<title id=\"tree-0\">No living host</title>"));
    CHECK(contains(drawn,
                   "<desc id=\"tree-0-d\">what started these is gone: 2 bridges of "
                   "~/.hermes/memos-plugin, 182 MB, leaked: lost its host.</desc>"));
    CHECK(contains(drawn, "<use href=\"#m-leaked\" x=\"28\""));
    CHECK(contains(drawn, "<use href=\"#m-kept\" x=\"28\""));
    CHECK(contains(drawn, "class=\"fill leaked\""));
}

TEST_CASE("A crowd of hosts and groups is cut off, and counted") {
    std::vector<ReportedProcess> processes;
    for (scanner::Pid pid = 1000; pid < 1200; ++pid) {
        processes.push_back(attached(pid, 10 + pid % 20));
        processes.back().judgement.home = "/home/u/" + std::to_string(pid);
    }
    for (scanner::Pid pid = 2000; pid < 2040; ++pid) {
        processes.push_back(attached(pid, 9));
        processes.back().judgement.home = "/home/u/" + std::to_string(pid);
    }
    const Report report = agent::test::report_of("report", processes);
    const std::string drawn = draw(report, trees_of(report)).str();
    CHECK(contains(drawn, "and 12 more hosts"));
    CHECK(contains(drawn, "and 30 more, see below"));
}

}  // namespace reaper::agent::html
