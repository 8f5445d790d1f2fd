#include "agent/cli/cli.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "agent/cli/checks.hpp"
#include "agent/cli/help.hpp"
#include "agent/cli/values.hpp"
#include "agent/cli/version.hpp"
#include "agent/system/exit_status.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

// Nothing waits for a detached sweep, and what it was asked for is not lost because another sweep
// takes long.
constexpr std::chrono::minutes kDetachedLockWait{15};

// Of the first plain word; without one it is report.
tl::expected<Command, std::string> find_command(const CommandLineTokens& tokens) {
    const std::string_view word =
        tokens.plain.empty() ? std::string_view("report") : tokens.plain.front();
    std::vector<std::string_view> names;
    for (const CommandInfo& info : command_table()) {
        if (info.name == word) return info.command;
        names.push_back(info.name);
    }
    return tl::unexpected(describe_unknown("unknown command", word, names));
}

std::string no_more_arguments(std::string_view command, const CommandLineTokens& tokens,
                              std::size_t taken) {
    if (tokens.plain.size() <= taken) return {};
    return fmt::format("{} takes no {}arguments, but there is {}", command,
                       taken > 2 ? "more " : "", in_quotes(tokens.plain[taken]));
}

std::string read_pids(const CommandLineTokens& tokens, std::vector<scanner::Pid>& pids) {
    if (tokens.plain.size() < 2) return "explain: expected at least one pid";
    const std::string_view expected = value_of(*find_option("--parent")).expected;
    for (const std::string& word : std::span(tokens.plain).subspan(1)) {
        scanner::Pid pid = 0;
        std::string wrong = read_number("explain", word, expected, pid);
        if (!wrong.empty()) return wrong;
        if (std::ranges::find(pids, pid) == pids.end()) pids.push_back(pid);
    }
    return {};
}

std::string read_rules_task(const CommandLineTokens& tokens, std::string& rule_file) {
    constexpr std::array<std::string_view, 2> kTasks = {"show", "check"};
    const std::vector<std::string>& words = tokens.plain;
    if (words.size() < 2 || words[1] == "show") return no_more_arguments("rules show", tokens, 2);
    if (words[1] != "check") return describe_unknown("rules: unknown", words[1], kTasks);
    if (words.size() < 3 || words[2].empty()) return "rules check: expected a rule file";
    rule_file = words[2];
    return no_more_arguments("rules check", tokens, 3);
}

std::string read_program(std::string_view command, const CommandLineTokens& tokens,
                         std::vector<std::string>& program) {
    if (tokens.plain.size() > 1)
        return fmt::format("{}: what it is to run stands behind '--': {} -- {}", command, command,
                           policy::escape(tokens.plain[1], 60));
    if (tokens.program && tokens.program->empty())
        return fmt::format("{} --: expected a command", command);
    program = tokens.program.value_or(program);
    return {};
}

std::string read_schedule_task(const CommandLineTokens& tokens, std::string& task) {
    constexpr std::array<std::string_view, 3> kTasks = {"install", "remove", "status"};
    const std::vector<std::string>& words = tokens.plain;
    if (words.size() < 2) return "schedule: expected install, remove or status";
    task = words[1];
    if (std::ranges::find(kTasks, task) == kTasks.end())
        return describe_unknown("schedule: unknown", task, kTasks);
    return no_more_arguments("schedule " + task, tokens, 2);
}

std::string read_reports(const CommandLineTokens& tokens, std::vector<std::string>& reports) {
    reports.assign(tokens.plain.begin() + 1, tokens.plain.end());
    if (std::ranges::count(reports, "-") > 1) return "merge: '-' is given twice";
    return reports.empty() ? "merge: expected at least one report (a file, or '-')" : "";
}

