#include "policy/verdict/debugger.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "policy/rules/rules.hpp"

namespace reaper::policy {

namespace {

// Any word of the argv counts, also an argument of the script: then nothing is ended.
bool is_asked_for(std::string_view word) {
    constexpr std::string_view kOptions[] = {"--inspect", "--debug", "--env-file",
                                             "--experimental-config-file",
                                             "--experimental-default-config-file"};
    return std::ranges::any_of(
        kOptions, [word](std::string_view option) { return word.starts_with(option); });
}

// The ports of node and bun where nothing else is said.
bool is_usual_port(std::uint16_t port) {
    return port == 9229 || port == 6499;
}

}  // namespace

bool may_be_of_debugger(const scanner::Listener& listener, const scanner::ProcessFacts& process) {
    const auto& command = process.row.command_line;
    if (is_usual_port(listener.port) || !command.ok() || command.value.truncated) return true;
    if (std::ranges::any_of(command.value.argv, is_asked_for) || !process.environment.ok())
        return true;
    return std::ranges::any_of(kDebuggerKeys, [&](std::string_view key) {
        return process.environment.value.contains(std::string(key));
    });
}

}  // namespace reaper::policy
