#include "agent/hooks/yaml_hooks.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "agent/hooks/asking.hpp"
#include "agent/hooks/hosts.hpp"
#include "agent/hooks/yaml_check.hpp"
#include "agent/hooks/yaml_lines.hpp"

namespace reaper::agent {

namespace {

using Lines = std::vector<YamlLine>;
using Refused = tl::unexpected<std::string>;
using Place = tl::expected<std::optional<std::size_t>, std::string>;

constexpr std::string_view kTimeLimit = "timeout: 5";

std::string item_text(const HookHost& host, std::string_view program, std::size_t indent) {
    return fmt::format("{0:{1}}- command: \"{2}\"\n{0:{1}}  {3}\n", "", indent,
                       hook_command(host, program), kTimeLimit);
}

// The line in [begin, end) that has this key and indentation.
Place find_key(const Lines& lines, std::size_t begin, std::size_t end, std::size_t indent,
               std::string_view key) {
    std::optional<std::size_t> found;
    for (std::size_t at = begin; at < end; ++at) {
        if (lines[at].is_blank || lines[at].indent != indent || lines[at].key() != key) continue;
        if (found) return Refused(fmt::format("says '{}' twice", key));
        found = at;
    }
    return found;
}

bool has_children(const Lines& lines, std::size_t at) {
    return end_of_block(lines, at) > at + 1;
}

std::size_t first_child(const Lines& lines, std::size_t at) {
    const auto child = std::find_if(lines.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                    lines.end(), [](const auto& line) { return !line.is_blank; });
    return static_cast<std::size_t>(child - lines.begin());
}

// A key without hooks below it.
bool is_empty_value(std::string_view value) {
    constexpr std::array<std::string_view, 4> kEmpty = {"", "{}", "null", "~"};
    return std::ranges::find(kEmpty, value) != kEmpty.end();
}

void insert(Lines& lines, std::size_t at, std::string_view text) {
    const Lines more = yaml_lines(text);
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), more.begin(), more.end());
}

void erase(Lines& lines, std::size_t begin, std::size_t end) {
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(begin),
                lines.begin() + static_cast<std::ptrdiff_t>(end));
}

// Below the key `hooks` at `hooks`, which has other lines below it.
EditedText add_below(Lines lines, std::size_t hooks, const HookHost& host,
                     std::string_view program) {
    constexpr std::string_view kOther = "has hooks that are written in another way";
    const std::size_t child = first_child(lines, hooks);
    if (!lines[hooks].value().empty() || lines[child].key().empty())
        return Refused(std::string(kOther));
    const std::size_t indent = lines[child].indent;
    const Place event = find_key(lines, hooks + 1, end_of_block(lines, hooks), indent, host.event);
    if (!event) return Refused(event.error());
    if (!*event) {
        insert(lines, hooks + 1,
               fmt::format("{:{}}{}:\n{}", "", indent, host.event,
                           item_text(host, program, indent + 2)));
        return joined(lines);
    }
    if (!lines[**event].value().empty() || !has_children(lines, **event))
        return Refused(std::string(kOther));
    const std::size_t item = first_child(lines, **event);
    if (!lines[item].is_element()) return Refused(std::string(kOther));
    insert(lines, item, item_text(host, program, lines[item].indent));
    return joined(lines);
}

EditedText add(const Lines& lines, const HookHost& host, std::string_view program) {
    const Place hooks = find_key(lines, 0, lines.size(), 0, "hooks");
    if (!hooks) return Refused(hooks.error());
    const std::string block = yaml_block(host, program);
    if (!*hooks) {
        const std::string before = joined(lines);
        const bool is_open = !before.empty() && !before.ends_with('\n');
        return fmt::format("{}{}{}", before, is_open ? "\n" : "", block);
    }
    if (has_children(lines, **hooks)) return add_below(lines, **hooks, host, program);
    if (!is_empty_value(lines[**hooks].value()))
        return Refused("has hooks that are written in another way");
    Lines changed = lines;
    erase(changed, **hooks, **hooks + 1);
    insert(changed, **hooks, block);
    return joined(changed);
}

