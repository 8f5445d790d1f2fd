#include "agent/hooks/asking.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace reaper::agent {

namespace {

struct Word {
    std::string_view text;
    std::size_t line = 1;
};

// A dash alone is the mark of a list.
std::vector<Word> words_of(std::string_view text) {
    constexpr std::string_view kBetween = " \t\r\n\"'\\,[]{}";
    std::vector<Word> words;
    std::size_t line = 1;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
        const std::string_view word = text.substr(at, end - at);
        if (!word.empty() && word != "-") words.push_back({word, line});
        if (end < text.size() && text[end] == '\n') ++line;
        at = end + 1;
    }
    return words;
}

// Whether these words, which follow on 'sweep', are those of a hook. `name`: the host that it has
// to be from; empty: any, or none.
bool are_asking(std::span<const Word> words, std::string_view name) {
    const std::string joined = fmt::format("--from={}", name);
    bool is_detached = false;
    bool is_from = name.empty();
    for (std::size_t at = 0; at < words.size() && words[at].text != "sweep"; ++at) {
        is_detached = is_detached || words[at].text == "--detach";
        is_from = is_from || words[at].text == joined ||
                  (words[at].text == name && at > 0 && words[at - 1].text == "--from");
    }
    return is_detached && is_from;
}

std::optional<std::size_t> find_line(std::string_view text, std::string_view name) {
    constexpr std::size_t kFurthest = 24;  // more words than a sweep has options
    const std::vector<Word> words = words_of(text);
    for (std::size_t at = 0; at < words.size(); ++at) {
        const std::span<const Word> rest = std::span(words).subspan(at + 1);
        if (words[at].text == "sweep" &&
            are_asking(rest.first(std::min(rest.size(), kFurthest)), name))
            return words[at].line;
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::size_t> line_that_asks(std::string_view text, const HookHost& host) {
    return find_line(text, host.name);
}

std::optional<std::size_t> line_that_detaches(std::string_view text) {
    return find_line(text, "");
}

}  // namespace reaper::agent
