#include "agent/report/rules_view.hpp"
#include "agent/report/text/process_line.hpp"

namespace reaper::agent {

namespace {

using Json = nlohmann::ordered_json;

// ASCII only, and paths may be any bytes.
std::string dump(const Json& json, int indent) {
    return json.dump(indent, ' ', true, Json::error_handler_t::replace) + "\n";
}

Json origins_json(const RulesView& view) {
    Json families = Json::object();
    for (const policy::FamilyRule& rule : view.rules.families) {
        const RuleOrigin& origin = view.origins.at(rule.name);
        families[rule.name] = {{"from", origin.from}, {"settings", Json::object()}};
        for (const auto& [setting, file] : origin.settings)
            families[rule.name]["settings"][setting] = file;
    }
    Json protect = Json::array();
    for (const policy::ProtectRule& rule : view.rules.protect) protect.push_back(rule.origin);
    return {{"families", families}, {"protect", protect}};
}

Json value_of(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json::parse(text);
}

Json to_json(const policy::RuleChange& change) {
    return {{"family", change.family.empty() ? Json(nullptr) : Json(change.family)},
            {"setting", change.setting.empty() ? Json(nullptr) : Json(change.setting)},
            {"was", value_of(change.was)},
            {"is", value_of(change.is)}};
}

Json to_json(const ReportedProcess& process) {
    return {{"pid", process.facts.row.pid},
            {"uid", process.facts.row.uid},
            {"user", process.facts.user},
            {"family", process.judgement.family},
            {"role", process.judgement.role},
            {"home", process.judgement.home},
            {"verdict", to_string(process.judgement.verdict)},
            {"action", to_string(process.judgement.action)},
            {"why", why(process)}};
}

template <class T>
Json list(const std::vector<T>& items) {
    Json array = Json::array();
    for (const T& item : items) array.push_back(to_json(item));
    return array;
}

}  // namespace

std::string render_rules_json(const RulesView& view) {
    const Json json = {{"schema", "orphan-reaper/rules/1"},
                       {"version", view.version},
                       {"folders", view.folders},
                       {"files", view.files},
                       {"families", policy::families_json(view.rules)},
                       {"protect", policy::protect_json(view.rules)},
                       {"origins", origins_json(view)}};
    return dump(json, 2);
}

std::string render_rules_jsonl(const RulesView& view) {
    std::string text;
    for (const policy::FamilyRule& rule : view.rules.families) {
        Json line = {
            {"family", rule.name}, {"pack", rule.pack}, {"from", view.origins.at(rule.name).from}};
        line.update(policy::to_json(rule));
        text += dump(line, -1);
    }
    for (const policy::ProtectRule& rule : view.rules.protect) {
        text += dump({{"protect", policy::to_json(rule)}, {"from", rule.origin}}, -1);
    }
    return text;
}

std::string render_check_json(const RulesCheck& check) {
    const Json json = {{"schema", "orphan-reaper/rules-check/1"},
                       {"version", check.report.version},
                       {"file", check.file},
                       {"in_effect", check.in_effect},
                       {"changes", list(check.changes)},
                       {"processes", list(check.report.processes)},
                       {"remarks", check.report.remarks},
                       {"complete", check.report.complete}};
    return dump(json, 2);
}

}  // namespace reaper::agent
