#include "agent/cli_checks.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace reaper::agent {

namespace {

Done check_facts(const Options& options) {
    const bool replay = !options.from_facts.empty();
    if (replay && options.command == Command::rules) return mistake("--from-facts is for report and explain");
    if (replay && options.command == Command::sweep)
        return mistake("sweep ends what is leaked here and now; --from-facts is for report and explain");
    if (!options.facts.empty() && options.command != Command::report) return mistake("--facts is for report");
    if (!options.facts.empty() && replay) return mistake("--facts and --from-facts contradict each other");
    if (options.facts == "-" || options.from_facts == "-")
        return mistake("--facts and --from-facts: expected a file, not '-'");
    if (replay && (options.all_users || !options.user.empty()))
        return mistake(
            "--from-facts: the facts say whose processes they are about; --user and --all-users do not apply");
    return {};
}

// What it cannot print, or would pay no heed to.
Done check_rules(const Words& words, const Options& options) {
    if (options.command != Command::rules) return {};
    const bool shows = options.rule_file.empty();
    const bool printable =
        options.format == Format::text || options.format == Format::json || (shows && options.format == Format::jsonl);
    if (!printable && shows) return mistake("rules show: expected text, json or jsonl");
    if (!printable) return mistake("rules check: expected text or json");
    for (const OptionId id : {OptionId::home, OptionId::user, OptionId::all_users, OptionId::min_age, OptionId::reap}) {
        if (shows && words.has(id)) return mistake("rules show is about no processes; --family and --config apply");
    }
    return {};
}

// "sweep", "sweep, preflight and pidfiles"
std::string commands_of(const OptionInfo& option) {
    std::vector<std::string_view> names;
    for (const CommandInfo& info : command_table()) {
        if (is_for(option, info.command)) names.push_back(info.name);
    }
    const std::string last(names.back());
    names.pop_back();
    return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

bool changes_something(Command command) {
    const auto options = option_table();
    const auto recording = std::ranges::find(options, OptionId::no_history, &OptionInfo::id);
    return is_for(*recording, command);
}

// What the command would pay no heed to.
Done check_applicable(const Words& words, const Options& options) {
    const std::string_view command = name_of(options.command);
    const bool acts = changes_something(options.command) || starts_program(options.command);
    for (const OptionInfo& info : option_table()) {
        if (is_for(info, options.command) || !words.has(info.id)) continue;
        const std::string meant = commands_of(info);
        const bool about_acting = !is_for(info, Command::report) && !is_for(info, Command::history);
        if (about_acting && !acts)
            return mistake(fmt::format("{} changes nothing anyway; {} is for {}", command, info.name, meant));
        return mistake(fmt::format("{} is for {}, not for {}", info.name, meant, command));
    }
    return {};
}

// Commands whose reports are no tables of processes.
Done check_files_and_obstacles(const Options& options) {
    if (options.command != Command::pid_files && options.command != Command::preflight) return {};
    if (options.command == Command::pid_files && options.dry_run && !options.clean)
        return mistake("pidfiles changes nothing without --clean anyway");
    const bool printable =
        options.format == Format::text || options.format == Format::json || options.format == Format::jsonl;
    return printable ? Done{} : mistake(fmt::format("{}: expected text, json or jsonl", name_of(options.command)));
}

Done check_history(const Options& options) {
    if (options.command != Command::history) return {};
    const bool printable = options.format == Format::text || options.format == Format::json;
    return printable ? Done{} : mistake("history: expected text or json");
}

// It reports nothing, and stdout is the helper's.
Done check_run(const Words& words, const Options& options) {
    if (options.command != Command::run) return {};
    if (options.program.empty()) return mistake("run: expected what to start: run -- COMMAND...");
    for (const OptionInfo& info : option_table()) {
        const bool about_reports = is_for(info, Command::run) && info.group == "Output" && info.id != OptionId::verbose;
        if (about_reports && words.has(info.id))
            return mistake(fmt::format("run prints no report; {} is about reports", info.name));
    }
    return {};
}

// It goes on for ever: what it tells is no report.
Done check_watch(const Words& words, const Options& options) {
    if (options.command != Command::watch) return {};
    for (const OptionId id : {OptionId::json, OptionId::format, OptionId::output, OptionId::color}) {
        if (words.has(id)) return mistake("watch prints no report; what it did is told on stderr, and by history");
    }
    return {};
}

// What is right by itself, but not together.
Done check_together(const Options& options) {
    if (options.all_users && !options.user.empty()) return mistake("--user and --all-users contradict each other");
    if (options.quiet && options.verbose) return mistake("--quiet and --verbose contradict each other");
    if (options.command == Command::explain && options.format == Format::prometheus) {
        return mistake("explain: prometheus metrics are about all processes; expected text, json, jsonl or html");
    }
    if (options.grace && options.grace_cap && *options.grace > *options.grace_cap) {
        return mistake("--grace is longer than --grace-cap");
    }
    return {};
}

}  // namespace

Done check(const Words& words, const Options& options) {
    for (const Done& done : {check_facts(options), check_rules(words, options), check_applicable(words, options),
                             check_files_and_obstacles(options), check_history(options), check_run(words, options),
                             check_watch(words, options), check_together(options)}) {
        if (!done) return done;
    }
    return {};
}

}  // namespace reaper::agent
