#include "agent/mcp/arguments.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "agent/cli/cli.hpp"
#include "agent/cli/command_text.hpp"
#include "policy/text/duration.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

// No call waits longer for another sweep.
constexpr std::chrono::seconds kLockWait{10};

Command command_of(const std::string& tool) {
    if (tool == "explain") return Command::explain;
    if (tool == "history") return Command::history;
    if (tool == "preflight_check") return Command::preflight;
    return tool == "plan_sweep" || tool == "sweep" ? Command::sweep : Command::report;
}

void add_texts(const Json& arguments, std::string_view name, std::vector<std::string>& texts) {
    for (const Json& text : member_of(arguments, name)) texts.push_back(text.get<std::string>());
}

// Leaves `time` as it is where there is no such argument.
template <class Time>
void read_duration(const Json& arguments, std::string_view name, Time& time, std::string& wrong) {
    if (member_of(arguments, name).is_null()) return;
    const auto parsed = policy::parse_duration(text_member(arguments, name));
    if (parsed)
        time = *parsed;
    else
        wrong = std::string(name) + ": " + parsed.error();
}

// This program runs in a folder that the model does not know.
void check_homes(const std::vector<std::string>& homes, std::string& wrong) {
    for (const std::string& home : homes) {
        if (!home.starts_with('/'))
            wrong = "homes: '" + policy::escape(home, 60) + "' is no full path";
    }
}

}  // namespace

Options options_of(const ToolCall& call, Options base, std::string& wrong) {
    Options options = std::move(base);
    options.command = command_of(call.tool);
    options.lists_others =
        options.command == Command::report || options.command == Command::explain;
    options.quiet = true;
    options.dry_run = call.tool != "sweep";
    options.lock_wait = kLockWait;
    options.from = call.from;
    add_texts(call.arguments, "families", options.families);
    add_texts(call.arguments, "homes", options.homes);
    check_homes(options.homes, wrong);
    for (const Json& word : member_of(call.arguments, "reap"))
        options.also_reap.insert(*policy::verdict_from(word.get<std::string>()));
    read_duration(call.arguments, "min_age", options.min_age, wrong);
    read_duration(call.arguments, "since", options.since, wrong);
    if (call.arguments.contains("pid")) options.pids = {call.arguments["pid"].get<scanner::Pid>()};
    return options;
}

void raise_min_age(policy::Rules& rules, std::chrono::milliseconds min_age) {
    for (policy::FamilyRule& rule : rules.families)
        rule.start_up = std::max(rule.start_up, min_age);
}

std::string command_to_type(const ScopeOptions& asked, std::size_t max_kills,
                            const policy::Rules& rules) {
    ScopeOptions options = asked;
    const auto is_older = [&](const policy::FamilyRule& rule) {
        return rule.start_up > *options.min_age;
    };
    if (options.min_age && std::ranges::any_of(rules.families, is_older)) options.min_age.reset();
    std::string words = "orphan-reaper sweep";
    if (max_kills != SweepOptions{}.max_kills) words += fmt::format(" --max-kills {}", max_kills);
    const std::string scope = scope_words(options);
    if (!scope.empty()) words += " " + scope;
    return command_to_show(words);
}

}  // namespace reaper::agent