std::string_view unquoted(std::string_view value) {
    const bool quoted = value.size() > 1 && value.front() == value.back() &&
                        (value.front() == '"' || value.front() == '\'');
    return quoted ? value.substr(1, value.size() - 2) : value;
}

// A hook, as the element of the list at some line.
struct Item {
    std::string command = {};  // of as many lines as its writer made of it; empty: not understood
    std::size_t next = 0;      // the line behind it
};

Item item_at(const Lines& lines, std::size_t at) {
    constexpr std::string_view kKey = "- command: ";
    if (!lines[at].words().starts_with(kKey)) return {};
    Item item{std::string(lines[at].words().substr(kKey.size())), at + 1};
    const std::size_t keys = lines[at].indent + 2;
    for (; item.next < lines.size() && lines[item.next].indent > keys; ++item.next)
        item.command += fmt::format(" {}", lines[item.next].words());
    item.command = unquoted(item.command);
    return item;
}

// The program that the hook at `at` names, if it has exactly what install gives it; else empty.
std::string own_program(const Lines& lines, std::size_t at, const HookHost& host) {
    const Item item = item_at(lines, at);
    const std::size_t end = end_of_block(lines, at);
    const bool is_whole = !item.command.empty() && item.next + 1 == end &&
                          lines[item.next].indent == lines[at].indent + 2 &&
                          lines[item.next].words() == kTimeLimit;
    return is_whole ? std::string(program_of(host, item.command)) : std::string();
}

// The hooks of the event, one below the other, and the keys above them.
struct EventLines {
    std::size_t hooks = 0;
    std::size_t event = 0;
    std::vector<std::size_t> items = {};
};

std::optional<EventLines> find_event(const Lines& lines, const HookHost& host) {
    const Place hooks = find_key(lines, 0, lines.size(), 0, "hooks");
    if (!hooks || !*hooks || !has_children(lines, **hooks)) return std::nullopt;
    const std::size_t indent = lines[first_child(lines, **hooks)].indent;
    const Place event =
        find_key(lines, **hooks + 1, end_of_block(lines, **hooks), indent, host.event);
    if (!event || !*event) return std::nullopt;
    EventLines found{**hooks, **event};
    if (!has_children(lines, **event)) return found;
    const std::size_t column = lines[first_child(lines, **event)].indent;
    for (std::size_t at = **event + 1; at < end_of_block(lines, **event); ++at) {
        if (!lines[at].is_blank && lines[at].is_element() && lines[at].indent == column)
            found.items.push_back(at);
    }
    return found;
}

// Where a hook that install has written is, and the keys above it.
struct OwnItem {
    std::size_t hooks = 0;
    std::size_t event = 0;
    std::size_t item = 0;
    std::string program = {};
};

std::optional<OwnItem> find_own(const Lines& lines, const HookHost& host) {
    const auto event = find_event(lines, host);
    if (!event) return std::nullopt;
    for (const std::size_t at : event->items) {
        if (std::string program = own_program(lines, at, host); !program.empty())
            return OwnItem{event->hooks, event->event, at, std::move(program)};
    }
    return std::nullopt;
}

// Whether the hooks of the event have one that asks for a sweep.
bool asks_in_event(const Lines& lines, const HookHost& host) {
    const auto event = find_event(lines, host);
    return event && std::ranges::any_of(event->items, [&](std::size_t at) {
               return line_that_detaches(item_at(lines, at).command).has_value();
           });
}

// The line of the first hook of the event that asks for a sweep, whoever it says that it is from.
std::optional<std::size_t> line_in_event(const Lines& lines, const HookHost& host) {
    const auto event = find_event(lines, host);
    if (!event) return std::nullopt;
    // On the line of the key there may be a list of them.
    const auto items = event->items.empty() ? std::vector{event->event} : event->items;
    for (const std::size_t at : items) {
        const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(at);
        const auto end = lines.begin() + static_cast<std::ptrdiff_t>(end_of_block(lines, at));
        if (const auto line = line_that_detaches(joined(Lines(begin, end)))) return at + *line;
    }
    return std::nullopt;
}

