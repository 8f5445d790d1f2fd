#include "agent/mcp/arguments.hpp"

#include <algorithm>
#include <chrono>

#include "agent/cli/cli.hpp"
#include "policy/text/duration.hpp"

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
    const std::string text = text_member(arguments, name);
    if (text.empty()) return;
    const auto parsed = policy::parse_duration(text);
    if (parsed)
        time = *parsed;
    else
        wrong = std::string(name) + ": " + parsed.error();
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

std::string command_to_type(const Options& options) {
    const std::string scope = scope_words(options);
    return scope.empty() ? "orphan-reaper sweep" : "orphan-reaper sweep " + scope;
}

}  // namespace reaper::agent
