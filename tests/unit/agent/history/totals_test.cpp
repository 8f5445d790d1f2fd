#include "agent/history/totals.hpp"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "agent/history/file.hpp"
#include "agent/history/merge.hpp"
#include "agent/history/runs.hpp"
#include "agent/history/summary_lines.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace reaper::agent {

namespace {

using test::TemporaryFolder;

std::string ended_line(const std::string& family, const std::string& result) {
    return fmt::format(
        R"({{"schema":"orphan-reaper/history/1","at":"2026-11-18T12:00:00.500Z","event":"ended",)"
        R"("pid":7,"identity":"b:1:7:t9","family":"{}","result":"{}","rss_bytes":100}})"
        "\n",
        family, result);
}

Totals totals_in(const std::string& folder) {
    const auto history = read_history(folder);
    REQUIRE(history);
    CHECK(history->unreadable.empty());
    return history->totals;
}

void append(HistoryFile& file, int times) {
    for (int i = 0; i < times; ++i) REQUIRE(file.append(ended_line("bridge", "ended_on_term")));
}

Run run_at(double at, ExitStatus status) {
    return {"sweep", at, 12.5, status, {{"bridge", 2}}};
}

}  // namespace

TEST_CASE("Only what ended by a signal gave memory back") {
    Totals totals;
    Event event;
    event.kind = EventKind::ended;
    event.family = "bridge";
    event.rss_bytes = 100;
    for (const char* result : {"ended_on_term", "ended_on_kill", "survived", "already_gone"}) {
        event.result = result;
        count(event, totals);
    }
    event.kind = EventKind::respawned;
    count(event, totals);
    event.kind = EventKind::signal;
    count(event, totals);
    CHECK(totals.results["bridge"] ==
          CountByWord{
              {"already_gone", 1}, {"ended_on_kill", 1}, {"ended_on_term", 1}, {"survived", 1}});
    CHECK(totals.reclaimed_bytes["bridge"] == 200);
    CHECK(totals.respawns["bridge"] == 1);
}

TEST_CASE("Sums never fall, however often the file makes way") {
    const TemporaryFolder folder;
    auto file = HistoryFile::open(folder.path(), {kHistoryFile, 1500, true});
    REQUIRE(file);
    for (std::uint64_t lines = 1; lines <= 100; ++lines) {
        append(*file, 1);
        CHECK(totals_in(folder.path()).results["bridge"]["ended_on_term"] == lines);
    }
    CHECK(totals_in(folder.path()).reclaimed_bytes["bridge"] == 100 * 100);
    CHECK(read_history(folder.path())->events.size() < 20);
}

TEST_CASE("Sums survive a program that was ended after it had moved the full file away") {
    const TemporaryFolder folder;
    auto file = HistoryFile::open(folder.path(), {kHistoryFile, 1500, true});
    REQUIRE(file);
    append(*file, 20);
    const std::string path = folder / "history.jsonl";
    REQUIRE(std::rename(path.c_str(), (path + ".1").c_str()) == 0);
    const std::uint64_t left = totals_in(folder.path()).results["bridge"]["ended_on_term"];
    CHECK(left == 20);
    append(*file, 1);
    CHECK(totals_in(folder.path()).results["bridge"]["ended_on_term"] == 21);
    REQUIRE(::unlink((path + ".1").c_str()) == 0);
    CHECK(totals_in(folder.path()).results["bridge"]["ended_on_term"] == 21);
}

TEST_CASE("Sums are carried past a version that wrote none") {
    const TemporaryFolder folder;
    std::string lines;
    for (int i = 0; i < 10; ++i) lines += ended_line("bridge", "ended_on_term");
    folder.write("history.jsonl.1", lines);
    folder.write("history.jsonl", lines);
    auto file = HistoryFile::open(folder.path(), {kHistoryFile, lines.size(), true});
    REQUIRE(file);
    append(*file, 1);
    CHECK(totals_in(folder.path()).results["bridge"]["ended_on_term"] == 21);
}

