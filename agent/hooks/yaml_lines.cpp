#include "agent/hooks/yaml_lines.hpp"

#include <algorithm>

namespace reaper::agent {

namespace {

using Lines = std::vector<YamlLine>;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return text.substr(0, 0);
    return text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

}  // namespace

std::string_view YamlLine::words() const {
    return trimmed(text);
}

bool YamlLine::is_element() const {
    return words() == "-" || words().starts_with("- ");
}

std::string_view YamlLine::key() const {
    constexpr std::string_view kLetters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    const std::string_view whole = words();
    const std::size_t colon = whole.find_first_not_of(kLetters);
    const bool is_key = colon != std::string_view::npos && colon > 0 && whole[colon] == ':' &&
                        (colon + 1 == whole.size() || whole[colon + 1] == ' ');
    return is_key ? whole.substr(0, colon) : std::string_view();
}

std::string_view YamlLine::value() const {
    return trimmed(words().substr(key().size() + 1));
}

std::vector<YamlLine> yaml_lines(std::string_view text) {
    Lines lines;
    while (!text.empty()) {
        const std::string_view whole =
            text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
        const std::size_t indent = std::min(whole.find_first_not_of(' '), whole.size());
        const std::string_view words = trimmed(whole);
        lines.push_back({std::string(whole), indent, words.empty() || words.starts_with('#')});
        text.remove_prefix(whole.size());
    }
    return lines;
}

std::string joined(const Lines& lines) {
    std::string text;
    for (const YamlLine& line : lines) text += line.text;
    return text;
}

std::size_t end_of_block(const Lines& lines, std::size_t at) {
    std::size_t end = at + 1;
    for (std::size_t next = at + 1; next < lines.size(); ++next) {
        if (lines[next].is_blank) continue;
        const bool is_listed = lines[next].is_element() && !lines[at].is_element() &&
                               lines[next].indent == lines[at].indent;
        if (lines[next].indent <= lines[at].indent && !is_listed) break;
        end = next + 1;
    }
    return end;
}

}  // namespace reaper::agent
