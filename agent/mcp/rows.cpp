#include "agent/mcp/rows.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "agent/redaction/argv.hpp"
#include "agent/report/text/process_line.hpp"
#include "agent/system/format.hpp"
#include "policy/text/duration.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

constexpr std::size_t kMostRows = 50;
constexpr std::size_t kMostLines = 120;
constexpr std::size_t kLongest = 117;  // and "..."
constexpr std::size_t kLongestSentence = 997;
constexpr std::size_t kMostAsked = 10;

using Rows = std::vector<const ReportedProcess*>;

std::string cut(std::string_view text) {
    return policy::escape(text, kLongest);
}

// What this program says itself: half of a command, or of a number, would be a wrong one.
std::string sentence(std::string_view text) {
    return policy::escape(text, kLongestSentence);
}

Json sentences(const std::vector<std::string>& texts) {
    Json lines = Json::array();
    for (const std::string& text : texts) {
        if (lines.size() < kMostLines) lines.push_back(sentence(text));
    }
    return lines;
}

Json cut_lines(const std::vector<std::string>& texts) {
    Json lines = Json::array();
    for (const std::string& text : texts) {
        if (lines.size() < kMostLines) lines.push_back(cut(text));
    }
    return lines;
}

Json evidence_lines(const ReportedProcess& process) {
    std::vector<std::string> lines;
    lines.reserve(process.judgement.evidence.size());
    for (const policy::Evidence& one : process.judgement.evidence)
        lines.push_back(fmt::format("{} {}: {}", weight_word(one.weight), one.code, one.detail));
    return cut_lines(lines);
}

Json row_of(const Report& report, const ReportedProcess& process, bool all) {
    const policy::Judgement& judgement = process.judgement;
    const std::vector<std::string>& argv = process.facts.row.command_line.value.argv;
    Json row = {{"pid", process.facts.row.pid},
                {"identity", cut(scanner::to_string(judgement.identity))},
                {"family", cut(judgement.family)},
                {"role", cut(judgement.role)},
                {"home", cut(judgement.home)},
                {"command", shown_line(redact(argv), kLongest)},
                {"verdict", to_string(judgement.verdict)},
                {"action", to_string(judgement.action)},
                {"why", cut(why(process))},
                {"age_s", age_seconds(report.machine, process.facts)},
                {"memory_bytes", process.facts.rss_bytes + process.facts.swap_bytes}};
    if (const std::string how = remedy(report, process); !how.empty())
        row["remedy"] = sentence(how);
    if (process.outcome) row["result"] = cut(describe(*process.outcome));
    if (all) row["evidence"] = evidence_lines(process);
    return row;
}

// Of hosts that are only counted. The model has no options, only arguments of its tools.
std::string remark_on_others(const Report& report) {
    const auto leaked = std::ranges::count_if(report.others, [](const ReportedProcess& process) {
        return section_of(process) != ReportSection::kept;
    });
    if (leaked == 0) return {};
    return sentence(fmt::format(
        "{} of other hosts may be leaked, and only counted here: call report with families {}",
        count_text(static_cast<std::size_t>(leaked), "helper"), json_text(report.other_packs)));
}

// What would end stands first, then what is only reported.
Rows pick(const Report& report, const std::function<bool(const ReportedProcess&)>& is_wanted) {
    Rows rows;
    for (const ReportSection section :
         {ReportSection::leaked, ReportSection::reported, ReportSection::kept}) {
        for (const ReportedProcess& process : report.processes) {
            if (section_of(process) == section && is_wanted(process)) rows.push_back(&process);
        }
    }
    return rows;
}

void add_rows(const Report& report, const Rows& rows, bool all, Json& result) {
    result["processes"] = Json::array();
    for (std::size_t at = 0; at < std::min(rows.size(), kMostRows); ++at)
        result["processes"].push_back(row_of(report, *rows[at], all));
    result["omitted"] = rows.size() - result["processes"].size();
    result["remarks"] = sentences(report.remarks);
}

Json obstacle_json(const policy::Obstacle& obstacle) {
    Json pids = Json::array();
    for (const scanner::Pid pid : obstacle.pids) {
        if (pids.size() < kMostRows) pids.push_back(pid);
    }
    return {{"kind", to_string(obstacle.kind)},
            {"pids", pids},
            {"command", shown_line(redact(obstacle.argv), kLongest)},
            {"detail", cut(obstacle.detail)},
            {"help", sentence(obstacle.help)}};
}

Json entry_json(const ActionRecord& record) {
    const Event& event = record.begin;
    const std::string shown =
        is_about_process(record) ? shown_line(event.argv, kLongest) : cut(event.path);
    return {{"at", time_text(event.at)},
            {"pid", event.pid},
            {"family", cut(event.family)},
            {"verdict", cut(event.verdict)},
            {"command", shown},
            {"reason", cut(event.reason)},
            {"result", record.end ? cut(record.end->result) : "not known"},
            {"respawned_as", record.respawn ? record.respawn->respawned_as : 0}};
}

