#include "agent/cli.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace reaper::agent {

namespace {

// For a POSIX shell, when it is not plain already.
std::string shell_word(std::string_view word) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+@%";
    if (word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

}  // namespace

std::string scope_words(const Options& options) {
    std::vector<std::string> words;
    if (!options.config.empty()) words.push_back("--config " + shell_word(options.config));
    if (!options.from_facts.empty()) words.push_back("--from-facts " + shell_word(options.from_facts));
    for (const std::string& home : options.homes) words.push_back("--home " + shell_word(home));
    for (const std::string& family : options.families) words.push_back("--family " + shell_word(family));
    if (!options.user.empty()) words.push_back("--user " + shell_word(options.user));
    if (options.all_users) words.emplace_back("--all-users");
    if (options.min_age) words.push_back(fmt::format("--min-age {}ms", options.min_age->count()));
    std::vector<std::string_view> reaped;
    if (options.also_reap.count(policy::Verdict::abandoned) != 0) reaped.emplace_back("abandoned");
    if (options.also_reap.count(policy::Verdict::duplicate) != 0) reaped.emplace_back("duplicate");
    if (options.also_reap.count(policy::Verdict::held) != 0) reaped.emplace_back("held");
    if (options.reap_inside_services) reaped.emplace_back("in-service");
    if (!reaped.empty()) words.push_back(fmt::format("--reap {}", fmt::join(reaped, ",")));
    return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace reaper::agent
