#include "agent/history/totals.hpp"

#include <algorithm>
#include <limits>

#include "agent/history/history.hpp"
#include "agent/reaping/outcome.hpp"

namespace reaper::agent {

namespace {

constexpr std::size_t kMostWords = 100;

// The counts of a word; none: it is no label, or there are too many.
CountByWord* counts_of(CountsByWord& counts, const std::string& word) {
    const bool fits = is_label(word) && (counts.size() < kMostWords || counts.contains(word));
    return fits ? &counts[word] : nullptr;
}

bool is_end_by_signal(const std::string& result) {
    return result == to_string(OutcomeResult::ended_on_term) ||
           result == to_string(OutcomeResult::ended_on_kill);
}

void add(const CountByWord& more, CountByWord& counts) {
    for (const auto& [word, number] : more) note(counts, word, number);
}

void add(const CountsByWord& more, CountsByWord& counts) {
    for (const auto& [word, numbers] : more) {
        if (CountByWord* own = counts_of(counts, word)) add(numbers, *own);
    }
}

void take(const LastRun& run, LastRun& last) {
    const double succeeded_at = std::max(last.succeeded_at, run.succeeded_at);
    if (run.at >= last.at) last = run;
    last.succeeded_at = succeeded_at;
}

}  // namespace

bool is_label(std::string_view word) {
    return !word.empty() && word.size() <= 60 && std::ranges::all_of(word, [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == '.';
    });
}

void note(CountByWord& counts, const std::string& word, std::uint64_t number) {
    if (!is_label(word) || (counts.size() >= kMostWords && !counts.contains(word))) return;
    std::uint64_t& sum = counts[word];
    sum += std::min(number, std::numeric_limits<std::uint64_t>::max() - sum);
}

bool is_success(int exit_status) {
    return exit_status == static_cast<int>(ExitStatus::clean) ||
           exit_status == static_cast<int>(ExitStatus::leaks_left);
}

void count(const Event& event, Totals& totals) {
    if (event.kind == EventKind::respawned) note(totals.respawns, event.family, 1);
    if (event.kind != EventKind::ended) return;
    if (CountByWord* results = counts_of(totals.results, event.family))
        note(*results, event.result, 1);
    if (is_end_by_signal(event.result))
        note(totals.reclaimed_bytes, event.family, memory_bytes(event));
}

void count(const Run& run, Totals& totals) {
    const int status = static_cast<int>(run.exit_status);
    CountByWord* statuses = counts_of(totals.runs, run.command);
    if (statuses == nullptr) return;
    note(*statuses, std::to_string(status), 1);
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
    for (const auto& [command, run] : more.last_runs) {
        if (totals.runs.contains(command)) take(run, totals.last_runs[command]);
    }
}

}  // namespace reaper::agent
