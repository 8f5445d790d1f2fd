// What a command works with: the rules, whose processes, and what the command line changes about both.
#pragma once

#include <optional>

#include <tl/expected.hpp>

#include "agent/cli.hpp"
#include "agent/options.hpp"
#include "policy/judge.hpp"
#include "policy/rules.hpp"

namespace reaper::agent {

struct Setup {
    policy::Rules rules;
    policy::Settings settings;
    std::optional<scanner::Uid> uid;  // whose processes are looked at; none: everybody's
};

// Checks what the command line alone cannot know: that families, homes and the user exist, and that the rules are sound.
[[nodiscard]] tl::expected<Setup, Message> prepare(const Options& options);

}  // namespace reaper::agent
