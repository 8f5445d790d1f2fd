// Whether a sweep that the hook of a host asks for ends anything of that host.
#pragma once

#include <string>
#include <vector>

#include "agent/hooks/parts.hpp"
#include "policy/rules/rules.hpp"

namespace reaper::agent {

// True if the rules end what hosts other than Hermes leave behind: some family of the pack "agents"
// is on, and its orphans are ended.
[[nodiscard]] bool ends_agents(const policy::Rules& rules);

// True if a host other than Hermes has a hook, also one that is off.
[[nodiscard]] bool has_hook_of_agents(const std::vector<HookStatus>& hosts);

// The sentence for the person who has such a hook, and rules that do not end it. `folder`: where
// rule files of that person are.
[[nodiscard]] std::string agents_remark(const std::string& folder);

}  // namespace reaper::agent
