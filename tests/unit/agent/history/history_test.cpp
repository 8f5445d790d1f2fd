#include "agent/history/history.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "agent/history/merge.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace reaper::agent {

namespace {

using test::TemporaryFolder;

std::string line(const std::string& event, const std::string& more,
                 const std::string& at = "2026-11-18T12:00:00.500Z") {
    return fmt::format(
               R"({{"schema":"orphan-reaper/history/1","at":"{}","event":"{}","by":50,{}}})", at,
               event, more) +
           "\n";
}

const std::string kTerm =
    line("signal",
         R"("pid":7,"identity":"b:1:7:t9","family":"bridge","signal":"TERM","rss_bytes":4096)");
const std::string kKill =
    line("signal", R"("pid":7,"identity":"b:1:7:t9","family":"bridge","signal":"KILL")");
const std::string kEnded = line(
    "ended",
    R"("pid":7,"identity":"b:1:7:t9","family":"bridge","result":"ended_on_kill","took_ms":12.5,"rss_bytes":4096)");

History read_from(const std::string& text) {
    History history;
    add_lines(text, "f", history);
    return history;
}

std::vector<ActionRecord> records_from(const std::string& text) {
    return records_of(read_from(text).events);
}

}  // namespace

TEST_CASE("a line is read with all that it says") {
    const History history = read_from(line(
        "signal",
        R"("pid":7,"identity":"b:1:7:t9","family":"bridge","role":"headless","home":"/h","verdict":"orphan",)"
        R"("signal":"TERM","reason":"why","user":"u","argv":["a","b"],"start_ticks":9,"rss_bytes":4096,"swap_bytes":512,)"
        R"("ticks":12,"by_identity":"b:1:50:t3","uid":1000,"host":3,"host_start_ticks":2,"host_argv":["h"])"));
    CHECK(history.unreadable.empty());
    REQUIRE(history.events.size() == 1);
    const Event& event = history.events.front();
    CHECK(event.kind == EventKind::signal);
    CHECK(event.at == 1795003200.5);
    CHECK(event.by == Program{50, "b:1:50:t3"});
    CHECK(event.pid == 7);
    CHECK(event.identity == "b:1:7:t9");
    CHECK(event.family == "bridge");
    CHECK(event.role == "headless");
    CHECK(event.home == "/h");
    CHECK(event.verdict == "orphan");
    CHECK(event.signal == "TERM");
    CHECK(event.reason == "why");
    CHECK(event.user == "u");
    CHECK(event.argv == std::vector<std::string>{"a", "b"});
    CHECK(event.start_ticks == 9);
    CHECK(event.ticks == 12);
    CHECK(event.uid == 1000);
    CHECK(event.host == 3);
    CHECK(event.host_start_ticks == 2);
    CHECK(event.host_argv == std::vector<std::string>{"h"});
    CHECK(event.rss_bytes == 4096);
    CHECK(event.swap_bytes == 512);
}

TEST_CASE("wherever the last line is cut short, it is skipped and named, and the others are read") {
    for (std::size_t length = 1; length + 1 < kEnded.size(); ++length) {
        const History history = read_from(kTerm + kEnded.substr(0, length));
        CHECK(history.events.size() == 1);
        REQUIRE(history.unreadable.size() == 1);
        CHECK(history.unreadable.front() == UnreadableLine{"f", 2, "cut short"});
    }
    CHECK(read_from(kTerm + kEnded.substr(0, kEnded.size() - 1)).events.size() == 2);
}

TEST_CASE("what is no line of this version is skipped, and the lines around it count") {
    const auto wrong = [](const std::string& text) {
        const History history = read_from(kTerm + text + "\n" + kEnded);
        CHECK(history.events.size() == 2);
        return history.unreadable.size() == 1 ? history.unreadable.front().why : "nothing";
    };
    CHECK(wrong(std::string(16, '\0')) == "not JSON");
    CHECK(wrong("[1]") == "not JSON");
    CHECK(wrong(R"({"schema":"orphan-reaper/history/2"})") ==
          "not of the form orphan-reaper/history/1");
    CHECK(wrong(R"({"schema":"orphan-reaper/history/1","event":"ended","at":"yesterday"})") ==
          "without a time");
    CHECK(
        wrong(
            R"({"schema":"orphan-reaper/history/1","event":"sang","at":"2026-11-18T12:00:00.500Z"})") ==
        "of a kind that this version does not know");
    CHECK(read_from("\n\n" + kTerm).unreadable.empty());
    CHECK(read_from(line("signal", R"("pid":"7","argv":[1,"a"],"rss_bytes":-1,"took_ms":null)"))
              .events.front()
              .argv == std::vector<std::string>{"a"});
}

