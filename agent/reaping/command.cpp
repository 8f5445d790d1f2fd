#include "agent/reaping/command.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

bool is_plain(char letter) {
    constexpr std::string_view kPlain = "/._+-@=:,%";
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z') || kPlain.find(letter) != std::string_view::npos;
}

}  // namespace

std::string typed(const std::vector<std::string>& argv) {
    std::string text;
    for (const std::string& word : argv) {
        const bool plain = !word.empty() && std::ranges::all_of(word, is_plain);
        text += fmt::format("{}{}", text.empty() ? "" : " ",
                            plain ? word : fmt::format("'{}'", policy::escape(word)));
    }
    return text;
}

std::string complaint(const CommandAnswer& answer) {
    const std::string& text = answer.err.empty() ? answer.out : answer.err;
    const std::string line = text.substr(0, text.find('\n'));
    return line.empty() ? fmt::format("exit status {}", answer.status) : policy::escape(line);
}

}  // namespace reaper::agent
