#include <algorithm>

#include <nlohmann/json.hpp>

#include "agent/fleet/fleet.hpp"
#include "scanner/json/strict_json.hpp"

namespace reaper::agent {

namespace {

using Json = nlohmann::json;

constexpr auto kReplace = Json::error_handler_t::replace;
constexpr std::size_t kDeepest = 16;
constexpr std::string_view kSchema = "orphan-reaper/report/1";

// The member of an object; an empty value where there is none.
const Json& at(const Json& json, const char* key) {
    static const Json nothing;
    const auto found = json.is_object() ? json.find(key) : json.end();
    return found == json.end() ? nothing : *found;
}

std::string text(const Json& json, const char* key) {
    const Json& found = at(json, key);
    return found.is_string() ? found.get<std::string>() : std::string();
}

// What no machine can have is cut off, so that sums fit.
std::uint64_t number(const Json& json, const char* key, std::uint64_t most = 999'999'999) {
    const Json& found = at(json, key);
    return found.is_number_unsigned() ? std::min(found.get<std::uint64_t>(), most) : 0;
}

std::uint64_t bytes(const Json& json, const char* key) {
    return number(json, key, 1UL << 50U);
}

bool truth(const Json& json, const char* key) {
    const Json& found = at(json, key);
    return found.is_boolean() && found.get<bool>();
}

std::vector<std::string> texts(const Json& array, const char* key = nullptr) {
    std::vector<std::string> found;
    for (const Json& item : array) {
        if (key != nullptr)
            found.push_back(text(item, key));
        else if (item.is_string())
            found.push_back(item.get<std::string>());
    }
    return found;
}

FleetProcess read_process(const Json& json) {
    FleetProcess process;
    process.pid = static_cast<std::int64_t>(number(json, "pid"));
    process.user = text(json, "user");
    process.kind = text(json, "family") + "/" + text(json, "role");
    process.home = text(json, "home");
    process.verdict = text(json, "verdict");
    process.result = text(at(json, "outcome"), "result");
    process.age = number(json, "age_s");
    process.memory_bytes = bytes(json, "rss_bytes") + bytes(json, "swap_bytes");
    return process;
}

void read_summary(const Json& summary, FleetMachine& machine) {
    machine.to_reap = number(summary, "to_reap");
    machine.reaped = number(summary, "reaped");
    machine.reported = number(summary, "reported");
    machine.kept = number(summary, "kept");
    machine.failed = number(summary, "failed");
    machine.reclaimable_bytes = bytes(summary, "reclaimable_bytes");
    machine.reclaimed_bytes = bytes(summary, "reclaimed_bytes");
}

void read_opening(const Json& json, FleetMachine& machine) {
    machine.name = text(at(json, "host"), "name");
    machine.system = text(at(json, "host"), "boot_id") + " " +
                     at(at(json, "host"), "pid_namespace").dump(-1, ' ', true, kReplace);
    machine.scope = at(json, "scope").dump(-1, ' ', true, kReplace);
    machine.command = text(json, "command");
    machine.dry_run = truth(json, "dry_run");
    machine.started_at = text(json, "started_at");
    machine.version = text(json, "version");
    machine.complete = truth(at(json, "scan"), "complete");
}

// Empty: it is a report.
std::string trouble_with(const Json& json) {
    if (json.is_discarded())
        return "it is no JSON: expected what 'orphan-reaper report --json' prints";
    const std::string schema = text(json, "schema");
    if (schema != kSchema)
        return "it is not the report of a machine: expected what 'orphan-reaper report --json' "
               "prints";
    if (!at(json, "summary").is_object() || !at(json, "exit_status").is_number_unsigned())
        return "it ends in the middle";
    const std::string command = text(json, "command");
    if (command != "report" && command != "sweep" && command != "preflight")
        return "it is no report, sweep or preflight";
    return {};
}

}  // namespace

FleetMachine read_report(const std::string& file, const Result<std::string>& content) {
    FleetMachine machine;
    machine.file = file;
    if (!content) machine.trouble = describe(content.error());
    if (content && content->empty()) machine.trouble = "it is empty: the report did not arrive";
    if (!machine.trouble.empty()) return machine;
    if (scanner::json::is_nested_deeper(*content, kDeepest)) {
        machine.trouble = "it is nested too deeply";
        return machine;
    }
    const Json json = Json::parse(*content, nullptr, false);
    machine.trouble = trouble_with(json);
    if (!machine.trouble.empty()) return machine;
    read_opening(json, machine);
    read_summary(at(json, "summary"), machine);
    if (at(json, "ready").is_boolean()) machine.ready = truth(json, "ready");
    machine.in_the_way = texts(at(json, "obstacles"), "detail");
    machine.remarks = texts(at(json, "remarks"));
    for (const Json& process : at(json, "processes")) {
        if (text(process, "action") != "keep") machine.leaks.push_back(read_process(process));
    }
    machine.exit_status = static_cast<int>(number(json, "exit_status"));
    return machine;
}

}  // namespace reaper::agent
