// The values of options: a word in, what it means out. Inside of the command line only.
#pragma once

#include <charconv>
#include <chrono>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "agent/cli/option_table.hpp"

namespace reaper::agent {

// A word as a message shows it.
[[nodiscard]] std::string in_quotes(std::string_view word);
// "unknown 'jsom' (did you mean 'json'?); expected text, json"
[[nodiscard]] std::string describe_unknown(std::string_view kind, std::string_view word,
                                           std::span<const std::string_view> known);

// All of the next return what is wrong with the word, or an empty text.

// Sets `place` to that of `word` among the choices of the option.
[[nodiscard]] std::string find_choice(const OptionInfo& option, std::string_view word,
                                      std::size_t& place);
// Takes "30s"; "0s" is a time.
[[nodiscard]] std::string read_time(const OptionInfo& option, std::string_view word,
                                    std::chrono::milliseconds& target);

// Takes the whole word as a decimal number from 1 up. `subject` begins the error.
template <class Number>
std::string read_number(std::string_view subject, std::string_view word, std::string_view expected,
                        Number& target) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), target);
    if (error == std::errc() && end == word.data() + word.size() && target >= 1) return {};
    return fmt::format("{}: {}: expected {}", subject, in_quotes(word), expected);
}

// Reads by the type of the field: a flag is set, a list gets one more, an enumerator has the place
// of the word among the choices. Leaves `target` undefined when the word is wrong.
template <class Field>
std::string read_value(const OptionInfo& option, std::string_view word, Field& target) {
    std::string wrong;
    if constexpr (std::is_same_v<Field, bool>) {
        target = true;
    } else if constexpr (std::is_same_v<Field, std::string>) {
        target = word;
    } else if constexpr (std::is_same_v<Field, std::vector<std::string>>) {
        target.emplace_back(word);
    } else if constexpr (std::is_same_v<Field, std::chrono::milliseconds>) {
        wrong = read_time(option, word, target);
    } else if constexpr (std::is_integral_v<Field>) {
        wrong = read_number(option.name, word, value_of(option).expected, target);
    } else if constexpr (std::is_enum_v<Field>) {
        std::size_t place = 0;
        wrong = find_choice(option, word, place);
        target = static_cast<Field>(place);
    } else {
        wrong = read_value(option, word, target.emplace());
    }
    return wrong;
}

// What a row of the table calls.
template <auto Field>
std::string set(const OptionInfo& option, std::string_view word, Options& options) {
    return read_value(option, word, options.*Field);
}

// The same for a time that cannot be zero.
template <auto Field>
std::string set_time(const OptionInfo& option, std::string_view word, Options& options) {
    std::string wrong = set<Field>(option, word, options);
    if (!wrong.empty() || options.*Field != std::chrono::milliseconds(0)) return wrong;
    return fmt::format("{} {}: a duration must be longer than nothing", option.name, word);
}

}  // namespace reaper::agent
