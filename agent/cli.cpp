#include "agent/cli.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "agent/cli_words.hpp"
#include "agent/exit_status.hpp"
#include "agent/help.hpp"
#include "policy/duration.hpp"
#include "policy/escape.hpp"
#include "policy/nearest.hpp"

namespace reaper::agent {

namespace {

using policy::did_you_mean;
using policy::escape;
using policy::parse_duration;
using Done = tl::expected<void, Mistake>;

tl::unexpected<Mistake> mistake(std::string what) {
    return tl::unexpected(Mistake{std::move(what)});
}

std::string quoted(std::string_view word) {
    return fmt::format("'{}'", escape(word, 60));
}

// One of a few words, by its place among `names`.
template <class T, std::size_t N>
tl::expected<T, Mistake> choose(std::string_view option, std::string_view word,
                                const std::array<std::string_view, N>& names, const std::array<T, N>& values) {
    const auto found = std::find(names.begin(), names.end(), word);
    if (found != names.end()) return values[static_cast<std::size_t>(found - names.begin())];
    return mistake(fmt::format("{}: unknown {}{}; expected {}", option, quoted(word), did_you_mean(word, names),
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

enum class Zero { allowed, refused };

Done read_duration(std::string_view option, std::string_view text, std::optional<std::chrono::milliseconds>& target,
                   Zero zero = Zero::refused) {
    const auto duration = parse_duration(text);
    if (!duration) return mistake(fmt::format("{} {}", option, duration.error()));
    if (duration->count() == 0 && zero == Zero::refused)
        return mistake(fmt::format("{} {}: a duration must be longer than nothing", option, text));
    target = *duration;
    return {};
}

Done add_reaped(std::string_view word, Options& options) {
    constexpr std::array<std::string_view, 4> kNames = {"abandoned", "duplicate", "held", "in-service"};
    if (word == "in-service") {
        options.reap_inside_services = true;
        return {};
    }
    if (word == "orphan" || word == "superseded") {
        return mistake(fmt::format("--reap: '{}' is always ended; expected {}", word, fmt::join(kNames, ", ")));
    }
    constexpr std::array kVerdicts = {policy::Verdict::abandoned, policy::Verdict::duplicate, policy::Verdict::held,
                                      policy::Verdict::held};
    const auto verdict = choose("--reap", word, kNames, kVerdicts);
    if (!verdict) return tl::unexpected(verdict.error());
    options.also_reap.insert(*verdict);
    return {};
}

Done read_reap(const std::vector<std::string>& lists, Options& options) {
    for (std::string_view rest : lists) {
        while (true) {
            const std::size_t comma = rest.find(',');
            const Done added = add_reaped(rest.substr(0, comma), options);
            if (!added) return added;
            if (comma == std::string_view::npos) break;
            rest.remove_prefix(comma + 1);
        }
    }
    return {};
}

Done read_format(const Words& words, Options& options) {
    if (words.has(OptionId::json)) options.format = Format::json;
    const auto given = words.options.find(OptionId::format);
    if (given == words.options.end()) return {};
    constexpr std::array<std::string_view, 5> kNames = {"text", "json", "jsonl", "prometheus", "html"};
    constexpr std::array kFormats = {Format::text, Format::json, Format::jsonl, Format::prometheus, Format::html};
    const auto format = choose("--format", given->second.front(), kNames, kFormats);
    if (!format) return tl::unexpected(format.error());
    if (words.has(OptionId::json) && *format != Format::json) {
        return mistake(fmt::format("--json and --format {} contradict each other", given->second.front()));
    }
    options.format = *format;
    return {};
}

Done read_color(std::string_view word, Options& options) {
    constexpr std::array<std::string_view, 3> kNames = {"auto", "always", "never"};
    constexpr std::array kColors = {Color::automatic, Color::always, Color::never};
    const auto color = choose("--color", word, kNames, kColors);
    if (!color) return tl::unexpected(color.error());
    options.color = *color;
    return {};
}

Done read_events(std::string_view word, Options& options) {
    constexpr std::array<std::string_view, 4> kNames = {"auto", "pidfd", "connector", "scan"};
    constexpr std::array kEvents = {Events::automatic, Events::pidfd, Events::connector, Events::scan};
    const auto events = choose("--events", word, kNames, kEvents);
    if (!events) return tl::unexpected(events.error());
    options.events = *events;
    return {};
}

Done read_max_kills(std::string_view word, Options& options) {
    const auto number = whole_number<std::size_t>("--max-kills: ", word, "a number from 1 up");
    if (!number) return tl::unexpected(number.error());
    options.max_kills = *number;
    return {};
}

// Of an option that has a default.
Done read_time(std::string_view option, std::string_view word, std::chrono::milliseconds& target, Zero zero) {
    std::optional<std::chrono::milliseconds> time;
    const Done read = read_duration(option, word, time, zero);
    if (time) target = *time;
    return read;
}

Done read_since(std::string_view word, Options& options) {
    std::optional<std::chrono::milliseconds> since;
    const Done read = read_duration("--since", word, since);
    if (since) options.since = *since;
    return read;
}

Done read_parent(std::string_view word, Options& options) {
    const auto pid = whole_number<scanner::Pid>("--parent: ", word, "a pid, a number from 1 to 2147483647");
    if (!pid) return tl::unexpected(pid.error());
    options.parent = *pid;
    return {};
}

Done read_option(OptionId id, const std::vector<std::string>& values, Options& options) {
    switch (id) {
        case OptionId::home: options.homes = values; return {};
        case OptionId::family: options.families = values; return {};
        case OptionId::user: options.user = values.front(); return {};
        case OptionId::all_users: options.all_users = true; return {};
        case OptionId::min_age: return read_duration("--min-age", values.front(), options.min_age, Zero::allowed);
        case OptionId::config: options.config = values.front(); return {};
        case OptionId::facts: options.facts = values.front(); return {};
        case OptionId::from_facts: options.from_facts = values.front(); return {};
        case OptionId::clean: options.clean = true; return {};
        case OptionId::dry_run: options.dry_run = true; return {};
        case OptionId::reap: return read_reap(values, options);
        case OptionId::since: return read_since(values.front(), options);
        case OptionId::max_kills: return read_max_kills(values.front(), options);
        case OptionId::settle: return read_time("--settle", values.front(), options.settle, Zero::refused);
        case OptionId::lock_wait: return read_time("--lock-wait", values.front(), options.lock_wait, Zero::allowed);
        case OptionId::timeout: return read_time("--timeout", values.front(), options.timeout, Zero::refused);
        case OptionId::parent: return read_parent(values.front(), options);
        case OptionId::idle: return read_duration("--idle", values.front(), options.idle);
        case OptionId::interval: return read_time("--interval", values.front(), options.interval, Zero::refused);
        case OptionId::events: return read_events(values.front(), options);
        case OptionId::census: options.census = values.front(); return {};
        case OptionId::report_only: options.report_only = true; return {};
        case OptionId::grace: return read_duration("--grace", values.front(), options.grace);
        case OptionId::grace_cap: return read_duration("--grace-cap", values.front(), options.grace_cap);
        case OptionId::no_history: options.no_history = true; return {};
        case OptionId::output: options.output = values.front() == "-" ? std::string() : values.front(); return {};
        case OptionId::quiet: options.quiet = true; return {};
        case OptionId::verbose: options.verbose = true; return {};
        case OptionId::color: return read_color(values.front(), options);
        case OptionId::json:
        case OptionId::format:
        case OptionId::help:
        case OptionId::version: return {};
    }
    return {};
}

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
    for (const Done& done :
         {read_format(words, options), read_arguments(words, options), check_facts(options),
          check_rules(words, options), check_applicable(words, options), check_files_and_obstacles(options),
          check_history(options), check_run(words, options), check_watch(words, options), check_together(options)}) {
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

// For a POSIX shell, when it is not plain already.
std::string shell_word(std::string_view word) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+@%";
    if (word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
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
