#include "agent/report/history_view.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

namespace reaper::agent {

namespace {

using nlohmann::json;

constexpr double kNow = 1795003200;  // 2026-11-18T12:00:00Z
constexpr double kDay = 86400;

Event event(EventKind kind, scanner::Pid pid, double at, const std::string& family = "bridge") {
    Event made;
    made.kind = kind;
    made.at = at;
    made.by.pid = 50;
    made.pid = pid;
    made.identity = "boot:4026531836:" + std::to_string(pid) + ":t9";
    made.family = family;
    made.user = "u";
    made.home = "/home/u/.hermes/memos-plugin";
    made.verdict = "orphan";
    made.reason = "parent is init (pid 1)";
    made.rss_bytes = 60 * 1024 * 1024;
    made.swap_bytes = 40 * 1024 * 1024;
    made.signal = kind == EventKind::signal ? "TERM" : "";
    made.result = kind == EventKind::ended ? "ended_on_term" : "";
    made.took_ms = 41;
    return made;
}

void add_end(std::vector<Event>& events, scanner::Pid pid, double at,
             const std::string& family = "bridge", const std::string& result = "ended_on_term") {
    events.push_back(event(EventKind::signal, pid, at, family));
    events.push_back(event(EventKind::ended, pid, at, family));
    events.back().result = result;
}

HistoryView view_on(std::vector<Event> events,
                    std::chrono::hours since = std::chrono::hours(7 * 24),
                    std::vector<UnreadableLine> unreadable = {}) {
    HistoryView view = view_of({std::move(events), std::move(unreadable)}, kNow, since,
                               [](const Program&) { return false; });
    view.folder = "/var/lib/orphan-reaper";
    return view;
}

HistoryView busy_view() {
    std::vector<Event> events;
    add_end(events, 1, kNow - 2 * kDay);
    add_end(events, 2, kNow - 2 * kDay, "slash_worker");
    for (scanner::Pid pid = 3; pid < 7; ++pid) add_end(events, pid, kNow);
    return view_on(events);
}

std::string text_of(const HistoryView& view, RenderOptions options = {}) {
    return render_history(view, options);
}

bool says(const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("deeds are counted by day and family, the latest first") {
    const HistoryView view = busy_view();
    REQUIRE(view.tallies.size() == 3);
    CHECK(view.tallies[0] == Tally{"2026-11-18", "bridge", 4, 0, 0, 0, 4 * 104857600ULL});
    CHECK(view.tallies[1] == Tally{"2026-11-16", "bridge", 1, 0, 0, 0, 104857600ULL});
    CHECK(view.tallies[2] == Tally{"2026-11-16", "slash_worker", 1, 0, 0, 0, 104857600ULL});
    CHECK(view.total == Tally{"", "", 6, 0, 0, 0, 6 * 104857600ULL});
    CHECK(view.records.front().begin.pid == 6);
    CHECK(view.records.back().begin.pid == 1);
}

TEST_CASE("what is older than asked for is only counted") {
    std::vector<Event> events;
    add_end(events, 1, kNow - 8 * kDay);
    add_end(events, 2, kNow - 6 * kDay);
    const HistoryView view = view_on(events);
    CHECK(view.records.size() == 1);
    CHECK(view.older == 1);
    CHECK(says(text_of(view), "1 more before that: see --since"));
    HistoryView older = view;
    older.older = 2;
    CHECK(says(text_of(older), "2 more before that: see --since"));
}

TEST_CASE("a clock that was stepped back leaves deeds of the future") {
    std::vector<Event> events;
    add_end(events, 1, kNow + 2 * kDay);
    add_end(events, 2, kNow - 1);
    add_end(events, 3, kNow - 9);
    add_end(events, 4, kNow - 1);
    const HistoryView view = view_on(events);
    std::vector<scanner::Pid> order;
    for (const ActionRecord& record : view.records) order.push_back(record.begin.pid);
    CHECK(order == std::vector<scanner::Pid>{1, 4, 2, 3});
    CHECK(view.future == 1);
    CHECK(says(text_of(view), "! 1 of these is later than now: the clock was stepped back\n"));
    CHECK(json::parse(render_history_json(view))["summary"]["future"] == 1);
    CHECK_FALSE(says(text_of(busy_view()), "later than now"));
}

TEST_CASE("every deed says what, why, how and how to check it") {
    const std::string text = text_of(busy_view());
    CHECK(
        says(text,
             "6 helpers ended in the last 7d, 600 MB came back\nkept in /var/lib/orphan-reaper\n"));
    CHECK(says(text, "2026-11-18  bridge                    4       0          0    400 MB\n"));
    CHECK(says(text,
               "2026-11-18T12:00:00Z  bridge  pid 6  100 MB  ~/.hermes/memos-plugin\n"
               "         orphan: parent is init (pid 1)\n"
               "         unique id boot:4026531836:6:t9\n"
               "         -> ended on TERM after 41 ms\n"));
}

TEST_CASE("the chart is for a terminal, as wide as it is") {
    RenderOptions options;
    options.terminal = true;
    const auto bar_of = [&](std::size_t width) {
        options.width = width;
        const std::string text = text_of(busy_view(), options);
        for (std::size_t start = 0; start < text.size(); start = text.find('\n', start) + 1)
            CHECK(text.find('\n', start) - start <= std::max<std::size_t>(width, 80));
        return static_cast<std::size_t>(std::ranges::count(text, '#'));
    };
    CHECK(bar_of(80) == 10 + 3 + 3);
    CHECK(bar_of(100) == 30 + 8 + 8);
    CHECK(bar_of(300) == 38 + 10 + 10);
    CHECK(bar_of(70) == 0);
    CHECK(bar_of(40) == 0);
    options.terminal = false;
    CHECK(bar_of(100) == 0);
}

TEST_CASE("a narrow terminal gets lines instead of columns") {
    RenderOptions options;
    options.width = 40;
    const std::string text = text_of(busy_view(), options);
    CHECK(says(text, "2026-11-18 bridge\n  4 ended, 0 failed, 0 respawned, 400 MB\n"));
}

TEST_CASE("what was never finished is said to be cut off, unless its program may still run") {
    const std::vector<Event> events = {event(EventKind::signal, 7, kNow)};
    HistoryView view = view_on(events);
    CHECK(view.total.cut_off == 1);
    CHECK(says(text_of(view), "nothing was ended in the last 7d; 1 cut off in the middle\n"));
    CHECK(says(text_of(view),
               "-> TERM announced, and then the program (pid 50) was cut off: what came of it is"));
    RenderOptions quiet;
    quiet.quiet = true;
    CHECK(text_of(view, quiet) == "nothing was ended in the last 7d; 1 cut off in the middle\n");
    view = view_of({events, {}}, kNow, std::chrono::hours(1),
                   [](const Program& by) { return by.pid == 50; });
    CHECK(view.total.cut_off == 0);
    CHECK(says(text_of(view), "-> TERM announced; pid 50 may still be at it\n"));
    CHECK(text_of(view, quiet).empty());
}

TEST_CASE("what came again, and what brought it back, is named") {
    std::vector<Event> events;
    add_end(events, 7, kNow);
    Event again = event(EventKind::respawned, 7, kNow);
    again.respawned_as = 8;
    again.respawned_identity = "boot:4026531836:8:t10";
    again.host = 3;
    again.host_argv = {"/usr/bin/python3", "-m", "hermes_cli.main", "gateway"};
    events.push_back(again);
    const HistoryView view = view_on(events);
    CHECK(view.total.respawned == 1);
    CHECK(view.total.failed == 1);
    const std::string text = text_of(view);
    CHECK(says(text, "; 1 did not end, or came again\n"));
    CHECK(says(text, "-> ended on TERM after 41 ms; CAME BACK as pid 8\n"));
    CHECK(
        says(text,
             "-> started again by pid 3 (/usr/bin/python3 -m hermes_cli.main gateway), unique id"));
    const json report = json::parse(render_history_json(view));
    CHECK(report["deeds"][0]["respawned"]["host"]["pid"] == 3);
    CHECK(report["deeds"][0]["host"] == nullptr);
    events.back().host = 0;
    CHECK(says(text_of(view_on(events)), "-> started again by an unknown process, unique id"));
    CHECK(json::parse(render_history_json(view_on(events)))["deeds"][0]["respawned"]["host"] ==
          nullptr);
}

TEST_CASE("lines that were skipped are named") {
    const HistoryView view =
        view_on({}, std::chrono::hours(1), {{"/x/history.jsonl", 12, "cut short"}});
    CHECK(says(text_of(view), "! /x/history.jsonl, line 12 was skipped: it is cut short\n"));
    const json report = json::parse(render_history_json(view));
    CHECK(report["unreadable"][0] ==
          json({{"file", "/x/history.jsonl"}, {"line", 12}, {"why", "cut short"}}));
}

TEST_CASE("removed files are counted and listed") {
    Event removal = event(EventKind::remove, 0, kNow);
    removal.identity.clear();
    removal.path = "/home/u/.hermes/gateway.pid";
    removal.file_kind = "gateway";
    removal.reason = "no process has pid 77";
    Event done = removal;
    done.kind = EventKind::removed;
    done.result = "removed";
    const HistoryView view = view_on({removal, done});
    CHECK(view.files_removed == 1);
    CHECK(view.tallies.empty());
    CHECK(says(text_of(view), "nothing was ended in the last 7d; 1 stale file removed\n"));
    CHECK(says(text_of(view),
               "2026-11-18T12:00:00Z  gateway file  /home/u/.hermes/gateway.pid\n"
               "         no process has pid 77\n"
               "         -> removed\n"));
}

TEST_CASE("the JSON form says the same, in ASCII, whatever the bytes are") {
    std::vector<Event> events;
    add_end(events, 7, kNow);
    events.front().home = "/h/\xff\x1b[2J";
    events.push_back(event(EventKind::signal, 8, kNow));
    const std::string text = render_history_json(view_on(events));
    for (const char letter : text) CHECK((letter == '\n' || (letter >= ' ' && letter <= '~')));
    const json report = json::parse(text);
    CHECK(report["schema"] == "orphan-reaper/history-report/1");
    CHECK(report["since"] == "2026-11-11T12:00:00Z");
    REQUIRE(report["deeds"].size() == 2);
    CHECK(report["deeds"][0]["cut_off"] == true);
    CHECK(report["deeds"][0]["end"] == nullptr);
    CHECK(report["deeds"][1]["pid"] == 7);
    CHECK(report["deeds"][1]["identity"] == "boot:4026531836:7:t9");
    CHECK(report["deeds"][1]["signals"] == json({"TERM"}));
    CHECK(report["deeds"][1]["end"]["result"] == "ended_on_term");
    CHECK(report["deeds"][1]["respawned"] == nullptr);
    CHECK(report["days"][0]["day"] == "2026-11-18");
    CHECK(report["days"][0]["family"] == "bridge");
    CHECK(report["summary"]["ended"] == 1);
    CHECK(report["summary"]["cut_off"] == 1);
    CHECK(report["summary"]["reclaimed_bytes"] == 104857600);
    const std::string shown = text_of(view_on(events));
    for (const char letter : shown) CHECK((letter == '\n' || (letter >= ' ' && letter <= '~')));
}

}  // namespace reaper::agent
