#include "agent/report/history_view.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <tuple>
#include <utility>

#include "agent/system/format.hpp"

namespace reaper::agent {

namespace {

constexpr double kRounding = 1;        // seconds
constexpr double kOneSweep = 15 * 60;  // seconds; a watch stays, and sweeps for months
constexpr std::size_t kDayLength = std::string_view("2026-01-31").size();

void count(const HistoryView& view, const ActionRecord& record, Tally& tally) {
    if (has_ended(record)) {
        ++tally.ended;
        tally.reclaimed_bytes += memory_bytes(*record.end);
    }
    if (has_failed(record)) ++tally.failed;
    if (record.respawn) ++tally.respawned;
    if (is_cut_off(view, record)) ++tally.cut_off;
}

std::string day_of(const Event& event) {
    return time_text(event.at).substr(0, kDayLength);
}

bool was_removed(const ActionRecord& record) {
    return !is_about_process(record) && record.end && record.end->result == "removed";
}

// The run that ended the latest of `records`, which are newest first.
std::optional<LastSweep> last_sweep(const std::vector<ActionRecord>& records) {
    const auto is_end = [](const ActionRecord& record) {
        return is_about_process(record) && has_ended(record);
    };
    const auto last = std::ranges::find_if(records, is_end);
    if (last == records.end()) return std::nullopt;
    LastSweep sweep{.at = last->end->at};
    for (const ActionRecord& record : records) {
        const bool same = is_end(record) && record.begin.by == last->begin.by &&
                          sweep.at - record.end->at < kOneSweep;
        if (!same) continue;
        ++sweep.ended;
        sweep.reclaimed_bytes += memory_bytes(*record.end);
    }
    return sweep;
}

}  // namespace

bool is_cut_off(const HistoryView& view, const ActionRecord& record) {
    return !record.end && !view.running.contains(record.begin.by);
}

HistoryView view_of(const History& history, double now, std::chrono::milliseconds since,
                    const std::function<bool(const Program&)>& runs) {
    HistoryView view;
    view.now = now;
    view.since = since;
    view.unreadable = history.unreadable;
    const double start = now - static_cast<double>(since.count()) / 1000;
    std::map<std::pair<std::string, std::string>, Tally> tallies;
    std::multimap<double, ActionRecord> by_time;  // whatever the clock did while they were written
    for (ActionRecord& record : records_of(history.events)) {
        if (record.begin.at < start) {
            ++view.older;
            continue;
        }
        if (record.begin.at > now + kRounding) ++view.future;
        if (!record.end && runs(record.begin.by)) view.running.insert(record.begin.by);
        if (is_about_process(record)) {
            Tally& tally = tallies[{day_of(record.begin), record.begin.family}];
            tally.day = day_of(record.begin);
            tally.family = record.begin.family;
            count(view, record, tally);
            count(view, record, view.total);
        }
        if (was_removed(record)) ++view.files_removed;
        by_time.emplace(record.begin.at, std::move(record));
    }
    for (auto& [at, record] : by_time | std::views::reverse)
        view.records.push_back(std::move(record));
    for (auto& [key, tally] : tallies) view.tallies.push_back(std::move(tally));
    std::ranges::sort(view.tallies, [](const Tally& left, const Tally& right) {
        return std::tie(right.day, left.family) < std::tie(left.day, right.family);
    });
    return view;
}

PastSweeps past_sweeps_of(const History& history, double now, std::chrono::milliseconds since) {
    const auto always = std::chrono::duration<double>(now);
    HistoryView view =
        view_of(history, now, std::chrono::duration_cast<std::chrono::milliseconds>(always),
                [](const Program&) { return false; });
    const std::string first =
        time_text(now - static_cast<double>(since.count()) / 1000).substr(0, kDayLength);
    std::erase_if(view.tallies, [&](const Tally& tally) { return tally.day < first; });
    return {now, since, last_sweep(view.records), std::move(view.tallies)};
}

}  // namespace reaper::agent
