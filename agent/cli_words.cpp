#include "agent/cli_words.hpp"
#include "policy/escape.hpp"
#include "policy/nearest.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace reaper::agent {

namespace {

using policy::did_you_mean;
using policy::escape;
using Arguments = std::span<const char* const>;

tl::unexpected<Mistake> mistake(std::string what) {
    return tl::unexpected(Mistake{std::move(what)});
}

const OptionInfo* find_option(std::string_view word) {
    const auto table = option_table();
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const OptionInfo& info) { return word == info.name || word == info.letter; });
    return found == table.end() || word.empty() ? nullptr : &*found;
}

Mistake unknown_option(std::string_view word) {
    const std::string_view name = word.substr(0, word.find('='));
    std::vector<std::string_view> names;
    for (const OptionInfo& info : option_table()) names.push_back(info.name);
    return Mistake{fmt::format("unknown option '{}'{}", escape(name, 60), did_you_mean(name, names))};
}

Mistake missing_value(const OptionInfo& info) {
    return Mistake{fmt::format("{}: expected {}, but there is no value", info.name, info.expected)};
}

// What the library would misread or report in its own words: it takes the next word as the value of "--home=".
std::optional<Mistake> find_misleading(Arguments arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view word = arguments[i];
        if (word == "--") break;
        const std::size_t equals = word.find('=');
        const OptionInfo* info = find_option(word.substr(0, equals));
        if (info == nullptr) continue;
        const bool joined = equals != std::string_view::npos;
        if (info->value.empty() && joined) return Mistake{fmt::format("{} takes no value", info->name)};
        if (info->value.empty()) continue;
        if (joined ? equals + 1 == word.size() : i + 1 == arguments.size()) return missing_value(*info);
        if (!joined) ++i;
    }
    return std::nullopt;
}

std::map<OptionId, CLI::Option*> declare(CLI::App& app) {
    std::map<OptionId, CLI::Option*> declared;
    for (const OptionInfo& info : option_table()) {
        const std::string names =
            info.letter.empty() ? std::string(info.name) : fmt::format("{},{}", info.letter, info.name);
        if (info.value.empty()) {
            declared[info.id] = app.add_flag(names)->disable_flag_override();
        } else {
            declared[info.id] = app.add_option(names)->expected(1)->allow_extra_args(false)->take_all();
        }
    }
    return declared;
}

tl::expected<Words, Mistake> collect(const std::map<OptionId, CLI::Option*>& declared) {
    Words words;
    for (const OptionInfo& info : option_table()) {
        const CLI::Option& option = *declared.at(info.id);
        if (option.count() == 0) continue;
        std::vector<std::string> values = info.value.empty() ? std::vector<std::string>() : option.results();
        for (const std::string& value : values) {
            if (value.empty()) return tl::unexpected(missing_value(info));
            if (find_option(value) == nullptr && value != "--") continue;
            return mistake(fmt::format("{}: expected {}, not '{}'", info.name, info.expected, value));
        }
        if (values.size() > 1 && !info.repeatable) {
            return mistake(fmt::format("{} is given {} times; which one is meant?", info.name, values.size()));
        }
        words.options[info.id] = std::move(values);
    }
    return words;
}

}  // namespace

tl::expected<Words, Mistake> split(Arguments arguments) {
    if (const auto misleading = find_misleading(arguments)) return tl::unexpected(*misleading);
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    const auto declared = declare(app);
    std::vector<std::string> plain;
    app.add_option("words", plain)->expected(-1);
    try {  // the library reports by exception; it goes no further than here
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::ParseError& error) {
        return mistake(error.what());
    }
    auto words = collect(declared);
    if (!words) return words;
    words->plain = std::move(plain);
    // Help is more use than "unknown option" to somebody who asked for both.
    if (words->has(OptionId::help)) return words;
    for (const std::string& word : app.remaining()) {
        if (word != "--") return tl::unexpected(unknown_option(word));
    }
    return words;
}

}  // namespace reaper::agent
