#include "agent/history/merge.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "agent/history/file.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "agent/rules/sources.hpp"
#include "agent/system/lock_file.hpp"
#include "agent/system/system_calls.hpp"
#include "scanner/access_guard.hpp"
#include "scanner/inspector.hpp"
#include "scanner/regular_file.hpp"

namespace reaper::agent {

namespace {

bool is_same_folder(const scanner::FoundFile& found, const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 && status.st_dev == found.status.st_dev &&
           status.st_ino == found.status.st_ino;
}

// Nothing: there is no such file, or it is not to be trusted.
std::string read_trusted(const Fd& folder, const std::string& name, scanner::Uid user) {
    const auto file = scanner::find_below(folder.get(), name.c_str());
    if (!file || !(belongs_to(file->status, user) || belongs_to(file->status, 0))) return {};
    return scanner::read_found(*file, kMostHistoryBytes).value_or("");
}

// By name. The newer one first, as read_history_by() has it.
using Texts = std::map<std::string, std::string>;

Texts read_texts(const HistoryPlace& place, const std::string& own, scanner::Uid user,
                 std::string_view file) {
    if (!scanner::may_read(user, place.top)) return {};
    const Fd top = open_to_search(place.top);
    if (!top) return {};
    const auto folder = scanner::find_below(top.get(), place.below.c_str());
    if (!folder || !S_ISDIR(folder->status.st_mode) || is_same_folder(*folder, own)) return {};
    Texts texts;
    const std::string newer(file);
    for (const std::string& name : {newer, newer + std::string(kOlderEnding)})
        texts[name] = read_trusted(folder->path, name, user);
    return texts;
}

// One for each place; empty: it could not be read.
std::vector<Texts> read_all_texts(const std::vector<HistoryPlace>& places, const std::string& own,
                                  scanner::Uid user, std::string_view file) {
    if (places.empty()) return {};
    const auto read = [&]() -> Result<std::vector<Texts>> {
        std::vector<Texts> all;
        all.reserve(places.size());
        for (const HistoryPlace& place : places) all.push_back(read_texts(place, own, user, file));
        return all;
    };
    return read_bounded<std::vector<Texts>>(read).value_or(std::vector<Texts>(places.size()));
}

History history_at(const HistoryPlace& place, Texts texts, std::string_view file) {
    const auto read = [&](const std::string& name) -> Result<std::string> {
        return std::move(texts[name]);
    };
    return read_history_by(read, fmt::format("{}/{}", place.top, place.below), file)
        .value_or(History{});
}

// Each has its own lines in the order in which they were written, whatever the clock did meanwhile.
std::vector<Event> merged(const std::vector<Event>& left, const std::vector<Event>& right) {
    std::vector<Event> events;
    std::ranges::merge(left, right, std::back_inserter(events), {}, &Event::at, &Event::at);
    return events;
}

}  // namespace

std::vector<HistoryPlace> usual_history_places() {
    const scanner::Uid user = ::geteuid();
    if (user == 0) return {};
    std::vector<HistoryPlace> places;
    const auto home = recorded_home(user);
    if (home && home->starts_with('/')) places.push_back({*home, ".local/state/orphan-reaper"});
    const std::string name = scanner::user_name(user);
    if (!name.empty()) places.push_back({"/var/lib/orphan-reaper", name + "/orphan-reaper"});
    return places;
}

Result<History> read_histories(const std::string& own, const std::vector<HistoryPlace>& places,
                               scanner::Uid user) {
    auto history = own.empty() ? History{} : read_history(own);
    if (!history) return history;
    std::vector<Texts> texts = read_all_texts(places, own, user, kHistoryFile);
    for (std::size_t at = 0; at < texts.size(); ++at)
        history->events = merged(history->events,
                                 history_at(places[at], std::move(texts[at]), kHistoryFile).events);
    return history;
}

Result<Totals> read_totals(const std::string& own, const std::vector<HistoryPlace>& places,
                           scanner::Uid user) {
    Totals totals;
    for (const std::string_view file : {kActions.name, kRuns.name}) {
        const auto history = own.empty() ? History{} : read_history(own, file);
        if (!history) return tl::unexpected(history.error());
        add(history->totals, totals);
        std::vector<Texts> texts = read_all_texts(places, own, user, file);
        for (std::size_t at = 0; at < texts.size(); ++at)
            add(history_at(places[at], std::move(texts[at]), file).totals, totals);
    }
    return totals;
}

}  // namespace reaper::agent
