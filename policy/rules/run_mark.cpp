#include "policy/rules/run_mark.hpp"

#include <fmt/format.h>

#include "scanner/model/number.hpp"

namespace reaper::policy {

namespace {

constexpr std::string_view kVersion = "v1";

}  // namespace

std::string run_mark(const scanner::Identity& host) {
    return fmt::format("{}:{}:{}:{}:{}", kVersion, host.boot_id, host.pid_namespace, host.pid,
                       host.start_ticks);
}

std::vector<std::string_view> split_mark(std::string_view text) {
    std::vector<std::string_view> parts;
    std::size_t colon = 0;
    while ((colon = text.find(':')) != std::string_view::npos) {
        parts.push_back(text.substr(0, colon));
        text.remove_prefix(colon + 1);
    }
    parts.push_back(text);
    return parts;
}

std::optional<scanner::Identity> read_run_mark(std::string_view text) {
    const auto parts = split_mark(text);
    if (parts.size() != 5 || parts[0] != kVersion || parts[1].empty()) return std::nullopt;
    const auto pid_namespace = scanner::to_number<std::uint64_t>(parts[2]);
    const auto pid = scanner::to_number<scanner::Pid>(parts[3]);
    const auto ticks = scanner::to_number<std::uint64_t>(parts[4]);
    if (!pid_namespace || !pid || *pid < 1 || !ticks) return std::nullopt;
    return scanner::Identity{std::string(parts[1]), *pid_namespace, *pid, *ticks, std::nullopt};
}

}  // namespace reaper::policy
