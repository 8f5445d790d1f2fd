#include "agent/report/history_words.hpp"

#include <chrono>

#include <fmt/format.h>

#include "agent/redaction/argv.hpp"
#include "agent/report/text/process_line.hpp"
#include "agent/system/format.hpp"
#include "policy/text/duration.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

using policy::escape;

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

}  // namespace

std::string history_headline(const HistoryView& view) {
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

bool is_clean_history(const HistoryView& view) {
    return view.total.failed == 0 && view.total.cut_off == 0 && view.unreadable.empty();
}

std::string record_outcome(const HistoryView& view, const ActionRecord& record) {
    if (!record.end) return unfinished_text(view, record);
    return is_about_process(record) ? outcome_text(record) : file_outcome(record);
}

std::string respawn_text(const Event& respawn) {
    const std::string host =
        respawn.host == 0 ? "an unknown process"
                          : fmt::format("pid {} ({})", respawn.host, shown_line(respawn.host_argv));
    return fmt::format("started again by {}, unique id {}", host,
                       escape(respawn.respawned_identity));
}

std::vector<std::string> history_remarks(const HistoryView& view) {
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

}  // namespace reaper::agent