void clear_line(YamlLine& line) {
    line = {.text = "\n", .indent = 0, .is_blank = true};
}

// The line `hooks:` of the text before the installation, if there was nothing below it.
std::string empty_hooks_of(const std::optional<std::string>& backup) {
    const Lines lines = yaml_lines(backup.value_or(""));
    const Place hooks = find_key(lines, 0, lines.size(), 0, "hooks");
    return hooks && *hooks && !has_children(lines, **hooks) ? lines[**hooks].text : "";
}

void remove_item(Lines& lines, const OwnItem& own, const std::optional<std::string>& backup) {
    erase(lines, own.item, end_of_block(lines, own.item));
    if (has_children(lines, own.event)) return;
    erase(lines, own.event, own.event + 1);
    if (has_children(lines, own.hooks)) return;
    erase(lines, own.hooks, own.hooks + 1);
    insert(lines, own.hooks, empty_hooks_of(backup));
}

}  // namespace

std::string yaml_block(const HookHost& host, std::string_view program) {
    return fmt::format("hooks:\n  {}:\n{}", host.event, item_text(host, program, 4));
}

std::string yaml_item(const HookHost& host, std::string_view program) {
    return item_text(host, program, 0);
}

EditedText add_yaml_hook(std::string_view text, const HookHost& host, std::string_view program) {
    if (std::string why = refuse_yaml(text); !why.empty()) return Refused(std::move(why));
    auto after = add(yaml_lines(text), host, program);
    if (!after) return after;
    const auto back = remove_yaml_hooks(*after, host, std::string(text));
    if (!back || *back != text || yaml_state(*after, host, program) != HookState::installed)
        return Refused("cannot be changed so that the change could be taken back");
    return after;
}

EditedText remove_yaml_hooks(std::string_view text, const HookHost& host,
                             const std::optional<std::string>& backup) {
    if (std::string why = refuse_yaml(text); !why.empty()) return Refused(std::move(why));
    Lines lines = yaml_lines(text);
    while (const auto own = find_own(lines, host)) remove_item(lines, *own, backup);
    std::string after = joined(lines);
    if (!refuse_yaml(after).empty()) return Refused("cannot be changed without breaking it");
    // The block began a line of its own, where the last one had no end.
    return backup && after == *backup + "\n" ? *backup : after;
}

FoundHooks find_yaml_hooks(std::string_view text, const HookHost& host) {
    FoundHooks found;
    Lines lines = yaml_lines(text);
    const bool is_plain = refuse_yaml(text).empty();
    while (const auto own = is_plain ? find_own(lines, host) : std::nullopt) {
        found.programs.push_back(own->program);
        const std::size_t end = end_of_block(lines, own->item);
        for (std::size_t at = own->item; at < end; ++at) clear_line(lines[at]);
    }
    for (YamlLine& line : lines) {
        if (line.is_blank) clear_line(line);
    }
    found.by_hand = line_that_asks(joined(lines), host);
    const auto line = is_plain ? line_in_event(lines, host) : std::nullopt;
    if (line) found.by_hand = std::min(found.by_hand.value_or(*line), *line);
    return found;
}

HookState yaml_state(std::string_view text, const HookHost& host, std::string_view program) {
    if (!refuse_yaml(text).empty()) return HookState::unknown;
    const FoundHooks found = find_yaml_hooks(text, host);
    if (found.programs.size() == 1 && found.programs.front() == program)
        return HookState::installed;
    if (!found.programs.empty()) return HookState::other_version;
    if (!found.by_hand) return HookState::not_installed;
    return asks_in_event(yaml_lines(text), host) ? HookState::by_hand : HookState::unclear;
}

}  // namespace reaper::agent
