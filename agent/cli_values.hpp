// The values of options: a word in, what it means out. Inside of the command line only.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <tl/expected.hpp>

#include "agent/cli_words.hpp"
#include "agent/options.hpp"
#include "policy/nearest.hpp"

namespace reaper::agent {

using Done = tl::expected<void, Mistake>;

[[nodiscard]] tl::unexpected<Mistake> mistake(std::string what);
// A word as a message shows it.
[[nodiscard]] std::string quoted(std::string_view word);

// One of a few words, by its place among `names`.
template <class T, std::size_t N>
tl::expected<T, Mistake> choose(std::string_view option, std::string_view word,
                                const std::array<std::string_view, N>& names, const std::array<T, N>& values) {
    const auto found = std::find(names.begin(), names.end(), word);
    if (found != names.end()) return values[static_cast<std::size_t>(found - names.begin())];
    return mistake(fmt::format("{}: unknown {}{}; expected {}", option, quoted(word), policy::did_you_mean(word, names),
                               fmt::join(names, ", ")));
}

template <class T>
tl::expected<T, Mistake> whole_number(std::string_view subject, std::string_view text, std::string_view expected) {
    T number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (whole && number >= 1) return number;
    return mistake(fmt::format("{}{}: expected {}", subject, quoted(text), expected));
}

// Sets what the option is about. A mistake names the option, what it has and what was expected.
[[nodiscard]] Done read_option(OptionId id, const std::vector<std::string>& values, Options& options);
// --json and --format, which may be given together where they agree.
[[nodiscard]] Done read_format(const Words& words, Options& options);

}  // namespace reaper::agent
