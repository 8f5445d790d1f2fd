#include "policy/update/gateways.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "scanner/exited.hpp"

namespace reaper::policy {

namespace {

bool is_no(const scanner::Reading<bool>& reading) {
    return reading.ok() && !reading.value;
}

bool is_gateway(const Member& member) {
    return member.match.role.name == "gateway" && concerns_us(member) &&
           !is_no(member.facts->same_home);
}

// True for the process that writes the log of a gateway that it runs, so it is no second gateway.
// Only the gateway itself shows its profile.
bool runs_another(const Member& gateway, std::span<const Member> members) {
    return std::ranges::any_of(members, [&](const Member& member) {
        return is_gateway(member) && member.facts->row.ppid == gateway.pid();
    });
}

}  // namespace

bool is_elsewhere(const scanner::ProcessFacts& process) {
    const bool other = is_no(process.same_pid_namespace) || is_no(process.same_root);
    return other || (process.namespace_pids.ok() && process.namespace_pids.value.size() > 1);
}

bool concerns_us(const Member& member) {
    return !scanner::has_exited(member.facts->row) && !is_elsewhere(*member.facts);
}

std::map<std::string, std::vector<const Member*>> gateways_by_home(
    std::span<const Member> members) {
    std::map<std::string, std::vector<const Member*>> gateways;
    for (const Member& member : members) {
        if (is_gateway(member) && !runs_another(member, members))
            gateways[member.home].push_back(&member);
    }
    return gateways;
}

std::vector<std::string> describe_gateways(std::span<const Member> members) {
    std::vector<std::string> texts;
    for (const auto& [home, of_home] : gateways_by_home(members)) {
        if (of_home.size() < 2) continue;
        std::vector<scanner::Pid> pids;
        for (const Member* member : of_home) pids.push_back(member->pid());
        texts.push_back(
            fmt::format("{} has {} gateways: pids {}", home, pids.size(), fmt::join(pids, ", ")));
    }
    return texts;
}

std::optional<std::string> describe_storm(const scanner::GatewayStarts& starts,
                                          const scanner::Machine& machine) {
    constexpr std::size_t kMost = 5;
    constexpr double kWindow = 120;
    constexpr double kRecent = 600;
    std::vector<double> epochs = starts.epochs;
    std::ranges::sort(epochs);
    std::size_t most = 0;
    for (std::size_t last = 0, first = 0; last < epochs.size(); ++last) {
        while (epochs[last] - epochs[first] > kWindow) ++first;
        const double ago = machine.now_epoch - epochs[last];
        if (ago >= -kWindow && ago <= kRecent) most = std::max(most, last - first + 1);
    }
    if (most <= kMost) return std::nullopt;
    return fmt::format("the gateway of {} has started {} times within {} seconds ({})", starts.home,
                       most, kWindow, starts.path);
}

}  // namespace reaper::policy
