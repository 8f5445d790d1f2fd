// The past for an operator: how much, of what, on which day, and then each record with what is
// needed to check it.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "agent/redaction/argv.hpp"
#include "agent/report/history_view.hpp"
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

std::string headline(const HistoryView& view) {
    const Tally& total = view.total;
    std::string text =
        total.ended == 0 ? "nothing was ended" : count_text(total.ended, "helper") + " ended";
    text += fmt::format(" in the last {}", policy::duration_text(view.since));
    if (total.ended > 0) text += fmt::format(", {} came back", size_text(total.reclaimed_bytes));
    if (view.files_removed > 0)
        text += fmt::format("; {} removed", count_text(view.files_removed, "stale file"));
    if (total.failed > 0) text += fmt::format("; {} did not end, or came again", total.failed);
    if (total.cut_off > 0) text += fmt::format("; {} cut off in the middle", total.cut_off);
    return text;
}

bool is_clean(const HistoryView& view) {
    return view.total.failed == 0 && view.total.cut_off == 0 && view.unreadable.empty();
}

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

// As the report of that sweep had it.
std::string outcome_text(const ActionRecord& record) {
    const auto result = outcome_result_from(record.end->result);
    ReportedProcess process;
    process.outcome = Outcome{};
    if (!result) return escape(record.end->result, 60);
    process.outcome->result = *result;
    process.outcome->detail = record.end->detail;
    process.outcome->took =
        std::chrono::microseconds(static_cast<std::int64_t>(record.end->took_ms * 1000));
    if (!record.signals.empty()) process.outcome->signals = {Signal::terminate};
    if (record.respawn) process.outcome->respawned_as = record.respawn->respawned_as;
    return outcome_line(process);
}

std::string file_outcome(const ActionRecord& record) {
    const std::string detail =
        record.end->detail.empty() ? "" : fmt::format(" ({})", escape(record.end->detail, 200));
    return escape(record.end->result, 60) + detail;
}

// The line before is there, the line after is not.
std::string unfinished_text(const HistoryView& view, const ActionRecord& record) {
    const std::string what =
        is_about_process(record) ? fmt::format("{}", fmt::join(record.signals, ", ")) : "removal";
    if (!is_cut_off(view, record))
        return fmt::format("{} announced; pid {} may still be at it", what, record.begin.by.pid);
    return fmt::format(
        "{} announced, and then the program (pid {}) was cut off: what came of it is not known",
        what, record.begin.by.pid);
}

std::string ending(const HistoryView& view, const ActionRecord& record,
                   const RenderOptions& options) {
    if (!record.end) return paragraph("-> " + unfinished_text(view, record), options);
    std::string text = paragraph(
        "-> " + (is_about_process(record) ? outcome_text(record) : file_outcome(record)), options);
    if (!record.respawn) return text;
    const Event& again = *record.respawn;
    const std::string host =
        again.host == 0 ? "an unknown process"
                        : fmt::format("pid {} ({})", again.host, shown_line(again.host_argv));
    return text + paragraph(fmt::format("-> started again by {}, unique id {}", host,
                                        escape(again.respawned_identity)),
                            options);
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

std::vector<std::string> remarks_on(const HistoryView& view) {
    std::vector<std::string> remarks;
    remarks.reserve(view.unreadable.size() + 2);
    for (const UnreadableLine& line : view.unreadable)
        remarks.push_back(
            fmt::format("{}, line {} was skipped: it is {}", line.file, line.line, line.why));
    if (view.future > 0)
        remarks.push_back(fmt::format("{} of these {} later than now: the clock was stepped back",
                                      view.future, view.future == 1 ? "is" : "are"));
    if (view.older > 0)
        remarks.push_back(fmt::format("{} more before that: see --since", view.older));
    return remarks;
}

}  // namespace

std::string render_history(const HistoryView& view, const RenderOptions& options) {
    const std::string first =
        top_line(headline(view), is_clean(view) ? Style::good : Style::bad, options);
    if (options.quiet) return is_clean(view) ? std::string() : first;
    std::string text = first + top_line("kept in " + escape(view.folder), Style::faint, options);
    return text + table(view, options) + records_text(view, options) +
           remarks_text(remarks_on(view), options);
}

}  // namespace reaper::agent
