// What a command works with: the rules, the scope (a user or all), and what the command line
// changes about both.
#pragma once

#include <optional>
#include <vector>

#include <tl/expected.hpp>

#include "agent/cli/cli.hpp"
#include "agent/cli/options.hpp"
#include "agent/rules/sources.hpp"
#include "policy/rules/rules.hpp"
#include "policy/verdict/judge.hpp"

namespace reaper::agent {

// The file of `rules check FILE`.
struct CheckedRules {
    std::size_t place = 0;   // among the sources
    bool in_effect = false;  // every command reads it; otherwise it is the last one
};

struct Setup {
    policy::Rules rules;
    std::vector<RuleSource> rule_sources;  // what was laid over the built-in ones
    std::optional<CheckedRules> checked;
    policy::Settings settings;
    std::optional<scanner::Uid> uid;  // the user whose processes are looked at; none: all users
    bool under_is_gone = false;       // the folder of --under was deleted, or never was
};

// Checks what parsing alone cannot know: that families, homes and the user exist, and that the
// rules are sound.
[[nodiscard]] tl::expected<Setup, Message> prepare(const ScopeOptions& options);

// Does the same by the built-in rules alone.
[[nodiscard]] tl::expected<Setup, Message> prepare_without_rule_files(const ScopeOptions& options);

// Reads the rules of every usual place and of --config. The error says which file is wrong, and
// why.
[[nodiscard]] tl::expected<std::vector<RuleSource>, std::string> check_rule_files(
    const std::string& config);

}  // namespace reaper::agent
