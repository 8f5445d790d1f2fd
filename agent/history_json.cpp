#include <nlohmann/json.hpp>

#include "agent/history_view.hpp"
#include "agent/human.hpp"
#include "agent/json_parts.hpp"

namespace reaper::agent {

namespace {

using Json = nlohmann::ordered_json;

Json end_json(const Deed& deed) {
    if (!deed.end) return nullptr;
    return {{"at", time_text(deed.end->at)},
            {"result", deed.end->result},
            {"detail", deed.end->detail},
            {"took_ms", deed.end->took_ms}};
}

Json host_json(const Event& event) {
    if (event.host == 0) return nullptr;
    return {{"pid", event.host}, {"start_ticks", event.host_start_ticks}, {"argv", list(event.host_argv)}};
}

Json respawn_json(const Deed& deed) {
    if (!deed.respawn) return nullptr;
    const Event& event = *deed.respawn;
    return {{"at", time_text(event.at)},
            {"pid", event.respawned_as},
            {"identity", event.respawned_identity},
            {"host", host_json(event)}};
}

void add_process(const Deed& deed, Json& json) {
    const Event& event = deed.begin;
    json.update({{"pid", event.pid},
                 {"identity", event.identity},
                 {"start_ticks", event.start_ticks},
                 {"family", event.family},
                 {"role", event.role},
                 {"user", event.user},
                 {"argv", list(event.argv)},
                 {"host", host_json(event)},
                 {"rss_bytes", event.rss_bytes},
                 {"verdict", event.verdict},
                 {"signals", list(deed.signals)},
                 {"respawned", respawn_json(deed)}});
}

Json deed_json(const Deed& deed, const HistoryView& view) {
    const Event& event = deed.begin;
    const bool process = is_about_process(deed);
    Json json = {{"type", process ? "process" : "file"},
                 {"at", time_text(event.at)},
                 {"by", event.by.pid},
                 {"home", event.home},
                 {"reason", event.reason}};
    if (process) add_process(deed, json);
    if (!process) json.update({{"path", event.path}, {"kind", event.file_kind}});
    json["end"] = end_json(deed);
    json["cut_off"] = is_cut_off(view, deed);
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
    for (const Deed& deed : view.deeds) json["deeds"].push_back(deed_json(deed, view));
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
    json["summary"].update({{"files_removed", view.files_removed}, {"older", view.older}, {"future", view.future}});
    // `replace` cannot throw half-way through.
    return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace reaper::agent
