#include "agent/cli/tokens.hpp"

#include <fmt/format.h>

#include "policy/text/escape.hpp"
#include "policy/text/nearest.hpp"

namespace reaper::agent {

namespace {

std::string describe_unknown_option(std::string_view name) {
    std::vector<std::string_view> names;
    for (const OptionInfo& option : option_table()) names.push_back(option.name);
    return fmt::format("unknown option '{}'{}", policy::escape(name, 60),
                       policy::did_you_mean(name, names));
}

// Takes what is joined to the option, or else the next word. Returns what is wrong.
std::string take_value(const OptionInfo& option, std::optional<std::string_view> value,
                       Arguments& rest, CommandLineTokens& tokens) {
    std::vector<std::string>& values = tokens.options[&option];
    if (option.value.empty())
        return value ? fmt::format("{} takes no value", option.name) : std::string();
    if (!value && !rest.empty()) {
        value = rest.front();
        rest = rest.subspan(1);
    }
    const std::string expected =
        fmt::format("{}: expected {}", option.name, value_of(option).expected);
    if (!value || value->empty()) return expected + ", but there is no value";
    if (*value == "--" || find_option(*value) != nullptr)
        return fmt::format("{}, not '{}'", expected, *value);
    values.emplace_back(*value);
    return {};
}

// "--output", "--output=file"; "-o", "-ofile", "-o=file", "-qv"
std::string take_option(std::string_view word, Arguments& rest, CommandLineTokens& tokens) {
    const std::size_t equals = word.find('=');
    const std::size_t end = word.starts_with("--") ? equals : 2;
    const OptionInfo* option = find_option(word.substr(0, end));
    if (option == nullptr) {
        if (tokens.unknown.empty())
            tokens.unknown = describe_unknown_option(word.substr(0, equals));
        return {};
    }
    if (end >= word.size()) return take_value(*option, std::nullopt, rest, tokens);
    if (end == equals) return take_value(*option, word.substr(end + 1), rest, tokens);
    if (!option->value.empty()) return take_value(*option, word.substr(end), rest, tokens);
    tokens.options[option];
    return take_option(fmt::format("-{}", word.substr(end)), rest, tokens);
}

}  // namespace

tl::expected<CommandLineTokens, std::string> split(Arguments arguments) {
    CommandLineTokens tokens;
    while (!arguments.empty()) {
        const std::string_view word = arguments.front();
        arguments = arguments.subspan(1);
        if (word == "--") {
            tokens.program.emplace(arguments.begin(), arguments.end());
            break;
        }
        if (word.size() < 2 || word[0] != '-' || (word[1] >= '0' && word[1] <= '9')) {
            tokens.plain.emplace_back(word);
            continue;
        }
        std::string wrong = take_option(word, arguments, tokens);
        if (!wrong.empty()) return tl::unexpected(std::move(wrong));
    }
    for (const auto& [option, values] : tokens.options) {
        if (values.size() > 1 && !value_of(*option).repeatable)
            return tl::unexpected(fmt::format("{} is given {} times; which one is meant?",
                                              option->name, values.size()));
    }
    return tokens;
}

}  // namespace reaper::agent