TEST_CASE("A line of sums comes back as it was written") {
    Totals totals;
    count(run_at(10, ExitStatus::clean), totals);
    count(run_at(20, ExitStatus::not_ended), totals);
    totals.results["bridge"]["survived"] = 3;
    totals.reclaimed_bytes["bridge"] = 7;
    totals.respawns["kernel"] = 1;
    History history;
    add_lines(totals_line(totals), "f", history);
    CHECK(history.unreadable.empty());
    CHECK(history.events.empty());
    CHECK(history.totals == totals);
}

TEST_CASE("What another program wrote into a line of sums counts for nothing") {
    History history;
    add_lines(
        R"({"schema":"orphan-reaper/history/1","event":"totals","results":{"b":7,"c":{"x":-1}},)"
        R"("reclaimed_bytes":[1],"respawns":{"b":"many"},"last_runs":{"sweep":4}})"
        "\n",
        "f", history);
    CHECK(history.totals.reclaimed_bytes.empty());
    CHECK(history.totals.respawns.empty());
    CHECK(history.totals.last_runs.empty());
    CHECK(history.totals.results == CountsByWord{{"c", {}}});
}

TEST_CASE("No text of another user becomes a label, nor too many words, and no sum wraps") {
    const auto line = [](const std::string& fields) {
        return R"({"schema":"orphan-reaper/history/1","event":"totals",)" + fields + "}\n";
    };
    std::string many;
    for (int i = 0; i < 5000; ++i) many += fmt::format(R"(,"f{}":1)", i);
    History history;
    add_lines(line(R"("respawns":{"pid 7 /home/x":1,"":2,"ok":18446744073709551615)" + many + "}"),
              "f", history);
    CHECK(history.totals.respawns.size() == 100);
    CHECK_FALSE(history.totals.respawns.contains("pid 7 /home/x"));
    const CountByWord before = history.totals.respawns;
    Totals sum = history.totals;
    add(history.totals, sum);
    for (const auto& [word, number] : before)
        CHECK(sum.respawns.at(word) == (word == "ok" ? number : 2 * number));
    Run run = run_at(5, ExitStatus::clean);
    run.command = "sweep --pid 7";
    count(run, sum);
    CHECK(sum.runs.empty());
    CHECK(sum.last_runs.empty());
    add_lines(ended_line("a b", "ended_on_term") + ended_line("b", "x y"), "f", history);
    CHECK(history.totals.results == CountsByWord{{"b", {}}});
}

TEST_CASE("A line that is nested too deeply is skipped and named") {
    const std::string deep = std::string(60'000, '[') + std::string(60'000, ']');
    History history;
    add_lines(R"({"schema":"orphan-reaper/history/1","event":"totals","results":)" + deep + "}\n",
              "f", history);
    REQUIRE(history.unreadable.size() == 1);
    CHECK(history.unreadable.front().why == "nested too deeply");
}

TEST_CASE("Runs are counted for ever, and the last success is kept") {
    const TemporaryFolder folder;
    for (int i = 0; i < 600; ++i) REQUIRE(note_run(folder.path(), run_at(i, ExitStatus::clean)));
    REQUIRE(note_run(folder.path(), run_at(1000, ExitStatus::incomplete)));
    CHECK(::access((folder / "runs.jsonl.1").c_str(), F_OK) == 0);
    const auto totals = read_totals(folder.path(), {}, ::geteuid());
    REQUIRE(totals);
    CHECK(totals->runs == CountsByWord{{"sweep", {{"0", 600}, {"4", 1}}}});
    CHECK(totals->refusals == CountByWord{{"bridge", 1202}});
    CHECK(totals->last_runs.at("sweep") == LastRun{1000, 12.5, 4, 599});
}

TEST_CASE("Histories in several places are added up") {
    const TemporaryFolder folder;
    folder.write("own/history.jsonl", ended_line("bridge", "ended_on_kill"));
    folder.write("other/state/history.jsonl", ended_line("bridge", "ended_on_kill"));
    folder.write("other/state/runs.jsonl", run_line(run_at(5, ExitStatus::clean)));
    const auto totals = read_totals(folder / "own", {{folder.path(), "other/state"}}, ::geteuid());
    REQUIRE(totals);
    CHECK(totals->results.at("bridge").at("ended_on_kill") == 2);
    CHECK(totals->last_runs.at("sweep").at == 5);
}

}  // namespace reaper::agent
