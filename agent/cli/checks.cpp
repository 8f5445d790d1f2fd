#include "agent/cli/checks.hpp"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace reaper::agent {

namespace {

// Says why the command would ignore the option.
std::string describe_ignored(const OptionInfo& option, const CommandInfo& command) {
    const std::string meant = join_words(split_words(option.only), "and");
    if (option.group == kOutputGroup && command.formats.empty())
        return fmt::format("{} prints no report; {} is about reports", command.name, option.name);
    if (option.name == "--dry-run" && command.command == Command::watch)
        return fmt::format("{} is for {}, not for watch, which has --report-only", option.name,
                           meant);
    const bool acts = command.starts_program || command.command == Command::schedule ||
                      command.command == Command::hooks ||
                      is_for(*find_option("--no-history"), command.command);
    const bool is_about_looking = is_for(option, Command::report) ||
                                  is_for(option, Command::history) ||
                                  is_for(option, Command::doctor);
    if (!acts && !is_about_looking)
        return fmt::format("{} changes nothing anyway; {} is for {}", command.name, option.name,
                           meant);
    return fmt::format("{} is for {}, not for {}", option.name, meant, command.name);
}

std::string check_applicable(const CommandLineTokens& tokens, const Options& options) {
    for (const auto& [option, values] : tokens.options) {
        const bool from_sweep =
            options.command == Command::report && is_for(*option, Command::sweep);
        if (!is_for(*option, options.command) && !from_sweep)
            return describe_ignored(*option, info_of(options.command));
    }
    return {};
}

std::string check_format(const CommandLineTokens& tokens, const Options& options) {
    if (tokens.has("--json") && options.format != Format::json)
        return fmt::format("--json and --format {} contradict each other",
                           tokens.options.at(find_option("--format")).front());
    const bool checks_rules = !options.rule_file.empty();
    const auto names = split_words(checks_rules ? "text json" : info_of(options.command).formats);
    const auto every = split_words(value_of(*find_option("--format")).choices);
    const std::string_view format = every[static_cast<std::size_t>(options.format)];
    if (names.empty() || std::ranges::find(names, format) != names.end()) return {};
    const std::string_view task = options.command != Command::rules ? ""
                                  : checks_rules                    ? " check"
                                                                    : " show";
    return fmt::format("{}{}: expected {}", info_of(options.command).name, task,
                       join_words(names, "or"));
}

std::string check_exclusive(const CommandLineTokens& tokens) {
    for (const auto& [one, other] : kExclusive) {
        if (tokens.has(one) && tokens.has(other))
            return fmt::format("{} and {} contradict each other", one, other);
    }
    return {};
}

std::string check_facts(const Options& options) {
    if (options.facts == "-" || options.from_facts == "-")
        return "--facts and --from-facts: expected a file, not '-'";
    if (!options.from_facts.empty() && (options.all_users || !options.user.empty()))
        return "--from-facts: the facts say whose processes they are about; --user and --all-users "
               "do not apply";
    return {};
}

bool has_any(const CommandLineTokens& tokens, std::initializer_list<const char*> names) {
    return std::ranges::any_of(names, [&](const char* name) { return tokens.has(name); });
}

std::string check_schedule(const CommandLineTokens& tokens, const Options& options) {
    if (options.command != Command::schedule) return {};
    if (options.task != "install" && has_any(tokens, {"--every", "--report-only", "--linger"}))
        return fmt::format("schedule {}: --every, --report-only and --linger are for install",
                           options.task);
    if (options.task == "status" && has_any(tokens, {"--dry-run", "--watch", "--cron"}))
        return "schedule status: --dry-run, --watch and --cron are for install and remove";
    if (options.task != "status" && options.format != Format::text)
        return fmt::format("schedule {}: --json is for status", options.task);
    if (tokens.has("--user") && !options.for_system)
        return "schedule: --user needs --system; without it, it is about the user that runs this";
    if (options.every < std::chrono::minutes(1) || options.every > std::chrono::hours(24) ||
        options.every % std::chrono::seconds(1) != std::chrono::milliseconds(0))
        return "--every: expected whole seconds, from 1m to 24h";
    return {};
}

std::string check_hooks(const CommandLineTokens& tokens, const Options& options) {
    if (options.command != Command::hooks) return {};
    if (options.hooks_task == "status" && has_any(tokens, {"--dry-run", "--yes"}))
        return "hooks status: --dry-run and --yes are for install and remove";
    if (options.hooks_task != "status" && options.format != Format::text)
        return fmt::format("hooks {}: --json is for status", options.hooks_task);
    return {};
}

std::string check_detached(const CommandLineTokens& tokens, const Options& options) {
    constexpr std::chrono::hours kLongest{1};
    for (const char* name : {"--after", "--at-most-every"}) {
        if (!options.detach && tokens.has(name))
            return fmt::format("{} is for a sweep with --detach", name);
    }
    if (options.at_most_every && *options.at_most_every > kLongest)
        return "--at-most-every: expected 1h at most";
    const bool prints = has_any(tokens, {"--json", "--format", "--verbose", "--color"});
    if (options.detach && prints && options.output.empty())
        return "sweep --detach prints nothing; --output FILE takes the report";
    return {};
}

// One option without another, or with a value that does not go with it.
std::string check_task(const CommandLineTokens& tokens, const Options& options) {
    if (options.command == Command::rules && options.rule_file.empty()) {
        for (const char* name : {"--home", "--user", "--all-users", "--min-age", "--reap"}) {
            if (tokens.has(name))
                return "rules show is about no processes; --family and --config apply";
        }
    }
    if (options.command == Command::pid_files && options.dry_run && !options.clean)
        return "pidfiles changes nothing without --clean anyway";
    if (options.command == Command::run && options.program.empty())
        return "run: expected what to start: run -- COMMAND...";
    if (options.grace && options.grace_cap && *options.grace > *options.grace_cap)
        return "--grace is longer than --grace-cap";
    return {};
}

}  // namespace

std::string check(const CommandLineTokens& tokens, const Options& options) {
    for (std::string wrong :
         {check_applicable(tokens, options), check_format(tokens, options), check_exclusive(tokens),
          check_facts(options), check_task(tokens, options), check_schedule(tokens, options),
          check_hooks(tokens, options), check_detached(tokens, options)}) {
        if (!wrong.empty()) return wrong;
    }
    return {};
}

}  // namespace reaper::agent
