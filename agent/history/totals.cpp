#include "agent/history/totals.hpp"

#include <algorithm>

#include "agent/history/history.hpp"
#include "agent/reaping/outcome.hpp"

namespace reaper::agent {

namespace {

bool is_end_by_signal(const std::string& result) {
    return result == to_string(OutcomeResult::ended_on_term) ||
           result == to_string(OutcomeResult::ended_on_kill);
}

void add(const CountByWord& more, CountByWord& counts) {
    for (const auto& [word, number] : more) counts[word] += number;
}

void add(const CountsByWord& more, CountsByWord& counts) {
    for (const auto& [word, numbers] : more) add(numbers, counts[word]);
}

void take(const LastRun& run, LastRun& last) {
    const double succeeded_at = std::max(last.succeeded_at, run.succeeded_at);
    if (run.at >= last.at) last = run;
    last.succeeded_at = succeeded_at;
}

}  // namespace

bool is_success(int exit_status) {
    return exit_status == static_cast<int>(ExitStatus::clean) ||
           exit_status == static_cast<int>(ExitStatus::leaks_left);
}

void count(const Event& event, Totals& totals) {
    if (event.kind == EventKind::respawned) ++totals.respawns[event.family];
    if (event.kind != EventKind::ended) return;
    ++totals.results[event.family][event.result];
    if (is_end_by_signal(event.result)) totals.reclaimed_bytes[event.family] += memory_bytes(event);
}

void count(const Run& run, Totals& totals) {
    const int status = static_cast<int>(run.exit_status);
    ++totals.runs[run.command][std::to_string(status)];
    add(run.refusals, totals.refusals);
    take({run.at, run.took_ms, status, is_success(status) ? run.at : 0},
         totals.last_runs[run.command]);
}

void add(const Totals& more, Totals& totals) {
    add(more.results, totals.results);
    add(more.reclaimed_bytes, totals.reclaimed_bytes);
    add(more.respawns, totals.respawns);
    add(more.refusals, totals.refusals);
    add(more.runs, totals.runs);
    for (const auto& [command, run] : more.last_runs) take(run, totals.last_runs[command]);
}

}  // namespace reaper::agent
