#include "agent/history_view.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <tuple>
#include <utility>

#include "agent/human.hpp"

namespace reaper::agent {

namespace {

constexpr double kRounding = 1;  // seconds

void count(const HistoryView& view, const Deed& deed, Tally& tally) {
    if (has_ended(deed)) {
        ++tally.ended;
        tally.reclaimed_bytes += deed.end->rss_bytes;
    }
    if (has_failed(deed)) ++tally.failed;
    if (deed.respawn) ++tally.respawned;
    if (is_cut_off(view, deed)) ++tally.cut_off;
}

std::string day_of(const Event& event) {
    return time_text(event.at).substr(0, std::string_view("2026-01-31").size());
}

bool was_removed(const Deed& deed) {
    return !is_about_process(deed) && deed.end && deed.end->result == "removed";
}

}  // namespace

bool is_cut_off(const HistoryView& view, const Deed& deed) {
    return !deed.end && !view.running.contains(deed.begin.by);
}

HistoryView view_of(const History& history, double now, std::chrono::milliseconds since,
                    const std::function<bool(const Program&)>& runs) {
    HistoryView view;
    view.now = now;
    view.since = since;
    view.unreadable = history.unreadable;
    const double start = now - static_cast<double>(since.count()) / 1000;
    std::map<std::pair<std::string, std::string>, Tally> tallies;
    std::multimap<double, Deed> by_time;  // whatever the clock did while they were written
    for (Deed& deed : deeds_of(history.events)) {
        if (deed.begin.at < start) {
            ++view.older;
            continue;
        }
        if (deed.begin.at > now + kRounding) ++view.future;
        if (!deed.end && runs(deed.begin.by)) view.running.insert(deed.begin.by);
        if (is_about_process(deed)) {
            Tally& tally = tallies[{day_of(deed.begin), deed.begin.family}];
            tally.day = day_of(deed.begin);
            tally.family = deed.begin.family;
            count(view, deed, tally);
            count(view, deed, view.total);
        }
        if (was_removed(deed)) ++view.files_removed;
        by_time.emplace(deed.begin.at, std::move(deed));
    }
    for (auto& [at, deed] : by_time | std::views::reverse) view.deeds.push_back(std::move(deed));
    for (auto& [key, tally] : tallies) view.tallies.push_back(std::move(tally));
    std::ranges::sort(view.tallies, [](const Tally& left, const Tally& right) {
        return std::tie(right.day, left.family) < std::tie(left.day, right.family);
    });
    return view;
}

}  // namespace reaper::agent