bool is_planned(const ReportedProcess& process) {
    const bool refused = process.outcome && process.outcome->result == OutcomeResult::refused;
    return process.judgement.action == policy::Action::reap && !refused;
}

std::string question_line(const Report& report, const ReportedProcess& process) {
    const std::uint64_t bytes = scanner::memory_bytes(process.facts);
    const auto& argv = process.facts.row.command_line.value.argv;
    return fmt::format("pid {}, {} of {}, {} old, {}, {}: {}", process.facts.row.pid,
                       kind_text(process), shown_home(report, process),
                       age_text(age_seconds(report.machine, process.facts)), size_text(bytes),
                       to_string(process.judgement.verdict), shown_line(redact(argv), kLongest));
}

// What a person reads before saying yes.
std::vector<std::string> question_about(const Report& report, const Rows& rows) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < std::min(rows.size(), kMostAsked); ++at) {
        lines.push_back(question_line(report, *rows[at]));
    }
    if (rows.size() > kMostAsked)
        lines.push_back(fmt::format("and {} more", rows.size() - kMostAsked));
    return lines;
}

// What is cut is no command any more.
std::string typed(const std::string& command) {
    constexpr std::size_t kLongestCommand = 900;
    return command.size() <= kLongestCommand ? command : "(no command to type: it is too long)";
}

}  // namespace

Json report_result(const Report& report, bool all) {
    const Rows rows = pick(report, [all](const ReportedProcess& process) {
        return all || section_of(process) != ReportSection::kept;
    });
    Json result = {{"exit_status", static_cast<int>(report.exit_status)},
                   {"complete", report.complete},
                   {"leaked", report.summary.to_reap},
                   {"reported", report.summary.reported},
                   {"kept", report.summary.kept},
                   {"reclaimable_bytes", report.summary.reclaimable_bytes},
                   {"other_hosts", report.others.size()}};
    add_rows(report, rows, all, result);
    if (const std::string others = remark_on_others(report); !others.empty())
        result["remarks"].insert(result["remarks"].begin(), others);
    return result;
}

Json explain_result(const Report& report) {
    Json result = {{"complete", report.complete}};
    add_rows(report, pick(report, [](const ReportedProcess&) { return true; }), true, result);
    result.erase("omitted");
    std::vector<std::string> lines;
    std::istringstream text(render_explanation(report, {.verbose = true}));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    result["explanation"] = cut_lines(lines);
    return result;
}

Json history_result(const HistoryView& view) {
    Json entries = Json::array();
    for (const ActionRecord& record : view.records) {
        if (entries.size() < kMostRows) entries.push_back(entry_json(record));
    }
    const std::size_t omitted = view.records.size() - entries.size();
    return {{"since", policy::duration_text(view.since)},
            {"ended", view.total.ended},
            {"failed", view.total.failed},
            {"respawned", view.total.respawned},
            {"reclaimed_bytes", view.total.reclaimed_bytes},
            {"files_removed", view.files_removed},
            {"older", view.older},
            {"entries", std::move(entries)},
            {"omitted", omitted}};
}

Json preflight_result(const Report& report) {
    Json obstacles = Json::array();
    for (const policy::Obstacle& obstacle : report.obstacles) {
        if (obstacles.size() < kMostRows) obstacles.push_back(obstacle_json(obstacle));
    }
    const std::size_t omitted = report.obstacles.size() - obstacles.size();
    return {{"ready", report.obstacles.empty() && report.complete},
            {"leaked", report.summary.to_reap},
            {"files_stale", report.summary.files_stale},
            {"obstacles", std::move(obstacles)},
            {"omitted", omitted},
            {"remarks", sentences(report.remarks)}};
}

ToolAnswer plan_result(const Report& report, const std::string& command) {
    const Rows rows = pick(report, is_planned);
    ToolAnswer answer;
    for (const ReportedProcess* row : rows)
        answer.plan.emplace(scanner::to_string(row->judgement.identity),
                            planned_end(row->judgement, row->facts.row));
    answer.question = question_about(report, rows);
    std::uint64_t bytes = 0;
    for (const ReportedProcess* row : rows) bytes += row->facts.rss_bytes + row->facts.swap_bytes;
    answer.structured = {{"planned", rows.size()},
                         {"reclaimable_bytes", bytes},
                         {"complete", report.complete},
                         {"command", typed(command)}};
    add_rows(report, rows, false, answer.structured);
    return answer;
}

Json sweep_result(const Report& report, const PlannedEnds& planned) {
    const Rows rows = pick(report, [&](const ReportedProcess& process) {
        return planned.contains(scanner::to_string(process.judgement.identity));
    });
    const auto count = [&](auto is_such) {
        return std::ranges::count_if(rows, [&](const auto* row) { return is_such(*row); });
    };
    Json result = {{"planned", planned.size()},
                   {"ended", count([](const auto& one) { return is_ended(one); })},
                   {"failed", count([](const auto& one) { return has_failed(one); })},
                   {"reclaimed_bytes", report.summary.reclaimed_bytes},
                   {"interrupted", report.interrupted}};
    add_rows(report, rows, false, result);
    return result;
}

}  // namespace reaper::agent
