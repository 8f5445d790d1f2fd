#include "agent/hooks/yaml_hooks.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "agent/hooks/hosts.hpp"
#include "agent/hooks/yaml_lines.hpp"

namespace reaper::agent {

namespace {

using Lines = std::vector<YamlLine>;
using Refused = tl::unexpected<std::string>;
using Place = tl::expected<std::optional<std::size_t>, std::string>;

std::string item_text(const HookHost& host, std::string_view program, std::size_t indent) {
    return fmt::format("{0:{1}}- command: \"{2}\"\n{0:{1}}  timeout: 5\n", "", indent,
                       hook_command(host, program));
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

// The command of the element at `at`, of as many lines as its writer made of it; empty: none.
std::string command_of(const Lines& lines, std::size_t at) {
    if (!lines[at].is_element()) return {};
    std::string_view first = lines[at].words().substr(1);
    first.remove_prefix(std::min(first.find_first_not_of(' '), first.size()));
    constexpr std::string_view kKey = "command: ";
    if (!first.starts_with(kKey)) return {};
    std::string command(first.substr(kKey.size()));
    const std::size_t keys = lines[at].indent + 2;
    for (std::size_t next = at + 1; next < lines.size() && lines[next].indent > keys; ++next)
        command += fmt::format(" {}", lines[next].words());
    return std::string(unquoted(command));
}

// Where a hook of this program is, and the keys above it.
struct OwnItem {
    std::size_t hooks = 0;
    std::size_t event = 0;
    std::size_t item = 0;
};

std::optional<OwnItem> find_own(const Lines& lines, const HookHost& host) {
    const Place hooks = find_key(lines, 0, lines.size(), 0, "hooks");
    if (!hooks || !*hooks || !has_children(lines, **hooks)) return std::nullopt;
    const std::size_t indent = lines[first_child(lines, **hooks)].indent;
    const Place event =
        find_key(lines, **hooks + 1, end_of_block(lines, **hooks), indent, host.event);
    if (!event || !*event) return std::nullopt;
    const std::size_t end = end_of_block(lines, **event);
    for (std::size_t at = **event + 1; at < end; ++at) {
        if (is_own_command(host, command_of(lines, at))) return OwnItem{**hooks, **event, at};
    }
    return std::nullopt;
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

EditedText add_yaml_hook(std::string_view text, const HookHost& host, std::string_view program) {
    const Lines lines = yaml_lines(text);
    if (std::string why = refuse_yaml(lines); !why.empty()) return Refused(std::move(why));
    auto after = add(lines, host, program);
    if (!after) return after;
    const auto back = remove_yaml_hooks(*after, host, std::string(text));
    if (!back || *back != text || yaml_state(*after, host, program) != HookState::installed)
        return Refused("cannot be changed so that the change could be taken back");
    return after;
}

EditedText remove_yaml_hooks(std::string_view text, const HookHost& host,
                             const std::optional<std::string>& backup) {
    Lines lines = yaml_lines(text);
    if (std::string why = refuse_yaml(lines); !why.empty()) return Refused(std::move(why));
    while (const auto own = find_own(lines, host)) remove_item(lines, *own, backup);
    std::string after = joined(lines);
    // The block began a line of its own, where the last one had no end.
    return backup && after == *backup + "\n" ? *backup : after;
}

HookState yaml_state(std::string_view text, const HookHost& host, std::string_view program) {
    Lines lines = yaml_lines(text);
    if (!refuse_yaml(lines).empty()) return HookState::unknown;
    const auto own = find_own(lines, host);
    if (!own) return HookState::not_installed;
    const bool same = command_of(lines, own->item) == hook_command(host, program);
    remove_item(lines, *own, std::nullopt);
    return same && !find_own(lines, host) ? HookState::installed : HookState::other_version;
}

}  // namespace reaper::agent
