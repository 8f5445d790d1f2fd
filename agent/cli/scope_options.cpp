#include "agent/cli/cli.hpp"

#include <fmt/format.h>

#include "policy/text/duration.hpp"

namespace reaper::agent {

std::string shell_word(std::string_view word) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+@%";
    if (word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

std::string scope_words(const ScopeOptions& options) {
    std::string words;
    const auto add = [&](std::string_view name, std::string_view value) {
        if (!value.empty()) words += fmt::format(" {} {}", name, shell_word(value));
    };
    add("--config", options.config);
    add("--from-facts", options.from_facts);
    for (const std::string& home : options.homes) add("--home", home);
    add("--under", options.under);
    for (const std::string& family : options.families) add("--family", family);
    for (const std::string& pack : options.packs) add("--with", pack);
    add("--user", options.user);
    if (options.all_users) words += " --all-users";
    if (options.min_age) add("--min-age", policy::duration_text(*options.min_age));
    std::vector<std::string_view> reaped;
    reaped.reserve(options.also_reap.size() + 1);
    for (const policy::Verdict verdict : options.also_reap) reaped.push_back(to_string(verdict));
    if (options.reap_inside_services) reaped.emplace_back("in-service");
    add("--reap", fmt::format("{}", fmt::join(reaped, ",")));
    return words.empty() ? words : words.substr(1);
}

}  // namespace reaper::agent
