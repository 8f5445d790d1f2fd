// Finds homes that have more than one gateway, and gateways that start again and again.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policy/match/member.hpp"
#include "scanner/claim_files.hpp"
#include "scanner/model/facts.hpp"

namespace reaper::policy {

// True if it runs in a container, so that what is done here does not concern it.
[[nodiscard]] bool is_elsewhere(const scanner::ProcessFacts& process);
[[nodiscard]] bool concerns_us(const Member& member);

// Returns the gateways that run here, by home. What writes the log of one, or has started one in
// its place, is none. One that serves several profiles counts once, for the home that it was
// started for.
[[nodiscard]] std::map<std::string, std::vector<const Member*>> gateways_by_home(
    std::span<const Member> members);

// Says for each home that has more than one gateway which they are.
[[nodiscard]] std::vector<std::string> describe_gateways(std::span<const Member> members);

// Says how often the gateway of a home has started, if that is a storm by the measure of Hermes:
// more than 5 starts within 120 seconds. None: it is not, or it was over more than 10 minutes ago.
[[nodiscard]] std::optional<std::string> describe_storm(const scanner::GatewayStarts& starts,
                                                        const scanner::Machine& machine);

}  // namespace reaper::policy
