// The past for an operator: how much, of what, on which day, and then each record with what is
// needed to check it.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "agent/redaction/argv.hpp"
#include "agent/report/history_view.hpp"
#include "agent/report/history_words.hpp"
#include "agent/report/text/layout.hpp"
#include "agent/report/text/process_line.hpp"
#include "agent/system/format.hpp"
#include "policy/text/duration.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

using policy::escape;

constexpr std::size_t kMostRows = 20;
constexpr std::size_t kTableWidth = 68;
constexpr std::size_t kShortestBar = 8;
constexpr std::size_t kLongestBar = 40;

// How many ended; the longest has all the room that is left.
std::string bar(const HistoryView& view, const Tally& tally, const RenderOptions& options) {
    const std::size_t room =
        std::min(options.width - std::min(options.width, kTableWidth), kLongestBar);
    const std::size_t most = std::ranges::max(view.tallies, {}, &Tally::ended).ended;
    if (!options.terminal || room < kShortestBar || tally.ended == 0) return {};
    return "  " + std::string((tally.ended * (room - 2) + most - 1) / most, '#');
}

std::string row(const HistoryView& view, const Tally& tally, const RenderOptions& options) {
    const std::string size = size_text(tally.reclaimed_bytes);
    const std::string family = escape(tally.family, 20);
    if (options.width < kTableWidth)
        return fmt::format("{} {}\n", tally.day, family) +
               paragraph(fmt::format("{} ended, {} failed, {} respawned, {}", tally.ended,
                                     tally.failed, tally.respawned, size),
                         options);
    return fmt::format("{:<10}  {:<20} {:>6}  {:>6}  {:>9}  {:>8}{}\n", tally.day, family,
                       tally.ended, tally.failed, tally.respawned, size, bar(view, tally, options));
}

std::string table(const HistoryView& view, const RenderOptions& options) {
    if (view.tallies.empty()) return {};
    const std::string title =
        options.width < kTableWidth
            ? std::string("BY DAY AND FAMILY")
            : fmt::format("{:<10}  {:<20} {:>6}  {:>6}  {:>9}  {:>8}", "DAY (UTC)", "FAMILY",
                          "ENDED", "FAILED", "RESPAWNED", "MEMORY");
    std::string text = "\n" + top_line(title, Style::strong, options);
    for (const Tally& tally : view.tallies) text += row(view, tally, options);
    return text;
}

std::string ending(const HistoryView& view, const ActionRecord& record,
                   const RenderOptions& options) {
    std::string text = paragraph("-> " + record_outcome(view, record), options);
    if (!record.respawn) return text;
    return text + paragraph("-> " + respawn_text(*record.respawn), options);
}

std::string process_lines(const ActionRecord& record, const RenderOptions& options) {
    const Event& event = record.begin;
    const std::string role = event.role.empty() ? "" : "/" + escape(event.role, 60);
    std::string text = fmt::format(
        "{}  {}{}  pid {}  {}  {}\n", time_text(event.at), escape(event.family, 60), role,
        event.pid, size_text(memory_bytes(event)), escape(home_text(event.home, event.user)));
    text +=
        paragraph(fmt::format("{}: {}", escape(event.verdict, 60), escape(event.reason)), options);
    text += paragraph("unique id " + escape(event.identity), options);
    if (!options.verbose) return text;
    return text +
           paragraph(fmt::format("user {}, started {} ticks after boot: {}", escape(event.user, 60),
                                 event.start_ticks, redacted_line(event.argv)),
                     options);
}

std::string file_lines(const ActionRecord& record, const RenderOptions& options) {
    const Event& event = record.begin;
    return fmt::format("{}  {} file  {}\n", time_text(event.at), escape(event.file_kind, 60),
                       escape(event.path)) +
           paragraph(escape(event.reason), options);
}

std::string records_text(const HistoryView& view, const RenderOptions& options) {
    const std::size_t shown =
        options.verbose ? view.records.size() : std::min(view.records.size(), kMostRows);
    if (shown == 0) return {};
    std::string text = "\n" + top_line("WHAT WAS DONE, LATEST FIRST", Style::strong, options);
    for (std::size_t i = 0; i < shown; ++i) {
        const ActionRecord& record = view.records[i];
        text +=
            is_about_process(record) ? process_lines(record, options) : file_lines(record, options);
        text += ending(view, record, options);
    }
    if (shown < view.records.size())
        text += fmt::format("... and {} more: --verbose lists all\n", view.records.size() - shown);
    return text;
}

}  // namespace

std::string render_history(const HistoryView& view, const RenderOptions& options) {
    const std::string first = top_line(history_headline(view),
                                       is_clean_history(view) ? Style::good : Style::bad, options);
    if (options.quiet) return is_clean_history(view) ? std::string() : first;
    std::string text = first + top_line("kept in " + escape(view.folder), Style::faint, options);
    return text + table(view, options) + records_text(view, options) +
           remarks_text(history_remarks(view), options);
}

}  // namespace reaper::agent
