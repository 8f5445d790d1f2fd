#include "agent/history/summary_lines.hpp"

#include "agent/history/file.hpp"
#include "agent/history/history.hpp"
#include "agent/system/json_values.hpp"

namespace reaper::agent {

namespace {

using nlohmann::json;

constexpr const char* kTotals = "totals";
constexpr const char* kRun = "run";

std::string line_of(const json& record) {
    return record.dump(-1, ' ', true, json::error_handler_t::replace) + "\n";
}

json object_of(const json& record, const char* key) {
    const auto found = record.find(key);
    return found != record.end() && found->is_object() ? *found : json::object();
}

CountByWord counts_of(const json& object) {
    CountByWord counts;
    for (const auto& [word, number] : object.items()) {
        if (number.is_number_unsigned()) counts[word] = number.get<std::uint64_t>();
    }
    return counts;
}

CountsByWord all_counts_of(const json& object) {
    CountsByWord counts;
    for (const auto& [word, numbers] : object.items()) {
        if (numbers.is_object()) counts[word] = counts_of(numbers);
    }
    return counts;
}

LastRun last_run_of(const json& object) {
    return {number_of<double>(object, "at"), number_of<double>(object, "took_ms"),
            number_of<int>(object, "exit_status"), number_of<double>(object, "succeeded_at")};
}

Totals totals_of(const json& record) {
    Totals totals;
    totals.results = all_counts_of(object_of(record, "results"));
    totals.reclaimed_bytes = counts_of(object_of(record, "reclaimed_bytes"));
    totals.respawns = counts_of(object_of(record, "respawns"));
    totals.refusals = counts_of(object_of(record, "refusals"));
    totals.runs = all_counts_of(object_of(record, "runs"));
    const json last_runs = object_of(record, "last_runs");
    for (const auto& [command, run] : last_runs.items()) {
        if (run.is_object()) totals.last_runs[command] = last_run_of(run);
    }
    return totals;
}

Run run_of(const json& record) {
    Run run;
    run.command = text_of(record, "command");
    run.at = number_of<double>(record, "at");
    run.took_ms = number_of<double>(record, "took_ms");
    run.exit_status = static_cast<ExitStatus>(number_of<int>(record, "exit_status"));
    run.refusals = counts_of(object_of(record, "refusals"));
    return run;
}

}  // namespace

std::string totals_line(const Totals& totals) {
    json last_runs = json::object();
    for (const auto& [command, run] : totals.last_runs) {
        last_runs[command] = {{"at", run.at},
                              {"took_ms", run.took_ms},
                              {"exit_status", run.exit_status},
                              {"succeeded_at", run.succeeded_at}};
    }
    return line_of({{"schema", kHistorySchema},
                    {"event", kTotals},
                    {"results", totals.results},
                    {"reclaimed_bytes", totals.reclaimed_bytes},
                    {"respawns", totals.respawns},
                    {"refusals", totals.refusals},
                    {"runs", totals.runs},
                    {"last_runs", std::move(last_runs)}});
}

std::string run_line(const Run& run) {
    json record{{"schema", kHistorySchema}, {"event", kRun},
                {"command", run.command},   {"at", run.at},
                {"took_ms", run.took_ms},   {"exit_status", static_cast<int>(run.exit_status)},
                {"refusals", run.refusals}};
    if (!run.from.empty()) record["from"] = run.from;
    return line_of(record);
}

bool take_summary(const json& record, Totals& totals) {
    const std::string event = text_of(record, "event");
    if (event == kTotals) {
        totals = {};
        add(totals_of(record), totals);
    }
    if (event == kRun) count(run_of(record), totals);
    return event == kTotals || event == kRun;
}

std::string carried_line(const std::string& older, const std::string& newer) {
    History history;
    add_lines(older, {}, history);
    add_lines(newer, {}, history);
    return history.totals == Totals{} ? std::string() : totals_line(history.totals);
}

}  // namespace reaper::agent
