// The page about the past.
#include <algorithm>

#include "agent/redaction/argv.hpp"
#include "agent/report/history_view.hpp"
#include "agent/report/history_words.hpp"
#include "agent/report/html/chart.hpp"
#include "agent/report/html/groups.hpp"
#include "agent/report/html/next_steps.hpp"
#include "agent/report/html/page.hpp"
#include "agent/report/html/processes.hpp"
#include "agent/report/html/tiles.hpp"
#include "agent/system/format.hpp"
#include "policy/text/duration.hpp"

namespace reaper::agent {

namespace html {

namespace {

std::vector<Tile> tiles_of(const HistoryView& view) {
    const Tally& total = view.total;
    const auto number = [](std::size_t count) { return fmt::format("{}", count); };
    std::vector<Tile> tiles;
    tiles.push_back({Mark::ended, "Ended", number(total.ended), "helpers, by a sweep"});
    tiles.push_back(
        {Mark::ended, "Came back", size_text(total.reclaimed_bytes), "memory of what was ended"});
    tiles.push_back({total.failed > 0 ? Mark::failed : Mark::kept, "Did not end",
                     number(total.failed), fmt::format("{} came again", total.respawned)});
    tiles.push_back({Mark::ended, "Stale files", number(view.files_removed), "removed"});
    if (total.cut_off > 0)
        tiles.push_back({Mark::look, "Cut off", number(total.cut_off), "the result is not known"});
    return tiles;
}

Mark mark_of(const HistoryView& view, const ActionRecord& record) {
    if (has_failed(record)) return Mark::failed;
    if (!record.end && is_cut_off(view, record)) return Mark::look;
    return Mark::ended;
}

Markup labelled(std::string_view label, const Markup& value) {
    return element("p", element("span", {{"class", "label"}}, text(label)) + value);
}

Markup details_of(const ActionRecord& record) {
    const Event& event = record.begin;
    Markup body = labelled("When", text(time_text(event.at)));
    if (!event.reason.empty())
        body += labelled("Why", (event.verdict.empty()
                                     ? Markup()
                                     : element("code", text(event.verdict, 60)) + literal(": ")) +
                                    text(event.reason, 600));
    if (record.respawn) body += labelled("After that", text(respawn_text(*record.respawn)));
    if (!event.argv.empty())
        body += labelled("Command line", element("code", text(redacted_line(event.argv), 300)));
    if (!event.identity.empty())
        body += labelled("Unique id", element("code", text(event.identity, 200)));
    return element("div", {{"class", "body"}}, body);
}

Markup title_of(const ActionRecord& record) {
    const Event& event = record.begin;
    if (!is_about_process(record)) return text(event.path);
    const std::string role = event.role.empty() ? std::string() : "/" + event.role;
    return text(fmt::format("pid {}", event.pid)) + literal(" ") +
           element("small", text(fmt::format("{}{} of {}", event.family, role,
                                             home_text(event.home, event.user))));
}

Markup row_of(const HistoryView& view, const ActionRecord& record) {
    const bool process = is_about_process(record);
    const std::string size = process ? size_text(memory_bytes(record.begin)) : "file";
    const std::string when = time_text(record.begin.at).substr(0, 16);
    const Markup summary = element(
        "summary",
        mark_icon(mark_of(view, record)) + element("span", {{"class", "what"}}, title_of(record)) +
            element("span", {{"class", "size"}}, text(size)) +
            element("span", {{"class", "why"}},
                    text(fmt::format("{}: {}", when, record_outcome(view, record)), 600)));
    return element("details", summary + details_of(record)) + literal("\n");
}

Markup records_of(const HistoryView& view) {
    Room room;
    Markup rows;
    std::size_t shown = 0;
    for (const ActionRecord& record : view.records) {
        const Markup row = row_of(view, record);
        if (!room.take(row.size())) break;
        rows += row;
        ++shown;
    }
    if (rows.empty()) return {};
    Markup list = element("div", {{"class", "card list"}}, rows);
    if (shown < view.records.size())
        list += element("p", {{"class", "lead"}},
                        text(fmt::format("and {} more: ", view.records.size() - shown)) +
                            element("code", text("orphan-reaper history --json")));
    return list;
}

Page page_of(const HistoryView& view) {
    Page page;
    page.headline = history_headline(view);
    page.title = page.headline + " - orphan-reaper history";
    page.what = "history";
    page.mark = is_clean_history(view) ? Mark::kept : Mark::failed;
    page.facts = time_markup(view.now) + text("; kept in ") + element("code", text(view.folder));
    page.opening = render(tiles_of(view)) + remarks_box(history_remarks(view));
    page.sections.push_back(
        {"days", "By day and family",
         fmt::format("Helpers ended in the last {}.", policy::duration_text(view.since)), 0,
         chart_of(view.tallies, {view.now, view.since}) + table_of(view.tallies)});
    page.sections.push_back({"records", "What was done", "Latest first. Open a row to see why.",
                             view.records.size(), records_of(view)});
    page.sections.push_back({"next", "What to type next", {}, 0, render(steps_after_history())});
    page.last_line = "orphan-reaper " + view.version;
    return page;
}

}  // namespace

}  // namespace html

std::string render_history_html(const HistoryView& view) {
    return html::render(html::page_of(view));
}

}  // namespace reaper::agent
