#include "policy/rules/json.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "policy/text/duration.hpp"

namespace reaper::policy {

namespace {

using Json = nlohmann::ordered_json;

void put(Json& json, const char* key, const std::vector<std::string>& list) {
    if (!list.empty()) json[key] = list;
}

void put(Json& json, const char* key, const std::string& text) {
    if (!text.empty()) json[key] = text;
}

Json to_json(const Program& program) {
    Json json = Json::object();
    put(json, "interpreters", program.interpreters);
    put(json, "options_with_value", program.options.with_value);
    put(json, "options_without_value", program.options.without_value);
    put(json, "options_without_script", program.options.without_script);
    put(json, "scripts", program.scripts);
    put(json, "packages", program.packages);
    put(json, "launchers", program.launchers);
    put(json, "modules", program.modules);
    put(json, "executables", program.executables);
    put(json, "titles", program.titles);
    put(json, "called", program.called);
    put(json, "commands", program.commands);
    put(json, "command_options_with_value", program.command_options_with_value);
    put(json, "required", program.required);
    put(json, "forbidden", program.forbidden);
    put(json, "marked_variables", program.marked_variables);
    return json;
}

Json to_json(const Role& role) {
    Json json = {{"name", role.name}, {"flags", role.flags}};
    if (role.outlives_host) json["outlives_host"] = true;
    if (role.keep_as) json["keep_as"] = to_string(*role.keep_as);
    return json;
}

const char* word_of(HomeSource::From from) {
    switch (from) {
        case HomeSource::From::option: return "option";
        case HomeSource::From::environment: return "variable";
        case HomeSource::From::environment_parent: return "parent_of_variable";
        case HomeSource::From::profile: return "profile_option";
        case HomeSource::From::fixed: break;
    }
    return "path";
}

Json to_json(const HomeSource& source) {
    Json json = {{word_of(source.from), source.name}};
    put(json, "above", source.above);
    return json;
}

const char* word_of(OwnerSource::From from) {
    switch (from) {
        case OwnerSource::From::option: return "option";
        case OwnerSource::From::environment: return "variable";
        case OwnerSource::From::spawn_marker: break;
    }
    return "spawn_purpose";
}

Json to_json(const OwnerSource& source) {
    Json json = {{word_of(source.from), source.name}};
    put(json, "time_option", source.time_option);
    return json;
}

template <class T>
Json list(const std::vector<T>& items) {
    Json array = Json::array();
    for (const T& item : items) array.push_back(to_json(item));
    return array;
}

Json inside_json(const FamilyRule& rule) {
    Json json = {{"folders", rule.inside_parts}};
    put(json, "package", rule.inside_package);
    return json;
}

Json actions_json(const FamilyRule& rule) {
    Json json = Json::object();
    for (const auto& [verdict, action] : rule.actions)
        json[std::string(to_string(verdict))] = to_string(action);
    return json;
}

// Flattens a rule to the settings that a file can change one by one: "actions.orphan" ->
// "\"reap\"".
std::map<std::string, std::string> settings_of(const FamilyRule& rule) {
    std::map<std::string, std::string> settings;
    const Json json = to_json(rule);  // items() only refers to it
    for (const auto& [key, value] : json.items()) {
        if (!value.is_object()) {
            settings[key] = value.dump();
            continue;
        }
        for (const auto& [part, inner] : value.items())
            settings[fmt::format("{}.{}", key, part)] = inner.dump();
    }
    return settings;
}

void add_changes(const FamilyRule& before, const FamilyRule& after,
                 std::vector<RuleChange>& changes) {
    const auto was = settings_of(before);
    for (const auto& [setting, is] : settings_of(after)) {
        const auto old = was.find(setting);
        const std::string text = old == was.end() ? std::string() : old->second;
        if (text != is) changes.push_back({after.name, setting, text, is});
    }
}

}  // namespace

// Writes lists even if they are empty: laid over another family, they must empty its lists.
nlohmann::ordered_json to_json(const FamilyRule& rule) {
    Json json = {{"enabled", rule.enabled}, {"listed", rule.listed}};
    put(json, "pack", rule.pack);
    if (rule.keep_as) json["keep_as"] = to_string(*rule.keep_as);
    json["programs"] = list(rule.programs);
    json["inside"] = inside_json(rule);
    json["roles"] = list(rule.roles);
    json["home"] = list(rule.home);
    json["hosts"] = list(rule.hosts);
    json["owners"] = list(rule.owners);
    json["needs_owner"] = rule.needs_owner;
    json["keeps_runner"] = rule.keeps_runner;
    json["proofs"] = rule.proofs;
    json["at_update"] = to_string(rule.at_update);
    json["listens"] = rule.listens;
    json["actions"] = actions_json(rule);
    json["single_instance"] = rule.single_instance;
    json["several_with"] = rule.several_with;
    json["same_options"] = rule.same_options;
    json["daemon"] = {{"roles", rule.daemon_roles}, {"ports", rule.daemon_ports}};
    json["min_age"] = duration_text(rule.start_up);
    json["grace"] = duration_text(rule.grace);
    json["grace_cap"] = duration_text(rule.grace_cap);
    return json;
}

nlohmann::ordered_json to_json(const ProtectRule& rule) {
    Json json = Json::object();
    put(json, "exe", rule.exe);
    put(json, "arguments", rule.arguments);
    put(json, "home", rule.home);
    return json;
}

nlohmann::ordered_json families_json(const Rules& rules) {
    Json json = Json::object();
    for (const FamilyRule& rule : rules.families) json[rule.name] = to_json(rule);
    return json;
}

nlohmann::ordered_json protect_json(const Rules& rules) {
    return list(rules.protect);
}

std::vector<RuleChange> rule_changes(const Rules& before, const Rules& after) {
    std::vector<RuleChange> changes;
    for (const FamilyRule& rule : after.families) {
        const auto old = std::ranges::find(before.families, rule.name, &FamilyRule::name);
        if (old == before.families.end())
            changes.push_back({rule.name, {}, {}, {}});
        else
            add_changes(*old, rule, changes);
    }
    for (const ProtectRule& rule : after.protect) {
        const bool is_new = std::ranges::find(before.protect, rule) == before.protect.end();
        if (is_new) changes.push_back({{}, "protect", {}, to_json(rule).dump()});
    }
    return changes;
}

}  // namespace reaper::policy
