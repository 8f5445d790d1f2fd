#include "agent/report/history_view.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <tuple>
#include <utility>

#include "agent/system/format.hpp"

namespace reaper::agent {

namespace {

constexpr double kRounding = 1;  // seconds

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
    return time_text(event.at).substr(0, std::string_view("2026-01-31").size());
}

bool was_removed(const ActionRecord& record) {
    return !is_about_process(record) && record.end && record.end->result == "removed";
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

}  // namespace reaper::agent
