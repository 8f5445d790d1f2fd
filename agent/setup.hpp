// What a command works with: the rules, whose processes, and what the command line changes about both.
#pragma once

#include <optional>
#include <vector>

#include <tl/expected.hpp>

#include "agent/cli.hpp"
#include "agent/options.hpp"
#include "agent/rule_sources.hpp"
#include "policy/judge.hpp"
#include "policy/rules.hpp"

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
    std::optional<scanner::Uid> uid;  // whose processes are looked at; none: everybody's
};

// Checks what the command line alone cannot know: that families, homes and the user exist, and that the rules are sound.
[[nodiscard]] tl::expected<Setup, Message> prepare(const Options& options);

}  // namespace reaper::agent
