#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/schedule/view.hpp"
#include "agent/system/format.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

using Json = nlohmann::ordered_json;

std::string_view mark_of(CheckResult result) {
    switch (result) {
        case CheckResult::ok: return "ok";
        case CheckResult::warning: return "WARN";
        case CheckResult::failed: return "fail";
        case CheckResult::unknown: break;
    }
    return "?";
}

std::string_view word_of(CheckResult result) {
    if (result == CheckResult::warning) return "warn";
    return result == CheckResult::unknown ? "unknown" : mark_of(result);
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json time_json(const std::optional<double>& time) {
    return time ? Json(time_text(*time)) : Json(nullptr);
}

Json entry_json(const ScheduleEntry& entry) {
    Json last = nullptr;
    if (!entry.last_result.empty())
        last = {{"at", time_json(entry.last)},
                {"result", entry.last_result},
                {"exit_status", or_null(entry.last_status)}};
    return {{"kind", to_string(entry.kind)},    {"name", entry.name},
            {"command", entry.command},         {"enabled", entry.enabled},
            {"active", entry.active},           {"last_run", std::move(last)},
            {"next_run", time_json(entry.next)}};
}

Json check_json(const ScheduleCheck& check) {
    return {{"id", check.id},
            {"status", word_of(check.result)},
            {"message", check.message},
            {"fix", check.fix.empty() ? Json(nullptr) : Json(check.fix)}};
}

std::string check_text(const ScheduleCheck& check) {
    const std::string line =
        fmt::format("  {:4}  {}\n", mark_of(check.result), policy::escape(check.message, 1000));
    return check.fix.empty() ? line : line + fmt::format("        -> {}\n", check.fix);
}

}  // namespace

std::string render_schedule(const ScheduleView& view) {
    std::string text = fmt::format("{}\n", view.headline);
    for (const ScheduleCheck& check : view.checks) text += check_text(check);
    if (view.last_action)
        text += fmt::format("  last ended or removed something: {} (orphan-reaper history)\n",
                            time_text(*view.last_action));
    return text;
}

std::string render_schedule_json(const ScheduleView& view) {
    Json json = {{"schema", "orphan-reaper/schedule/1"},
                 {"version", view.version},
                 {"command", "schedule"},
                 {"user", view.account},
                 {"at", time_text(view.now)},
                 {"scheduled", Json::array()},
                 {"checks", Json::array()},
                 {"last_action_at", time_json(view.last_action)},
                 {"exit_status", static_cast<int>(exit_status_of(view.checks))}};
    for (const ScheduleEntry& entry : view.entries) json["scheduled"].push_back(entry_json(entry));
    for (const ScheduleCheck& check : view.checks) json["checks"].push_back(check_json(check));
    // `replace` cannot throw half-way through.
    return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace reaper::agent
