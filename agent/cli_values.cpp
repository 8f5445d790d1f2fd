#include "agent/cli_values.hpp"

#include <chrono>
#include <optional>

#include "policy/duration.hpp"
#include "policy/escape.hpp"

namespace reaper::agent {

using policy::parse_duration;

namespace {

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

}  // namespace

tl::unexpected<Mistake> mistake(std::string what) {
    return tl::unexpected(Mistake{std::move(what)});
}

std::string quoted(std::string_view word) {
    return fmt::format("'{}'", policy::escape(word, 60));
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

}  // namespace reaper::agent
