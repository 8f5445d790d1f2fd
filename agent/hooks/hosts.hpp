// The hosts that have hooks, and the hook that each of them gets.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "agent/hooks/parts.hpp"

namespace reaper::agent {

// All of them, in the order of kHookHosts.
[[nodiscard]] std::span<const HookHost> hook_hosts();
[[nodiscard]] const HookHost& hook_host(std::string_view name);

// The command line of the hook, for a shell. `program`: its name or path, which needs no quotes.
[[nodiscard]] std::string hook_command(const HookHost& host, std::string_view program);

// The name or path of the program in a command line that install has written, which says nothing
// else than hook_command; empty: a person has written it, or changed it.
[[nodiscard]] std::string_view program_of(const HookHost& host, std::string_view command);

using OrderedJson = nlohmann::ordered_json;

// The hook as JSON, for the two forms that have it.
[[nodiscard]] OrderedJson hook_handler(const HookHost& host, std::string_view program);
// What stands in the list of the event: the hook, or the group that holds it.
[[nodiscard]] OrderedJson hook_entry(const HookHost& host, std::string_view program);

// The whole text of a file that holds nothing but the hook; for a person to read and to copy, too.
[[nodiscard]] std::string whole_file(const HookHost& host, std::string_view program);

}  // namespace reaper::agent
