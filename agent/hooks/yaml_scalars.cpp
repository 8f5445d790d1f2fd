#include "agent/hooks/yaml_scalars.hpp"

#include <algorithm>
#include <array>

#include "scanner/json/bytes.hpp"

namespace reaper::agent {

namespace {

constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/+";
constexpr std::size_t kDeepest = 20;

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \n");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \n") + 1 - begin);
}

// How long the escape is whose backslash is at `at`; 0: it is none.
std::size_t escape_size(std::string_view text, std::size_t at) {
    constexpr std::string_view kHex = "0123456789abcdefABCDEF";
    constexpr std::string_view kOne = "0abtnvfre \"/\\N_LP\n";
    if (at + 1 >= text.size()) return 0;
    const char kind = text[at + 1];
    if (kOne.find(kind) != std::string_view::npos) return 2;
    const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    const std::string_view number = text.substr(at + 2, digits);
    const bool is_hex = number.find_first_not_of(kHex) == std::string_view::npos;
    return digits > 0 && number.size() == digits && is_hex ? digits + 2 : 0;
}

std::size_t skip(std::string_view text, std::size_t at) {
    return std::min(text.find_first_not_of(' ', at), text.size());
}

std::size_t end_of_flow(std::string_view text, std::size_t at, std::size_t depth);

// Behind one value of a list or object, or its key; npos: it is not safe.
std::size_t end_of_flow_value(std::string_view text, std::size_t at, std::size_t depth) {
    if (at >= text.size()) return std::string_view::npos;
    if (text[at] == '[' || text[at] == '{') return end_of_flow(text, at, depth + 1);
    if (text[at] == '"' || text[at] == '\'') {
        bool wrong = false;
        const std::size_t end = end_of_quoted(text, at + 1, text[at], wrong);
        return wrong ? std::string_view::npos : end;
    }
    const std::size_t end = std::min(text.find_first_not_of(kLetters, at), text.size());
    const bool is_mark = text.substr(at, end - at) == "-" || text.substr(at).starts_with("---");
    return end == at || is_mark ? std::string_view::npos : end;
}

std::size_t end_of_flow(std::string_view text, std::size_t at, std::size_t depth) {
    const bool is_object = text[at] == '{';
    const char closing = is_object ? '}' : ']';
    if (depth > kDeepest) return std::string_view::npos;
    at = skip(text, at + 1);
    if (at < text.size() && text[at] == closing) return at + 1;
    while (true) {
        at = end_of_flow_value(text, at, depth);
        if (at == std::string_view::npos) return at;
        if (is_object) {
            if (!text.substr(at).starts_with(": ")) return std::string_view::npos;
            at = end_of_flow_value(text, skip(text, at + 1), depth);
            if (at == std::string_view::npos) return at;
        }
        at = skip(text, at);
        if (at < text.size() && text[at] == closing) return at + 1;
        if (at >= text.size() || text[at] != ',') return std::string_view::npos;
        at = skip(text, at + 1);
    }
}

// Keys in quotes that a line of plain ones is looked for by are refused.
std::size_t quoted_key_size(std::string_view text) {
    const std::size_t end = text.find(text.front(), 1);
    if (end == std::string_view::npos || end < 2) return 0;
    const std::string_view name = text.substr(1, end - 1);
    const bool is_simple = name.find_first_of("\\\"'\n") == std::string_view::npos;
    const bool is_looked_for = name == "hooks" || name.starts_with("on_");
    return is_simple && !is_looked_for ? end + 1 : 0;
}

}  // namespace

std::string refuse_letters(std::string_view text) {
    constexpr std::array<std::string_view, 5> kOthers = {
        "\xe2\x80\xa8", "\xe2\x80\xa9", "\xef\xbb\xbf", "\xef\xbf\xbe", "\xef\xbf\xbf"};
    if (text.find('\r') != std::string_view::npos) return "has the line ends of Windows";
    if (!scanner::json::is_utf8(text)) return "is no UTF-8";
    const auto is_control = [](char letter) {
        const auto code = static_cast<unsigned char>(letter);
        return (code < 0x20 && letter != '\n' && letter != '\t') || code == 0x7f;
    };
    bool is_wrong = std::ranges::any_of(text, is_control);
    for (const std::string_view other : kOthers)
        is_wrong = is_wrong || text.find(other) != std::string_view::npos;
    for (std::size_t at = text.find('\xc2'); at < text.size(); at = text.find('\xc2', at + 1))
        is_wrong = is_wrong || static_cast<unsigned char>(text[at + 1]) < 0xa0;
    return is_wrong ? "has letters that cannot be seen" : "";
}

std::string_view without_comment(std::string_view text) {
    if (text.starts_with('#')) return {};
    return trimmed(text.substr(0, text.find(" #")));
}

bool is_plain_scalar(std::string_view text, bool begins) {
    constexpr std::string_view kMarks = "&*!%@`|>\"'#{}[],?:";
    if (text.empty() || (begins && kMarks.find(text.front()) != std::string_view::npos))
        return false;
    if (begins && (text == "-" || text.starts_with("- "))) return false;
    // These are marks of their own.
    if (text == "=" || text == "<<") return false;
    return text.find(": ") == std::string_view::npos && !text.ends_with(':') &&
           text.find('\t') == std::string_view::npos;
}

std::size_t end_of_quoted(std::string_view text, std::size_t at, char quote, bool& wrong) {
    while (at < text.size()) {
        if (text[at] == '\t') wrong = true;
        if (text[at] == '\\' && quote == '"') {
            const std::size_t size = escape_size(text, at);
            wrong = wrong || size == 0;
            at += std::max<std::size_t>(size, 1);
        } else if (text[at] != quote) {
            ++at;
        } else if (quote == '\'' && text.substr(at + 1).starts_with(quote)) {
            at += 2;
        } else {
            return at + 1;
        }
    }
    return std::string_view::npos;
}

bool is_flow(std::string_view text) {
    return end_of_flow(text, 0, 0) == text.size();
}

std::size_t key_size(std::string_view text) {
    if (text.empty()) return 0;
    const bool is_quoted = text.front() == '"' || text.front() == '\'';
    const std::size_t size =
        is_quoted ? quoted_key_size(text) : std::min(text.find_first_not_of(kLetters), text.size());
    const std::string_view rest = text.substr(size);
    const bool is_key = size > 0 && rest.starts_with(':') &&
                        (rest.size() == 1 || rest[1] == ' ' || rest[1] == '\n') &&
                        text.front() != '-' && text.front() != '.';
    return is_key ? size : 0;
}

}  // namespace reaper::agent
