// Every option there is, as data: the parser, the help and the "did you mean" all read this one table.
#pragma once

#include <span>
#include <string_view>

#include "agent/options.hpp"

namespace reaper::agent {

enum class OptionId {
    home,
    family,
    user,
    all_users,
    min_age,
    config,
    from_facts,
    clean,
    dry_run,
    reap,
    since,
    max_kills,
    settle,
    grace,
    grace_cap,
    lock_wait,
    timeout,
    parent,
    idle,
    interval,
    events,
    census,
    report_only,
    no_history,
    json,
    format,
    output,
    facts,
    quiet,
    verbose,
    color,
    help,
    version,
};

struct OptionInfo {
    OptionId id = OptionId::help;
    std::string_view group;
    std::string_view name;      // "--output"
    std::string_view letter;    // "-o", or empty
    std::string_view value;     // "FILE"; empty: the option takes none
    std::string_view expected;  // "a file": what an error says when the value is missing
    bool repeatable = false;
    std::string_view only = {};  // the commands that it is for, with blanks between; empty: all
    std::string_view help;
};

struct CommandInfo {
    Command command = Command::report;
    std::string_view name;
    std::string_view arguments;  // "PID..."
    std::string_view help;
    bool starts_program = false;  // which stands behind "--"
};

[[nodiscard]] std::span<const OptionInfo> option_table();
[[nodiscard]] std::span<const CommandInfo> command_table();
[[nodiscard]] std::string_view name_of(Command command);
[[nodiscard]] bool starts_program(Command command);
[[nodiscard]] bool is_for(const OptionInfo& option, Command command);

}  // namespace reaper::agent