TEST_CASE("the lines before and the line after are one deed") {
    const auto records = records_from(kTerm + kKill + kEnded);
    REQUIRE(records.size() == 1);
    CHECK(records.front().signals == std::vector<std::string>{"TERM", "KILL"});
    REQUIRE(records.front().end);
    CHECK(records.front().end->took_ms == 12.5);
    CHECK(has_ended(records.front()));
    CHECK_FALSE(has_failed(records.front()));
}

TEST_CASE("where the line after is missing, what came of it is not known") {
    const auto records = records_from(kTerm + kKill);
    REQUIRE(records.size() == 1);
    CHECK_FALSE(records.front().end);
    CHECK_FALSE(has_ended(records.front()));
    CHECK_FALSE(has_failed(records.front()));
}

TEST_CASE(
    "the deeds of programs that were at it at the same time, or after each other with one pid, are "
    "told apart") {
    const std::string other = line("signal", R"("identity":"b:1:7:t9","signal":"TERM","by":51)");
    const std::string other_ended =
        line("ended", R"("identity":"b:1:7:t9","result":"already_gone","by":51)");
    auto records = records_from(kTerm + other + kEnded + other_ended);
    REQUIRE(records.size() == 2);
    CHECK(records[0].end->result == "ended_on_kill");
    CHECK(records[1].end->result == "already_gone");
    records = records_from(kTerm + kTerm + kEnded);
    REQUIRE(records.size() == 2);
    CHECK_FALSE(records[0].end);
    CHECK(records[1].end);
}

TEST_CASE("an end whose beginning was rotated away is a deed, too") {
    const auto records = records_from(kEnded);
    REQUIRE(records.size() == 1);
    CHECK(has_ended(records.front()));
    CHECK(records.front().signals.empty());
}

TEST_CASE("what came again has failed to end") {
    const auto records = records_from(
        kTerm + kEnded +
        line(
            "respawned",
            R"("identity":"b:1:7:t9","respawned_as":8,"respawned_identity":"b:1:8:t10","host":3,"host_argv":["h"])"));
    REQUIRE(records.size() == 1);
    REQUIRE(records.front().respawn);
    CHECK(records.front().respawn->respawned_as == 8);
    CHECK(records.front().respawn->respawned_identity == "b:1:8:t10");
    CHECK(records.front().respawn->host == 3);
    CHECK(records.front().respawn->host_argv == std::vector<std::string>{"h"});
    CHECK(has_failed(records.front()));
}

TEST_CASE("a later program may have noticed what came again") {
    const auto records = records_from(
        kTerm + kEnded + line("respawned", R"("identity":"b:1:7:t9","respawned_as":8,"by":51)"));
    REQUIRE(records.size() == 1);
    CHECK(records.front().respawn);
}

TEST_CASE("what was denied, survived or refused has failed, what was gone or changed has not") {
    const auto fails = [](const std::string& result) {
        return has_failed(
            records_from(kTerm + line("ended", fmt::format(R"("identity":"b:1:7:t9","result":"{}")",
                                                           result)))
                .front());
    };
    for (const char* result : {"denied", "survived", "unkillable", "refused"}) CHECK(fails(result));
    for (const char* result : {"already_gone", "changed", "ended_on_term", "sung"})
        CHECK_FALSE(fails(result));
}

