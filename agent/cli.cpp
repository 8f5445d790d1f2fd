#include "agent/cli.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "agent/cli_checks.hpp"
#include "agent/cli_values.hpp"
#include "agent/cli_words.hpp"
#include "agent/exit_status.hpp"
#include "agent/help.hpp"
#include "policy/escape.hpp"
#include "policy/nearest.hpp"

namespace reaper::agent {

namespace {

using policy::did_you_mean;
using policy::escape;

tl::expected<Command, Mistake> find_command(std::string_view word) {
    std::vector<std::string_view> names;
    for (const CommandInfo& info : command_table()) {
        if (info.name == word) return info.command;
        names.push_back(info.name);
    }
    return mistake(fmt::format("unknown command {}{}; expected {}", quoted(word), did_you_mean(word, names),
                               fmt::join(names, ", ")));
}

Done no_more_arguments(std::string_view command, const Words& words, std::size_t taken) {
    if (words.plain.size() <= taken) return {};
    return mistake(fmt::format("{} takes no {}arguments, but there is {}", command, taken > 2 ? "more " : "",
                               quoted(words.plain[taken])));
}

Done read_pids(const Words& words, Options& options) {
    if (words.plain.size() < 2) return mistake("explain: expected at least one pid");
    for (std::size_t i = 1; i < words.plain.size(); ++i) {
        const auto pid =
            whole_number<scanner::Pid>("explain: ", words.plain[i], "a pid, a number from 1 to 2147483647");
        if (!pid) return tl::unexpected(pid.error());
        if (std::find(options.pids.begin(), options.pids.end(), *pid) == options.pids.end())
            options.pids.push_back(*pid);
    }
    return {};
}

Done read_rules_task(const Words& words, Options& options) {
    if (words.plain.size() < 2) return {};
    constexpr std::array<std::string_view, 2> kTasks = {"show", "check"};
    const auto checks = choose("rules", words.plain[1], kTasks, std::array{false, true});
    if (!checks) return tl::unexpected(checks.error());
    if (!*checks) return no_more_arguments("rules show", words, 2);
    if (words.plain.size() < 3 || words.plain[2].empty()) return mistake("rules check: expected a rule file");
    options.rule_file = words.plain[2];
    return no_more_arguments("rules check", words, 3);
}

Done read_program(const Words& words, Options& options) {
    const std::string_view command = name_of(options.command);
    if (words.plain.size() > 1)
        return mistake(fmt::format("{}: what it is to run stands behind '--': {} -- {}", command, command,
                                   escape(words.plain[1], 60)));
    if (words.program && words.program->empty()) return mistake(fmt::format("{} --: expected a command", command));
    options.program = words.program.value_or(std::vector<std::string>());
    return {};
}

Done read_arguments(const Words& words, Options& options) {
    switch (options.command) {
        case Command::explain: return read_pids(words, options);
        case Command::rules: return read_rules_task(words, options);
        case Command::preflight:
        case Command::run: return read_program(words, options);
        case Command::report:
        case Command::sweep:
        case Command::watch:
        case Command::pid_files:
        case Command::history: break;
    }
    return no_more_arguments(name_of(options.command), words, 1);
}

tl::expected<Options, Mistake> interpret(const Words& words) {
    Options options;
    if (!words.plain.empty()) {
        const auto command = find_command(words.plain.front());
        if (!command) return tl::unexpected(command.error());
        options.command = *command;
    }
    for (const auto& [id, values] : words.options) {
        const Done read = read_option(id, values, options);
        if (!read) return tl::unexpected(read.error());
    }
    for (const Done& done : {read_format(words, options), read_arguments(words, options), check(words, options)}) {
        if (!done) return tl::unexpected(done.error());
    }
    return options;
}

// "help", "help sweep", "sweep --help": the text, or nothing when nobody asked.
std::optional<Message> find_help(Words words) {
    const bool as_command = !words.plain.empty() && words.plain.front() == "help";
    if (as_command) words.plain.erase(words.plain.begin());
    if (!as_command && !words.has(OptionId::help)) return std::nullopt;
    if (words.plain.empty()) return Message{help_text(std::nullopt), 0};
    const auto command = find_command(words.plain.front());
    return command ? Message{help_text(*command), 0} : usage_error(command.error().what);
}

// What stands behind "--" is a program with its arguments, for a command that starts one; for others it is more words.
tl::expected<Words, Mistake> split_line(std::span<const char* const> arguments) {
    const auto dashes = std::ranges::find(arguments, std::string_view("--"));
    const auto own = static_cast<std::size_t>(dashes - arguments.begin());
    auto words = split(arguments.first(own));
    if (!words || dashes == arguments.end()) return words;
    const auto command = find_command(words->plain.empty() ? "report" : words->plain.front());
    if (!command || !starts_program(*command)) return split(arguments);
    words->program.emplace(dashes + 1, arguments.end());
    return words;
}

}  // namespace

std::variant<Options, Message> parse(std::span<const char* const> arguments) {
    const auto words = split_line(arguments);
    if (!words) return usage_error(words.error().what);
    if (auto help = find_help(*words)) return *std::move(help);
    if (words->has(OptionId::version)) return Message{fmt::format("orphan-reaper {}\n", REAPER_VERSION), 0};
    auto options = interpret(*words);
    if (!options) return usage_error(options.error().what);
    return *std::move(options);
}

Message usage_error(std::string_view what) {
    return {fmt::format("orphan-reaper: {}\ntry 'orphan-reaper --help'\n", what), static_cast<int>(ExitStatus::usage)};
}

}  // namespace reaper::agent
