#include "agent/hooks/json_hooks.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "agent/hooks/hosts.hpp"
#include "agent/hooks/json_text.hpp"
#include "agent/hooks/json_values.hpp"

namespace reaper::agent {

namespace {

using Json = nlohmann::json;
using Refused = tl::unexpected<std::string>;

// Not where it does not parse; comments are a part of no JSON, and hosts that know them all the
// same take them.
Json parsed(std::string_view text, bool with_comments) {
    return is_shallow(text) ? Json::parse(text, nullptr, false, with_comments)
                            : Json(Json::value_t::discarded);
}

// Why the text is not to be edited; empty: it may.
std::string refuse_text(std::string_view text) {
    if (parsed(text, false).is_object()) return {};
    if (parsed(text, true).is_object()) return "has comments, which a change could lose";
    return "is no JSON object that can be parsed";
}

// The item with that key in the object at `open`; none: there is none.
tl::expected<std::optional<JsonItem>, std::string> find_key(std::string_view text, std::size_t open,
                                                            std::string_view key) {
    std::optional<JsonItem> found;
    for (JsonItem& item : json_items(text, open)) {
        if (item.key != key) continue;
        if (found) return Refused(fmt::format("says \"{}\" twice", key));
        found = std::move(item);
    }
    return found;
}

// One level of the way to a hook: which item of which object or list.
struct Step {
    std::size_t open = 0;
    std::size_t index = 0;
};
using Way = std::vector<Step>;

std::string string_at(std::string_view text, const JsonItem& item) {
    if (text[item.value] != '"') return {};
    return Json::parse(text.substr(item.value, item.end - item.value)).get<std::string>();
}

bool is_own_handler(std::string_view text, std::size_t open, const HookHost& host) {
    if (text[open] != '{') return false;
    return std::ranges::any_of(json_items(text, open), [&](const JsonItem& item) {
        return item.key == "command" && is_own_command(host, string_at(text, item));
    });
}

std::size_t index_of(std::string_view text, std::size_t open, std::string_view key) {
    const auto items = json_items(text, open);
    const auto found = std::ranges::find(items, key, &JsonItem::key);
    return static_cast<std::size_t>(found - items.begin());
}

// The last own hook in the list at `open`, below `way`.
std::optional<Way> find_in_handlers(std::string_view text, std::size_t open, const HookHost& host,
                                    Way way) {
    if (text[open] != '[') return std::nullopt;
    const auto items = json_items(text, open);
    for (std::size_t index = items.size(); index-- > 0;) {
        if (!is_own_handler(text, items[index].value, host)) continue;
        way.push_back({open, index});
        return way;
    }
    return std::nullopt;
}

std::optional<Way> find_in_groups(std::string_view text, std::size_t open, const HookHost& host,
                                  const Way& way) {
    const auto groups = json_items(text, open);
    for (std::size_t index = groups.size(); index-- > 0;) {
        if (text[groups[index].value] != '{') continue;
        const auto list = find_key(text, groups[index].value, "hooks");
        if (!list || !*list) continue;
        Way below = way;
        below.push_back({open, index});
        if (auto found = find_in_handlers(text, (*list)->value, host, std::move(below)))
            return found;
    }
    return std::nullopt;
}

// Where the hooks of the event are: nothing on the way, or all of it.
struct EventPlace {
    std::size_t top = 0;
    std::optional<JsonItem> hooks = {};
    std::optional<JsonItem> event = {};
};

tl::expected<EventPlace, std::string> find_event(std::string_view text, const HookHost& host) {
    EventPlace place{.top = json_begin(text)};
    const auto hooks = find_key(text, place.top, "hooks");
    if (!hooks) return Refused(hooks.error());
    if (!*hooks) return place;
    if (text[(*hooks)->value] != '{') return Refused("has \"hooks\" that are no object");
    place.hooks = *hooks;
    const auto event = find_key(text, (*hooks)->value, host.event);
    if (!event) return Refused(event.error());
    if (*event && text[(*event)->value] != '[')
        return Refused(fmt::format("has a \"{}\" that is no list", host.event));
    place.event = *event;
    return place;
}

tl::expected<std::optional<Way>, std::string> find_own(std::string_view text,
                                                       const HookHost& host) {
    const auto place = find_event(text, host);
    if (!place) return Refused(place.error());
    if (!place->event) return std::nullopt;
    const Way way = {{place->top, index_of(text, place->top, "hooks")},
                     {place->hooks->value, index_of(text, place->hooks->value, host.event)}};
    return host.form == HookForm::groups ? find_in_groups(text, place->event->value, host, way)
                                         : find_in_handlers(text, place->event->value, host, way);
}

// Which empty containers were there before the installation.
KeptContainers kept_containers(const HookHost& host, const std::optional<std::string>& backup) {
    if (!backup || !refuse_text(*backup).empty()) return {};
    const auto place = find_event(*backup, host);
    if (!place) return {};
    return {.hooks = place->hooks.has_value(), .event = place->event.has_value()};
}

// With every container that is empty then, from the list of a group up to the object of hooks.
std::string remove_at(std::string_view text, const Way& way, KeptContainers kept) {
    const std::array<bool, 4> stays{true, kept.hooks, kept.event, false};
    std::size_t level = way.size() - 1;
    while (!stays.at(level) && json_items(text, way[level].open).size() == 1) --level;
    return remove_item(text, way[level].open, way[level].index);
}

// JSON of `entry`, as the last item of what is there already.
std::string append_entry(std::string_view text, const EventPlace& place, const HookHost& host,
                         const OrderedJson& entry) {
    if (place.event) return append_item(text, place.event->value, entry.dump(2));
    const std::string list =
        fmt::format("\"{}\": {}", host.event, OrderedJson::array({entry}).dump(2));
    if (place.hooks) return append_item(text, place.hooks->value, list);
    OrderedJson hooks = OrderedJson::object();
    hooks[std::string(host.event)] = OrderedJson::array({entry});
    return append_item(text, place.top, fmt::format("\"hooks\": {}", hooks.dump(2)));
}

}  // namespace

EditedText add_json_hook(std::string_view text, const HookHost& host, std::string_view program) {
    if (std::string why = refuse_text(text); !why.empty()) return Refused(std::move(why));
    const auto place = find_event(text, host);
    if (!place) return Refused(place.error());
    const Json before = parsed(text, false);
    // Cursor reads no file without it.
    if (host.form == HookForm::handlers && !before.contains("version"))
        return Refused("has no \"version\"");
    std::string after = append_entry(text, *place, host, hook_entry(host, program));
    if (parsed(after, false) != with_hook(before, host, program))
        return Refused("cannot be changed without changing more than the hook");
    return after;
}

EditedText remove_json_hooks(std::string_view text, const HookHost& host,
                             const std::optional<std::string>& backup) {
    if (std::string why = refuse_text(text); !why.empty()) return Refused(std::move(why));
    const KeptContainers kept = kept_containers(host, backup);
    std::string after(text);
    while (true) {
        const auto way = find_own(after, host);
        if (!way) return Refused(way.error());
        if (!*way) break;
        after = remove_at(after, **way, kept);
    }
    if (parsed(after, false) != without_hooks(parsed(text, false), host, kept))
        return Refused("cannot be changed without changing more than the hook");
    return after;
}

bool is_same_json(std::string_view one, std::string_view other) {
    return compact_json(one) == compact_json(other);
}

HookState json_state(std::string_view text, const HookHost& host, std::string_view program) {
    const Json file = parsed(text, true);
    if (!file.is_object()) return HookState::unknown;
    const auto own = own_hooks(file, host);
    if (own.empty()) return HookState::not_installed;
    const bool same = own.size() == 1 && own.front() == Json(hook_handler(host, program));
    return same ? HookState::installed : HookState::other_version;
}

}  // namespace reaper::agent