std::string read_hooks_task(const CommandLineTokens& tokens, HooksOptions& options) {
    constexpr std::array<std::string_view, 3> kTasks = {"install", "remove", "status"};
    const std::vector<std::string>& words = tokens.plain;
    if (words.size() < 2) return "hooks: expected install, remove or status";
    options.hooks_task = words[1];
    if (std::ranges::find(kTasks, words[1]) == kTasks.end())
        return describe_unknown("hooks: unknown", words[1], kTasks);
    for (const std::string& host : std::span(words).subspan(2)) {
        if (std::ranges::find(kHookHosts, host) == kHookHosts.end())
            return describe_unknown("hooks: unknown host", host, kHookHosts);
        if (std::ranges::find(options.hook_hosts, host) == options.hook_hosts.end())
            options.hook_hosts.push_back(host);
    }
    return {};
}

std::string read_arguments(const CommandLineTokens& tokens, Options& options) {
    const std::string_view name = info_of(options.command).name;
    switch (options.command) {
        case Command::run: return read_program(name, tokens, options.program);
        case Command::preflight: return read_program(name, tokens, options.when_ready);
        case Command::explain: return read_pids(tokens, options.pids);
        case Command::rules: return read_rules_task(tokens, options.rule_file);
        case Command::merge: return read_reports(tokens, options.reports);
        case Command::schedule: return read_schedule_task(tokens, options.task);
        case Command::hooks: return read_hooks_task(tokens, options);
        default: return no_more_arguments(name, tokens, 1);
    }
}

std::string read_all(const CommandLineTokens& tokens, Options& options) {
    for (const auto& [option, values] : tokens.options) {
        std::string wrong = values.empty() ? option->read(*option, "", options) : "";
        for (const std::string& value : values) {
            if (wrong.empty()) wrong = option->read(*option, value, options);
        }
        if (!wrong.empty()) return wrong;
    }
    std::string wrong = read_arguments(tokens, options);
    return wrong.empty() ? check(tokens, options) : wrong;
}

// "help", "help sweep", "sweep --help": the text, or nothing when it was not asked for.
std::optional<Message> find_help(CommandLineTokens tokens) {
    const bool as_command = !tokens.plain.empty() && tokens.plain.front() == "help";
    if (as_command) tokens.plain.erase(tokens.plain.begin());
    if (!as_command && !tokens.has("--help")) return std::nullopt;
    if (tokens.plain.empty()) return Message{help_text(std::nullopt), 0};
    const auto command = find_command(tokens);
    return command ? Message{help_text(*command), 0} : usage_error(command.error());
}

// What stands behind "--" is a program with its arguments, for a command that starts one; for
// others it is more words.
void place_what_follows(CommandLineTokens& tokens) {
    const auto command = find_command(tokens);
    if (!tokens.program || (command && info_of(*command).starts_program)) return;
    std::ranges::move(*tokens.program, std::back_inserter(tokens.plain));
    tokens.program.reset();
}

}  // namespace

std::variant<Options, Message> parse(std::span<const char* const> arguments) {
    auto tokens = split(arguments);
    if (!tokens) return usage_error(tokens.error());
    place_what_follows(*tokens);
    // Help is of more use than "unknown option" where both were asked for.
    if (!tokens->unknown.empty() && !tokens->has("--help")) return usage_error(tokens->unknown);
    if (auto help = find_help(*tokens)) return *std::move(help);
    if (tokens->has("--version")) return Message{version_text(), 0};
    const auto command = find_command(*tokens);
    if (!command) return usage_error(command.error());
    Options options;
    options.command = *command;
    options.lists_others = *command == Command::report || *command == Command::explain;
    const std::string wrong = read_all(*tokens, options);
    if (!wrong.empty()) return usage_error(wrong);
    if (options.detach && !tokens->has("--lock-wait")) options.lock_wait = kDetachedLockWait;
    return options;
}

Message usage_error(std::string_view what) {
    return {fmt::format("orphan-reaper: {}\ntry 'orphan-reaper --help'\n", what),
            static_cast<int>(ExitStatus::usage)};
}

}  // namespace reaper::agent
