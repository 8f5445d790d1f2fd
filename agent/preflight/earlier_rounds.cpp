#include "agent/preflight/earlier_rounds.hpp"

#include <algorithm>
#include <utility>

namespace reaper::agent {

namespace {

template <class Item, class Key>
void add_missing(std::vector<Item>& items, std::vector<Item> earlier, Key key) {
    for (Item& item : earlier) {
        if (std::ranges::find(items, key(item), key) == items.end())
            items.push_back(std::move(item));
    }
    std::ranges::sort(items, {}, key);
}

void add_missing(Report& report, std::vector<ReportedProcess> processes,
                 std::vector<ReportedFile> files) {
    add_missing(report.processes, std::move(processes),
                [](const auto& one) { return one.facts.row.pid; });
    add_missing(report.files, std::move(files), [](const auto& one) { return one.file.path; });
}

}  // namespace

bool was_respawned(const ReportedProcess& process) {
    return process.outcome && process.outcome->respawned_as;
}

void EarlierRounds::add(Report report) {
    std::erase_if(report.processes,
                  [](const ReportedProcess& process) { return !process.outcome; });
    for (ReportedProcess& process : report.processes) {
        if (!std::exchange(process.outcome->respawned_as, std::nullopt)) continue;
        respawned_.push_back(process);
    }
    std::erase_if(report.files, [](const ReportedFile& file) { return !is_removed(file); });
    add_missing(done_, std::move(report.processes), std::move(report.files));
}

void EarlierRounds::move_into(Report& report) {
    add_missing(report, std::move(done_.processes), std::move(done_.files));
}

}  // namespace reaper::agent
