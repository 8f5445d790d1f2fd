#include "agent/schedule/crontab.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "agent/schedule/parts.hpp"

namespace reaper::agent {

namespace {

constexpr std::string_view kBegin = "# orphan-reaper begin\n";
constexpr std::string_view kEnd = "# orphan-reaper end\n";

struct Block {
    std::size_t begin = 0;
    std::size_t end = 0;
};

// Where the line `what`, with its newline, begins.
std::size_t find_line(std::string_view text, std::string_view what, std::size_t from) {
    for (std::size_t at = text.find(what, from); at != std::string_view::npos;
         at = text.find(what, at + 1)) {
        if (at == 0 || text[at - 1] == '\n') return at;
    }
    return std::string_view::npos;
}

// With both markers. More than one line between them is not what was written: then other lines have
// come in, and the pair is none.
std::optional<Block> find_block(std::string_view crontab) {
    const std::size_t begin = find_line(crontab, kBegin, 0);
    if (begin == std::string_view::npos) return std::nullopt;
    const std::size_t end = find_line(crontab, kEnd, begin);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view inside =
        crontab.substr(begin + kBegin.size(), end - begin - kBegin.size());
    if (std::ranges::count(inside, '\n') != 1) return std::nullopt;
    return Block{begin, end + kEnd.size()};
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        lines.push_back(text.substr(0, text.find('\n')));
        text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
    }
    return lines;
}

std::vector<std::string_view> words_of(std::string_view line) {
    constexpr std::string_view kBlanks = " \t";
    std::vector<std::string_view> words;
    for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;
         at = line.find_first_not_of(kBlanks, at)) {
        const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
        words.push_back(line.substr(at, end - at));
        at = end;
    }
    return words;
}

// "@daily" is one word, and other times are five.
std::size_t words_of_time(const std::vector<std::string_view>& words) {
    return !words.empty() && words.front().starts_with('@') ? 1 : 5;
}

bool is_comment(const std::vector<std::string_view>& words) {
    return words.empty() || words.front().starts_with('#');
}

// A line of that user as install writes it: PROGRAM sweep --quiet, or report.
bool is_line_of(std::string_view line, std::string_view user) {
    const auto words = words_of(line);
    const std::size_t at = words_of_time(words);
    return !is_comment(words) && words.size() == at + 4 && words[at] == user &&
           (words[at + 2] == "sweep" || words[at + 2] == "report") && words[at + 3] == "--quiet";
}

}  // namespace

std::optional<std::string> find_cron_line(std::string_view crontab) {
    const auto block = find_block(crontab);
    if (!block) return std::nullopt;
    const std::string_view rest = crontab.substr(block->begin + kBegin.size());
    return std::string(rest.substr(0, rest.find('\n')));
}

std::string command_of_cron_line(std::string_view line, bool has_user) {
    const auto words = words_of(line);
    const std::size_t first = words_of_time(words) + (has_user ? 1 : 0);
    if (is_comment(words) || words.size() <= first) return {};
    return std::string(line.substr(static_cast<std::size_t>(words[first].data() - line.data())));
}

bool has_stray_markers(std::string_view crontab) {
    const std::string rest = without_cron_line(crontab);
    return find_line(rest, kBegin, 0) != std::string::npos ||
           find_line(rest, kEnd, 0) != std::string::npos;
}

std::string with_cron_line(std::string_view crontab, std::string_view line) {
    const std::string block = fmt::format("{}{}\n{}", kBegin, line, kEnd);
    const auto old = find_block(crontab);
    if (!old) {
        const bool is_torn = !crontab.empty() && !crontab.ends_with('\n');
        return fmt::format("{}{}{}", crontab, is_torn ? "\n" : "", block);
    }
    return fmt::format("{}{}{}", crontab.substr(0, old->begin), block, crontab.substr(old->end));
}

std::string without_cron_line(std::string_view crontab) {
    const auto old = find_block(crontab);
    if (!old) return std::string(crontab);
    return fmt::format("{}{}", crontab.substr(0, old->begin), crontab.substr(old->end));
}

std::optional<std::string> find_system_line(std::string_view file, std::string_view user) {
    for (const std::string_view line : lines_of(file)) {
        if (is_line_of(line, user)) return std::string(line);
    }
    return std::nullopt;
}

std::string with_system_line(std::string_view file, std::string_view user, std::string_view line) {
    const std::string others = without_system_line(file, user);
    const std::string first = others.empty() ? fmt::format("{}\n", kWrittenByInstall) : others;
    return fmt::format("{}{}\n", first, line);
}

std::string without_system_line(std::string_view file, std::string_view user) {
    std::string kept;
    for (const std::string_view line : lines_of(file)) {
        if (!is_line_of(line, user)) kept += fmt::format("{}\n", line);
    }
    return kept == fmt::format("{}\n", kWrittenByInstall) ? "" : kept;
}

}  // namespace reaper::agent
