// Which client speaks, and by which version of the protocol. Until 2025-11-25 that is agreed on
// once (initialize); since 2026-07-28 each request says it in params._meta. Both may come. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "agent/mcp/rpc.hpp"

namespace reaper::agent {

inline constexpr std::string_view kModernVersion = "2026-07-28";

struct McpClient {
    bool is_modern = false;
    std::string version;        // of the protocol
    std::string name;           // as it calls itself: at most 40 of A-Z a-z 0-9 . _ -
    bool can_be_asked = false;  // it shows a form to a person (elicitation)
};

// Newest first. The first is what an unknown version gets.
[[nodiscard]] std::span<const std::string_view> legacy_versions();
// All, for an error.
[[nodiscard]] Json supported_versions();

// True if the request says its version itself.
[[nodiscard]] bool is_modern(const Json& params);
// Reads params._meta of a modern request. Says in `wrong` what is missing there; empty: nothing.
[[nodiscard]] McpClient modern_client(const Json& params, std::string& wrong);
// Reads the params of initialize.
[[nodiscard]] McpClient legacy_client(const Json& params);

}  // namespace reaper::agent
