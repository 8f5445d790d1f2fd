// What a call asks for, as the options of a command. Pure.
#pragma once

#include <string>

#include "agent/cli/options.hpp"
#include "agent/mcp/call.hpp"
#include "policy/rules/rules.hpp"

namespace reaper::agent {

// Lays the arguments of `call` over `base`, which the server was started with. Says in `wrong` what
// is not right about them; empty: nothing. The arguments are as the tool's input schema has them.
[[nodiscard]] Options options_of(const ToolCall& call, Options base, std::string& wrong);

// Leaves processes alone that are younger than `min_age`. Never makes a rule look at younger ones.
void raise_min_age(policy::Rules& rules, std::chrono::milliseconds min_age);

// The command that does the same as a sweep by these options, or a sentence: see command_to_show().
// `rules`: before raise_min_age(). Without a min_age that is below that of a family: the command
// would end younger processes than the rules do.
[[nodiscard]] std::string command_to_type(const ScopeOptions& asked, std::size_t max_kills,
                                          const policy::Rules& rules);

}  // namespace reaper::agent
