#include "agent/hooks/agents_pack.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace reaper::agent {

namespace {

bool is_ended(const policy::FamilyRule& rule) {
    const auto action = rule.actions.find(policy::Verdict::orphan);
    return rule.pack == "agents" && rule.enabled && !rule.keep_as && action != rule.actions.end() &&
           action->second == policy::Action::reap;
}

bool is_hook_of_agents(const HookStatus& status) {
    const bool has_hook =
        status.state == HookState::installed || status.state == HookState::by_hand ||
        status.state == HookState::other_version || status.state == HookState::off;
    return has_hook && status.host->name != "hermes";
}

}  // namespace

bool ends_agents(const policy::Rules& rules) {
    return std::ranges::any_of(rules.families, is_ended);
}

bool has_hook_of_agents(const std::vector<HookStatus>& hosts) {
    return std::ranges::any_of(hosts, is_hook_of_agents);
}

std::string agents_remark(const std::string& folder) {
    return fmt::format(
        "MCP servers of these hosts are only counted, not ended: put {{\"packs\": [\"agents\"]}} "
        "into {}/agents.json, see orphan-reaper-rules(5)",
        folder);
}

}  // namespace reaper::agent
