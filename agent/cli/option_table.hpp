// Every option and every command, as data: the parser, the help, the nearest-word suggestions, the
// OPTIONS of the manual and the completions of the shells are all made of these two tables.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/cli/options.hpp"

namespace reaper::agent {

struct OptionInfo {
    std::string_view group;
    std::string_view name;    // "--output"
    std::string_view letter;  // "-o", or empty
    std::string_view value;   // "FILE", a row of value_table(); empty: the option takes none
    std::string_view only;    // the commands that it is for, with blanks between; empty: all
    // Sets what the option is about. Returns what is wrong with `word`, or an empty text.
    std::string (*read)(const OptionInfo& option, std::string_view word, Options& options);
    std::string_view help;
    std::string_view more = {};  // what only the manual says
};

struct ValueInfo {
    std::string_view value;
    std::string_view expected;  // what an error says when it is missing
    bool repeatable = false;
    std::string_view choices = {};  // with blanks between; empty: any
};

struct CommandInfo {
    Command command = Command::report;
    std::string_view name;
    std::string_view arguments;  // "PID..."
    std::string_view formats;    // that it can print; empty: it prints no report
    std::string_view help;
    bool starts_program = false;  // which stands behind "--"
};

// Options that contradict each other.
struct Exclusive {
    std::string_view one;
    std::string_view other;
};
inline constexpr std::array kExclusive = {
    Exclusive{"--user", "--all-users"},   Exclusive{"--quiet", "--verbose"},
    Exclusive{"--facts", "--from-facts"}, Exclusive{"--watch", "--every"},
    Exclusive{"--watch", "--system"},     Exclusive{"--watch", "--cron"},
    Exclusive{"--linger", "--system"},    Exclusive{"--linger", "--cron"},
    Exclusive{"--dry-run", "--yes"}};

inline constexpr std::string_view kOutputGroup = "Output";

// The hosts that `hooks` knows, as they are typed.
inline constexpr std::array<std::string_view, 6> kHookHosts = {"claude-code", "codex",    "gemini",
                                                               "cursor",      "opencode", "hermes"};

[[nodiscard]] std::span<const OptionInfo> option_table();
[[nodiscard]] std::span<const CommandInfo> command_table();
[[nodiscard]] const CommandInfo& info_of(Command command);
// Of an option that takes a value.
[[nodiscard]] const ValueInfo& value_of(const OptionInfo& option);
// By name or letter; null: there is none.
[[nodiscard]] const OptionInfo* find_option(std::string_view word);
[[nodiscard]] bool is_for(const OptionInfo& option, Command command);

// "a b c" as its words.
[[nodiscard]] std::vector<std::string_view> split_words(std::string_view text);
// "a, b and c"
[[nodiscard]] std::string join_words(std::span<const std::string_view> words,
                                     std::string_view last);

}  // namespace reaper::agent