TEST_CASE("the removal of a file is a deed") {
    const auto records =
        records_from(line("remove", R"("path":"/p","kind":"gateway","reason":"why")") +
                     line("removed", R"("path":"/p","kind":"gateway","result":"removed")"));
    REQUIRE(records.size() == 1);
    CHECK_FALSE(is_about_process(records.front()));
    CHECK(records.front().end->result == "removed");
    CHECK(records.front().begin.file_kind == "gateway");
}

TEST_CASE("both files are read, older lines first") {
    const TemporaryFolder folder;
    CHECK(read_history(folder / "none")->events.empty());
    folder.write("history.jsonl", kEnded);
    CHECK(read_history(folder.path())->events.size() == 1);
    folder.write("history.jsonl.1", kTerm + "{torn\n");
    const auto history = read_history(folder.path());
    REQUIRE(history);
    REQUIRE(history->events.size() == 2);
    CHECK(history->events.front().kind == EventKind::signal);
    REQUIRE(history->unreadable.size() == 1);
    CHECK(history->unreadable.front().file == folder / "history.jsonl.1");
    SECTION("a file that was moved while they were read counts once") {
        folder.write("history.jsonl.1", kEnded + kTerm);
        CHECK(read_history(folder.path())->events.size() == 2);
    }
}

TEST_CASE("what is there and cannot be read is an error, and is not waited for") {
    const TemporaryFolder folder;
    folder.fifo("history.jsonl");
    CHECK_FALSE(read_history(folder.path()));
    CHECK_FALSE(CachedHistory(folder.path()).records());
}

TEST_CASE("all histories of a user are one, in order of time") {
    const TemporaryFolder folder;
    const std::vector<HistoryPlace> places = {{folder.path(), "other/state"}};
    const auto pids = [&] {
        std::vector<scanner::Pid> found;
        const auto history = read_histories(folder / "own", places, ::geteuid());
        REQUIRE(history);
        for (const Event& event : history->events) found.push_back(event.pid);
        return found;
    };
    const auto at = [](scanner::Pid pid, const std::string& time) {
        return line("signal", fmt::format(R"("pid":{})", pid), "2026-11-18T12:00:" + time + "Z");
    };
    folder.write("own/history.jsonl", at(1, "01.100") + at(4, "04.000") + at(5, "03.000"));
    CHECK(pids() == std::vector<scanner::Pid>{1, 4, 5});
    folder.write("other/state/history.jsonl.1", at(2, "01.200"));
    folder.write("other/state/history.jsonl", at(3, "02.000"));
    CHECK(pids() == std::vector<scanner::Pid>{1, 2, 3, 4, 5});
    SECTION("what cannot be read is left out") {
        folder.remove("other/state/history.jsonl");
        folder.fifo("other/state/history.jsonl");
        CHECK(pids() == std::vector<scanner::Pid>{1, 2, 4, 5});
    }
    SECTION("no link is followed") {
        folder.remove("other/state/history.jsonl");
        folder.link("other/state/history.jsonl", folder / "own/history.jsonl");
        CHECK(pids() == std::vector<scanner::Pid>{1, 2, 4, 5});
        folder.remove("other/state");
        folder.link("other/state", folder / "own");
        CHECK(pids() == std::vector<scanner::Pid>{1, 4, 5});
    }
    SECTION("no other user's counts") {
        if (::geteuid() != 0) return;
        REQUIRE(::chown((folder / "other/state/history.jsonl").c_str(), 1234, 1234) == 0);
        CHECK(pids() == std::vector<scanner::Pid>{1, 2, 4, 5});
        CHECK(read_histories("", places, 1234)->events.size() == 2);  // root's own may be read
    }
    SECTION("one's own counts once, whatever it is called") {
        const auto history = read_histories(folder / "own", {{folder.path(), "own"}}, ::geteuid());
        CHECK(history->events.size() == 3);
    }
}

TEST_CASE("what was done is read once, however often it is asked for") {
    const TemporaryFolder folder;
    folder.write("history.jsonl", kTerm + kEnded);
    CachedHistory past(folder.path());
    CHECK(past.records()->size() == 1);
    folder.write("history.jsonl", "");
    CHECK(past.records()->size() == 1);
    CHECK(CachedHistory("").records()->empty());
}

}  // namespace reaper::agent
