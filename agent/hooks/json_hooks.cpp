#include "agent/hooks/json_hooks.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "agent/hooks/asking.hpp"
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
    // The library takes it for the end of the text.
    const bool has_end = text.find('\0') != std::string_view::npos;
    return is_shallow(text) && !has_end ? Json::parse(text, nullptr, false, with_comments)
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

Json value_at(std::string_view text, const JsonItem& item) {
    return Json::parse(text.substr(item.value, item.end - item.value));
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
        if (!is_own_handler(value_at(text, items[index]), host)) continue;
        way.push_back({open, index});
        return way;
    }
    return std::nullopt;
}

std::optional<Way> find_in_groups(std::string_view text, std::size_t open, const HookHost& host,
                                  const Way& way) {
    const auto groups = json_items(text, open);
    for (std::size_t index = groups.size(); index-- > 0;) {
        if (!may_hold_own(value_at(text, groups[index]), host)) continue;
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

// The text with the last own hook as a number, and as many lines as before.
std::string without_own(std::string text, const Way& way) {
    const JsonItem item = json_items(text, way.back().open)[way.back().index];
    for (std::size_t at = item.value; at < item.end; ++at) {
        if (text[at] != '\n') text[at] = at == item.value ? '0' : ' ';
    }
    return text;
}

// What stands in the list of the event: each hook of a group, and what is no group as a whole.
std::vector<JsonItem> hooks_of_event(std::string_view text, const HookHost& host) {
    std::vector<JsonItem> hooks;
    const auto place = find_event(text, host);
    if (!place || !place->event) return hooks;
    for (const JsonItem& item : json_items(text, place->event->value)) {
        const bool is_object = text[item.value] == '{';
        const auto list =
            is_object ? find_key(text, item.value, "hooks") : std::optional<JsonItem>();
        if (list && *list && text[(*list)->value] == '[')
            std::ranges::copy(json_items(text, (*list)->value), std::back_inserter(hooks));
        else
            hooks.push_back(item);
    }
    return hooks;
}

// The first line that asks for a sweep, in a text that may be edited.
std::optional<std::size_t> line_by_hand(std::string text, const HookHost& host) {
    for (auto own = find_own(text, host); own && *own; own = find_own(text, host))
        text = without_own(std::move(text), **own);
    std::optional<std::size_t> first;
    const auto take = [&](const JsonItem& item, std::optional<std::size_t> line) {
        const auto above = std::ranges::count(text.substr(0, item.begin), '\n');
        if (line) *line += static_cast<std::size_t>(above);
        if (line && (!first || *line < *first)) first = line;
    };
    const auto words = [&](const JsonItem& item) {
        return std::string_view(text).substr(item.begin, item.end - item.begin);
    };
    for (const JsonItem& item : json_items(text, json_begin(text))) {
        if (item.key == "hooks") take(item, line_that_asks(words(item), host));
    }
    for (const JsonItem& item : hooks_of_event(text, host))
        take(item, line_that_detaches(words(item)));
    return first;
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

FoundHooks find_json_hooks(std::string_view text, const HookHost& host) {
    FoundHooks found;
    const Json file = parsed(text, true);
    if (!file.is_object()) return found;
    for (const Json& own : own_hooks(file, host))
        found.programs.emplace_back(program_of(host, own["command"].get_ref<const std::string&>()));
    if (refuse_text(text).empty()) {
        found.by_hand = line_by_hand(std::string(text), host);
    } else {
        const Json rest = without_hooks(file, host, {});
        if (line_by_hand(rest.dump(), host)) found.by_hand = 0;
    }
    return found;
}

bool has_hooks_off(std::string_view text, const HookHost& host) {
    const Json file = host.name == "claude-code" ? parsed(text, true) : Json();
    return file.is_object() && file.value("disableAllHooks", Json()) == Json(true);
}

HookState json_state(std::string_view text, const HookHost& host, std::string_view program) {
    const Json file = parsed(text, true);
    if (!file.is_object()) return HookState::unknown;
    const auto own = own_hooks(file, host);
    if (own.empty())
        return find_json_hooks(text, host).by_hand ? HookState::by_hand : HookState::not_installed;
    const bool same = own.size() == 1 && own.front() == Json(hook_handler(host, program));
    return same ? HookState::installed : HookState::other_version;
}

}  // namespace reaper::agent
