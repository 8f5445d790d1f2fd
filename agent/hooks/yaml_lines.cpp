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

// A text in quotes, or a list or object in brackets, that ends where it should. By counting, which
// refuses a little too much.
bool is_closed(std::string_view value) {
    if (value.empty()) return true;
    const char first = value.front();
    if (first == '\'' || first == '"') {
        const auto escaped = [](std::string_view text) {
            std::ptrdiff_t count = 0;
            for (std::size_t at = 0; at + 1 < text.size(); ++at) {
                if (text[at] == '\\') count += text[++at] == '"' ? 1 : 0;
            }
            return count;
        };
        const auto marks = std::ranges::count(value, first) - (first == '"' ? escaped(value) : 0);
        return marks % 2 == 0;
    }
    if (first != '{' && first != '[') return true;
    const auto count = [&](char letter) { return std::ranges::count(value, letter); };
    return count('{') == count('}') && count('[') == count(']');
}

// What stands behind the key, to the end of its block.
std::string block_value(const Lines& lines, std::size_t at, std::size_t end) {
    std::string text(lines[at].value());
    for (std::size_t next = at + 1; next < end; ++next) text += lines[next].text;
    return text;
}

std::string refuse_left(const Lines& lines, std::size_t at, bool after_key) {
    if (lines[at].is_element() && after_key) return {};
    if (lines[at].key().empty()) return "has a line at the left that is no plain key";
    const std::size_t end = end_of_block(lines, at);
    return is_closed(block_value(lines, at, end)) ? "" : "has a value that is not closed";
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

std::string refuse_yaml(const Lines& lines) {
    bool begun = false;  // what is in the file, behind the line that some begin with
    bool after_key = false;
    for (std::size_t at = 0; at < lines.size(); ++at) {
        const YamlLine& line = lines[at];
        if (line.text.find('\r') != std::string::npos) return "has the line ends of Windows";
        if (line.text.substr(line.indent).starts_with('\t')) return "is indented by tabs";
        if (line.is_blank) continue;
        const bool is_start = !begun && line.words() == "---";
        begun = true;
        if (is_start) continue;
        if (line.indent > 0 && !after_key) return "begins with an indented line";
        std::string why = line.indent == 0 ? refuse_left(lines, at, after_key) : "";
        if (!why.empty()) return why;
        after_key = true;
    }
    return {};
}

}  // namespace reaper::agent
