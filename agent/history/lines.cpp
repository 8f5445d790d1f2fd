// From the lines of the history to events. They were written by this program, but perhaps by
// another version of it, and perhaps not to their end.
#include <unistd.h>

#include <ctime>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/history/file.hpp"
#include "agent/history/history.hpp"
#include "agent/history/merge.hpp"
#include "agent/history/summary_lines.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "agent/system/json_values.hpp"
#include "agent/system/text_file.hpp"
#include "scanner/access_guard.hpp"
#include "scanner/json/strict_json.hpp"
#include "scanner/model/fraction.hpp"

namespace reaper::agent {

namespace {

using nlohmann::json;

std::vector<std::string> words_of(const json& record, const char* key) {
    std::vector<std::string> words;
    const auto found = record.find(key);
    if (found == record.end() || !found->is_array()) return words;
    for (const json& word : *found) {
        if (auto bytes = bytes_from(word)) words.push_back(std::move(*bytes));
    }
    return words;
}

std::optional<EventKind> kind_from(const std::string& word) {
    for (const EventKind kind : {EventKind::signal, EventKind::ended, EventKind::respawned,
                                 EventKind::remove, EventKind::removed}) {
        if (word == to_string(kind)) return kind;
    }
    return std::nullopt;
}

// "2026-01-31T12:00:00.123Z"
std::optional<double> time_from(const std::string& text) {
    std::tm parts{};
    const char* rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
    if (rest == nullptr || (*rest != '.' && *rest != 'Z')) return std::nullopt;
    const std::string_view left = rest;
    const auto fraction = scanner::to_fraction(left.substr(0, left.find('Z')));
    return static_cast<double>(::timegm(&parts)) + fraction.value_or(0);
}

Event event_from(const json& record, EventKind kind, double at) {
    Event event;
    event.kind = kind;
    event.at = at;
    event.ticks = number_of<std::uint64_t>(record, "ticks");
    event.by = {number_of<scanner::Pid>(record, "by"), text_of(record, "by_identity")};
    event.from = text_of(record, "from");
    event.home = text_of(record, "home");
    event.pid = number_of<scanner::Pid>(record, "pid");
    event.identity = text_of(record, "identity");
    event.family = text_of(record, "family");
    event.role = text_of(record, "role");
    event.verdict = text_of(record, "verdict");
    event.uid = number_of<scanner::Uid>(record, "uid");
    event.user = text_of(record, "user");
    event.argv = words_of(record, "argv");
    event.start_ticks = number_of<std::uint64_t>(record, "start_ticks");
    event.rss_bytes = number_of<std::uint64_t>(record, "rss_bytes");
    event.swap_bytes = number_of<std::uint64_t>(record, "swap_bytes");
    event.signal = text_of(record, "signal");
    event.reason = text_of(record, "reason");
    event.result = text_of(record, "result");
    event.detail = text_of(record, "detail");
    event.took_ms = number_of<double>(record, "took_ms");
    event.respawned_as = number_of<scanner::Pid>(record, "respawned_as");
    event.respawned_identity = text_of(record, "respawned_identity");
    event.host = number_of<scanner::Pid>(record, "host");
    event.host_start_ticks = number_of<std::uint64_t>(record, "host_start_ticks");
    event.host_argv = words_of(record, "host_argv");
    event.path = text_of(record, "path");
    event.file_kind = text_of(record, "kind");
    return event;
}

// What is wrong with it; nothing when it was added.
std::string add_line(std::string_view line, History& history) {
    constexpr std::size_t kDeepest = 8;
    if (scanner::json::is_nested_deeper(line, kDeepest)) return "nested too deeply";
    const json record = json::parse(line, nullptr, false);
    if (!record.is_object()) return line.front() == '{' ? "cut short" : "not JSON";
    const std::string schema = text_of(record, "schema");
    if (schema != kHistorySchema) return fmt::format("not of the form {}", kHistorySchema);
    if (take_summary(record, history.totals)) return {};
    const auto kind = kind_from(text_of(record, "event"));
    const auto at = time_from(text_of(record, "at"));
    if (!kind) return "of a kind that this version does not know";
    if (!at) return "without a time";
    history.events.push_back(event_from(record, *kind, *at));
    count(history.events.back(), history.totals);
    return {};
}

// Nothing: there is no such file.
Result<std::string> read_if_there(const std::string& path) {
    if (!scanner::may_read(::geteuid(), path)) return unanswered(path);
    auto text = read_file_up_to(path, kMostHistoryBytes);
    if (!text && text.error().code == std::errc::no_such_file_or_directory) return std::string();
    return text;
}

using Texts = std::map<std::string, Result<std::string>>;  // by name

// The newer one first, as read_history_by() has it.
Result<Texts> read_both(const std::string& folder, std::string_view file) {
    Texts texts;
    const std::string newer(file);
    for (const std::string& name : {newer, newer + std::string(kOlderEnding)})
        texts.emplace(name, read_if_there(fmt::format("{}/{}", folder, name)));
    return texts;
}

}  // namespace

void add_lines(std::string_view text, const std::string& file, History& history) {
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        std::string wrong = line.empty() ? std::string() : add_line(line, history);
        if (!wrong.empty()) history.unreadable.push_back({file, number, std::move(wrong)});
    }
}

Result<History> read_history_by(const ReadHistoryFile& read, const std::string& folder,
                                std::string_view file) {
    // The newer one first: should it be moved meanwhile, it is read twice, and not missed.
    const std::string newer_name(file);
    const std::string older_name = fmt::format("{}{}", file, kOlderEnding);
    auto newer = read(newer_name);
    if (!newer) return tl::unexpected(newer.error());
    auto older = read(older_name);
    if (!older) return tl::unexpected(older.error());
    const bool moved = !newer->empty() && older->starts_with(*newer);
    History history;
    add_lines(*older, fmt::format("{}/{}", folder, older_name), history);
    if (!moved) add_lines(*newer, fmt::format("{}/{}", folder, newer_name), history);
    return history;
}

Result<History> read_history(const std::string& folder, std::string_view file) {
    const auto read = [&] { return read_both(folder, file); };
    auto texts = ::geteuid() == 0 ? read() : read_bounded<Texts>(read);
    if (!texts) return tl::unexpected(std::move(texts.error()));
    return read_history_by([&](const std::string& name) { return std::move(texts->at(name)); },
                           folder, file);
}

const Result<std::vector<ActionRecord>>& CachedHistory::records() {
    if (!records_) {
        const auto history = read_histories(folder_, usual_history_places(), ::geteuid());
        records_ = history.map([](const History& read) { return records_of(read.events); });
    }
    return *records_;
}

}  // namespace reaper::agent
