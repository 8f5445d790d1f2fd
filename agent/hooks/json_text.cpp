#include "agent/hooks/json_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace reaper::agent {

namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::size_t kDeepest = 100;

std::size_t skip_blank(std::string_view text, std::size_t at) {
    return std::min(text.find_first_not_of(kBlank, at), text.size());
}

// Behind the string that begins at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
    for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
    }
    return std::min(at + 1, text.size());
}

bool opens(char letter) {
    return letter == '{' || letter == '[';
}

bool closes(char letter) {
    return letter == '}' || letter == ']';
}

// Behind the value that begins at `at`.
std::size_t end_of_value(std::string_view text, std::size_t at) {
    if (text[at] == '"') return end_of_string(text, at);
    if (!opens(text[at])) return std::min(text.find_first_of(",]} \t\r\n", at), text.size());
    std::size_t depth = 0;
    while (at < text.size()) {
        if (text[at] == '"') {
            at = end_of_string(text, at);
            continue;
        }
        if (opens(text[at])) ++depth;
        if (closes(text[at++]) && --depth == 0) break;
    }
    return at;
}

// How the text is laid out.
struct Layout {
    std::string newline = "\n";
    std::string unit = "  ";  // of one level
    bool in_lines = true;
};

// What stands between the start of the line and `at`, if that is only blank; else nothing.
bool begins_line(std::string_view text, std::size_t at, std::string& indent) {
    const std::size_t line = text.rfind('\n', at);
    if (line == std::string_view::npos || at == 0) return false;
    indent = text.substr(line + 1, at - line - 1);
    return indent.find_first_not_of(" \t") == std::string::npos;
}

// Of the line that `at` is in.
std::string indent_of_line(std::string_view text, std::size_t at) {
    const std::size_t before = text.substr(0, at).rfind('\n');
    const std::size_t line = before == std::string_view::npos ? 0 : before + 1;
    const std::size_t word = text.find_first_not_of(" \t", line);
    return std::string(text.substr(line, std::min(word, at) - line));
}

Layout layout_of(std::string_view text) {
    Layout layout;
    if (text.find("\r\n") != std::string_view::npos) layout.newline = "\r\n";
    const auto items = json_items(text, json_begin(text));
    if (items.empty()) return layout;
    std::string indent;
    layout.in_lines = begins_line(text, items.front().begin, indent);
    if (layout.in_lines) layout.unit = indent;
    return layout;
}

// `item`, which has two blanks for a level, in that layout.
std::string laid_out(std::string_view item, const Layout& layout, std::string_view indent) {
    std::string text;
    while (true) {
        const std::size_t newline = item.find('\n');
        const std::string_view line = item.substr(0, newline);
        const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
        for (std::size_t level = 0; level < blanks / 2; ++level) text += layout.unit;
        text += line.substr(blanks);
        if (newline == std::string_view::npos) return text;
        text += fmt::format("{}{}", layout.newline, indent);
        item.remove_prefix(newline + 1);
    }
}

// In place of the blank that an empty object or list has.
std::string fill_empty(std::string_view text, std::size_t open, std::string_view item,
                       const Layout& layout) {
    const std::string outer = indent_of_line(text, open);
    const std::string inner = outer + layout.unit;
    const std::string filling = layout.in_lines
                                    ? fmt::format("{0}{1}{2}{0}{3}", layout.newline, inner,
                                                  laid_out(item, layout, inner), outer)
                                    : compact_json(item);
    return fmt::format("{}{}{}", text.substr(0, open + 1), filling,
                       text.substr(skip_blank(text, open + 1)));
}

}  // namespace

std::size_t json_begin(std::string_view text) {
    constexpr std::string_view kByteOrder = "\xef\xbb\xbf";
    return skip_blank(text, text.starts_with(kByteOrder) ? kByteOrder.size() : 0);
}

std::vector<JsonItem> json_items(std::string_view text, std::size_t open) {
    std::vector<JsonItem> items;
    const bool is_object = text[open] == '{';
    std::size_t at = skip_blank(text, open + 1);
    while (at < text.size() && !closes(text[at])) {
        JsonItem item{.begin = at, .value = at};
        if (is_object) {
            const std::size_t end = end_of_string(text, at);
            item.key = nlohmann::json::parse(text.substr(at, end - at)).get<std::string>();
            item.value = skip_blank(text, skip_blank(text, end) + 1);
        }
        item.end = end_of_value(text, item.value);
        at = skip_blank(text, item.end);
        if (at < text.size() && text[at] == ',') at = skip_blank(text, at + 1);
        items.push_back(std::move(item));
    }
    return items;
}

bool is_shallow(std::string_view text) {
    std::size_t depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '"') at = end_of_string(text, at) - 1;
        if (opens(text[at]) && ++depth > kDeepest) return false;
        if (closes(text[at]) && depth > 0) --depth;
    }
    return true;
}

std::string append_item(std::string_view text, std::size_t open, std::string_view item) {
    const Layout layout = layout_of(text);
    const auto items = json_items(text, open);
    if (items.empty()) return fill_empty(text, open, item, layout);
    std::string indent;
    const bool own_line = begins_line(text, items.back().begin, indent);
    const std::string more =
        own_line ? fmt::format(",{}{}{}", layout.newline, indent, laid_out(item, layout, indent))
                 : fmt::format(",{}", compact_json(item));
    const std::size_t end = items.back().end;
    return fmt::format("{}{}{}", text.substr(0, end), more, text.substr(end));
}

std::string remove_item(std::string_view text, std::size_t open, std::size_t index) {
    const auto items = json_items(text, open);
    std::size_t begin = items[index].begin;
    std::size_t end = items[index].end;
    if (index > 0) {
        begin = items[index - 1].end;
    } else if (items.size() > 1) {
        end = items[1].begin;
    } else {
        begin = open + 1;
        end = skip_blank(text, end);
    }
    return fmt::format("{}{}", text.substr(0, begin), text.substr(end));
}

std::string compact_json(std::string_view text) {
    std::string compact;
    std::size_t at = json_begin(text);
    while (at < text.size()) {
        const std::size_t end = text[at] == '"' ? end_of_string(text, at) : at + 1;
        compact += text.substr(at, end - at);
        at = skip_blank(text, end);
    }
    return compact;
}

}  // namespace reaper::agent
