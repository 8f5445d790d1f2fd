#include <string>

#include "agent/report/history_view.hpp"
#include "agent/report/html/chart.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/agent/report/html/page_reader.hpp"

namespace reaper::agent {

namespace {

constexpr double kNow = 1795003200;  // 2026-11-18T12:00:00Z
constexpr double kDay = 86400;

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

Event event(EventKind kind, scanner::Pid pid, double at, scanner::Pid by) {
    Event made;
    made.kind = kind;
    made.at = at;
    made.by.pid = by;
    made.pid = pid;
    made.identity = "boot:4026531836:" + std::to_string(pid) + ":t9";
    made.family = "bridge";
    made.user = "u";
    made.home = "/home/u/.hermes";
    made.verdict = "orphan";
    made.reason = "parent is init (pid 1)";
    made.rss_bytes = 100 << 20;
    made.argv = {"node", "[redacted]"};
    made.signal = kind == EventKind::signal ? "TERM" : "";
    made.result = kind == EventKind::ended ? "ended_on_term" : "";
    return made;
}

void add_end(History& history, scanner::Pid pid, double at, scanner::Pid by = 50) {
    history.events.push_back(event(EventKind::signal, pid, at, by));
    history.events.push_back(event(EventKind::ended, pid, at, by));
}

HistoryView view_on(const History& history) {
    HistoryView view =
        view_of(history, kNow, std::chrono::hours(7 * 24), [](const Program&) { return false; });
    view.version = "0.1.0";
    view.folder = "/var/lib/orphan-reaper";
    return view;
}

std::string every_byte() {
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
    return bytes;
}

}  // namespace

TEST_CASE("The page of a history has a chart, the same numbers, and each record") {
    History history;
    add_end(history, 7, kNow - 2 * kDay);
    for (scanner::Pid pid = 8; pid < 12; ++pid) add_end(history, pid, kNow);
    const std::string page = render_history_html(view_on(history));
    CHECK(test::PageReader(page).complaints.empty());
    CHECK(contains(page, "5 helpers ended in the last 7d, 500 MB came back</h1>"));
    CHECK(contains(page, "<desc id=\"chart-d\">2026-11-16: 1. 2026-11-18: 4. </desc>"));
    CHECK(contains(page,
                   "<th scope=\"row\">2026-11-18</th><td>bridge</td>"
                   "<td class=\"number\">4</td>"));
    CHECK(contains(page, "<title>2026-11-17: 0</title>"));
    CHECK(contains(page, "pid 11 <small>bridge of ~/.hermes</small>"));
    CHECK(contains(page, "ended on TERM"));
}

TEST_CASE("The page of an empty history says so") {
    const std::string page = render_history_html(view_on({}));
    CHECK(test::PageReader(page).complaints.empty());
    CHECK(contains(page, "nothing was ended in the last 7d</h1>"));
    CHECK_FALSE(contains(page, "class=\"bars\""));
}

TEST_CASE("What a history file says cannot become markup") {
    History history;
    for (Event& made : history.events) made.home = every_byte();
    add_end(history, 7, kNow);
    for (Event& made : history.events) {
        for (std::string* field : {&made.home, &made.family, &made.role, &made.verdict, &made.user,
                                   &made.identity, &made.reason, &made.detail})
            *field = every_byte() + "<script>\"'</td>";
        made.argv = {every_byte()};
    }
    history.unreadable.push_back({"<b>", 1, "<i>"});
    HistoryView view = view_on(history);
    view.folder = view.version = "<script>";
    const std::string page = render_history_html(view);
    const test::PageReader read(page);
    INFO(page);
    CHECK(read.complaints.empty());
    CHECK_FALSE(read.elements.contains("script"));
    CHECK_FALSE(read.elements.contains("i"));
}

TEST_CASE("A long history is cut off, and what is left out is counted") {
    History history;
    for (scanner::Pid pid = 1; pid <= 1300; ++pid) add_end(history, pid, kNow - pid);
    const std::string page = render_history_html(view_on(history));
    CHECK(contains(page, "and 300 more: "));
    CHECK(page.size() < 2'000'000);
}

TEST_CASE("Families of one day are told apart by pattern and by name") {
    std::vector<Tally> tallies;
    for (const char* family : {"a", "b", "c", "d", "e", "f", "g"})
        tallies.push_back({"2026-11-18", family, 2, 0, 0, 0, 1});
    const std::string chart = html::chart_of(tallies, {kNow, std::chrono::hours(7 * 24)}).str();
    CHECK(contains(chart, "class=\"f1\""));
    CHECK(contains(chart, "fill=\"url(#p-1)\""));
    CHECK(contains(chart, "</svg>others</li>"));
    CHECK(contains(chart, ">14</text>"));
}

TEST_CASE("A clock that is far off breaks no chart") {
    for (const double now : {0.0, 5 * kDay, -1e9, 4e11}) {
        std::vector<Tally> tallies = {{"unknown", "a", 2, 0, 0, 0, 1}, {"1970-01-01", "a", 1}};
        const std::string chart = html::chart_of(tallies, {now, std::chrono::hours(7 * 24)}).str();
        CHECK(test::PageReader(chart).complaints.empty());
    }
    History history;
    add_end(history, 1, 5);
    CHECK(past_sweeps_of(history, 10, std::chrono::hours(14 * 24)).last->ended == 1);
}

TEST_CASE("The last sweep is the run that ended the latest, however long it goes on") {
    const auto past_of = [](const History& history) {
        return past_sweeps_of(history, kNow, std::chrono::hours(14 * 24));
    };
    CHECK_FALSE(past_of({}).last);
    History history;
    add_end(history, 1, kNow - 40 * kDay, 50);
    CHECK(past_of(history).last->ended == 1);
    CHECK(past_of(history).tallies.empty());
    add_end(history, 2, kNow - 3 * kDay, 51);
    add_end(history, 3, kNow - 2 * kDay, 51);  // a watch, a day later
    add_end(history, 4, kNow - 2 * kDay + 5, 51);
    add_end(history, 5, kNow - 2 * kDay + 4, 52);
    const PastSweeps past = past_of(history);
    CHECK(past.last == LastSweep{kNow - 2 * kDay + 5, 2, 200 << 20});
    REQUIRE(past.tallies.size() == 2);
    CHECK(past.tallies[0] == Tally{"2026-11-16", "bridge", 3, 0, 0, 0, 300 << 20});
}

}  // namespace reaper::agent
