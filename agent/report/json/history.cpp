#include <nlohmann/json.hpp>

#include "agent/report/history_view.hpp"
#include "agent/report/json/parts.hpp"
#include "agent/system/format.hpp"

namespace reaper::agent {

namespace {

using Json = nlohmann::ordered_json;

Json end_json(const ActionRecord& record) {
    if (!record.end) return nullptr;
    return {{"at", time_text(record.end->at)},
            {"result", record.end->result},
            {"detail", record.end->detail},
            {"took_ms", record.end->took_ms}};
}

Json host_json(const Event& event) {
    if (event.host == 0) return nullptr;
    return {{"pid", event.host},
            {"start_ticks", event.host_start_ticks},
            {"argv", list(event.host_argv)}};
}

Json respawn_json(const ActionRecord& record) {
    if (!record.respawn) return nullptr;
    const Event& event = *record.respawn;
    return {{"at", time_text(event.at)},
            {"pid", event.respawned_as},
            {"identity", event.respawned_identity},
            {"host", host_json(event)}};
}

void add_process(const ActionRecord& record, Json& json) {
    const Event& event = record.begin;
    json.update({{"pid", event.pid},
                 {"identity", event.identity},
                 {"start_ticks", event.start_ticks},
                 {"family", event.family},
                 {"role", event.role},
                 {"user", event.user},
                 {"argv", list(event.argv)},
                 {"host", host_json(event)},
                 {"rss_bytes", event.rss_bytes},
                 {"swap_bytes", event.swap_bytes},
                 {"verdict", event.verdict},
                 {"signals", list(record.signals)},
                 {"respawned", respawn_json(record)}});
}

Json record_json(const ActionRecord& record, const HistoryView& view) {
    const Event& event = record.begin;
    const bool process = is_about_process(record);
    Json json = {{"type", process ? "process" : "file"},
                 {"at", time_text(event.at)},
                 {"by", event.by.pid},
                 {"from", event.from.empty() ? Json() : Json(event.from)},
                 {"home", event.home},
                 {"reason", event.reason}};
    if (process) add_process(record, json);
    if (!process) json.update({{"path", event.path}, {"kind", event.file_kind}});
    json["end"] = end_json(record);
    json["cut_off"] = is_cut_off(view, record);
    return json;
}

Json tally_json(const Tally& tally) {
    return {{"ended", tally.ended},
            {"failed", tally.failed},
            {"respawned", tally.respawned},
            {"cut_off", tally.cut_off},
            {"reclaimed_bytes", tally.reclaimed_bytes}};
}

}  // namespace

std::string render_history_json(const HistoryView& view) {
    Json json = {{"schema", "orphan-reaper/history-report/1"},
                 {"version", view.version},
                 {"command", "history"},
                 {"folder", view.folder},
                 {"at", time_text(view.now)},
                 {"since", time_text(view.now - static_cast<double>(view.since.count()) / 1000)}};
    json["deeds"] = Json::array();
    for (const ActionRecord& record : view.records)
        json["deeds"].push_back(record_json(record, view));
    json["days"] = Json::array();
    for (const Tally& tally : view.tallies) {
        Json row = {{"day", tally.day}, {"family", tally.family}};
        row.update(tally_json(tally));
        json["days"].push_back(std::move(row));
    }
    json["unreadable"] = Json::array();
    for (const UnreadableLine& line : view.unreadable)
        json["unreadable"].push_back({{"file", line.file}, {"line", line.line}, {"why", line.why}});
    json["summary"] = tally_json(view.total);
    json["summary"].update(
        {{"files_removed", view.files_removed}, {"older", view.older}, {"future", view.future}});
    // `replace` cannot throw half-way through.
    return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace reaper::agent
