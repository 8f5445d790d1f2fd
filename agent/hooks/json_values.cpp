#include "agent/hooks/json_values.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "agent/hooks/hosts.hpp"

namespace reaper::agent {

namespace {

using Json = nlohmann::json;

// The list of the event; null: there is none.
Json* event_list(Json& file, const HookHost& host) {
    if (!file.is_object() || !file.contains("hooks") || !file["hooks"].is_object()) return nullptr;
    Json& hooks = file["hooks"];
    const std::string event(host.event);
    return hooks.contains(event) && hooks[event].is_array() ? &hooks[event] : nullptr;
}

// Moves the own hooks out of the list.
std::vector<Json> take_own(Json& list, const HookHost& host) {
    std::vector<Json> own;
    Json rest = Json::array();
    for (Json& handler : list)
        (is_own_handler(handler, host) ? own : rest.get_ref<Json::array_t&>())
            .push_back(std::move(handler));
    list = std::move(rest);
    return own;
}

// A group that has no other hooks goes with them.
std::vector<Json> take_own_of_groups(Json& groups, const HookHost& host) {
    std::vector<Json> own;
    Json rest = Json::array();
    for (Json& group : groups) {
        const bool has_list = may_hold_own(group, host) && group["hooks"].is_array();
        auto taken = has_list ? take_own(group["hooks"], host) : std::vector<Json>();
        if (taken.empty() || !group["hooks"].empty()) rest.push_back(std::move(group));
        std::ranges::move(taken, std::back_inserter(own));
    }
    groups = std::move(rest);
    return own;
}

std::vector<Json> take_all(Json& file, const HookHost& host) {
    Json* list = event_list(file, host);
    if (list == nullptr) return {};
    return host.form == HookForm::groups ? take_own_of_groups(*list, host) : take_own(*list, host);
}

}  // namespace

bool is_own_handler(const Json& handler, const HookHost& host) {
    const auto command = handler.is_object() ? handler.find("command") : handler.end();
    if (!handler.is_object() || command == handler.end() || !command->is_string()) return false;
    const std::string_view program = program_of(host, command->get_ref<const std::string&>());
    return !program.empty() && handler == Json(hook_handler(host, program));
}

bool may_hold_own(const Json& group, const HookHost& host) {
    if (!group.is_object() || !group.contains("hooks")) return false;
    Json own = hook_entry(host, "");
    own["hooks"] = group["hooks"];
    return group == own;
}

Json with_hook(Json file, const HookHost& host, std::string_view program) {
    file["hooks"][std::string(host.event)].push_back(Json(hook_entry(host, program)));
    return file;
}

Json without_hooks(Json file, const HookHost& host, KeptContainers kept) {
    if (take_all(file, host).empty()) return file;
    Json& hooks = file["hooks"];
    const std::string event(host.event);
    if (hooks[event].empty() && !kept.event) hooks.erase(event);
    if (hooks.empty() && !kept.hooks) file.erase("hooks");
    return file;
}

std::vector<Json> own_hooks(const Json& file, const HookHost& host) {
    Json copy = file;
    return take_all(copy, host);
}

}  // namespace reaper::agent
