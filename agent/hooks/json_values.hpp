// The same changes as in json_hooks.hpp on parsed values: what the changed text has to come out as.
#pragma once

#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "agent/hooks/parts.hpp"

namespace reaper::agent {

// Which empty containers stay, as they were there before the installation.
struct KeptContainers {
    bool hooks = false;  // the object
    bool event = false;  // the list in there
};

// What the file says with the hook. Its containers have the right types, or are not there.
[[nodiscard]] nlohmann::json with_hook(nlohmann::json file, const HookHost& host,
                                       std::string_view program);

// What it says without any hook of this program.
[[nodiscard]] nlohmann::json without_hooks(nlohmann::json file, const HookHost& host,
                                           KeptContainers kept);

// True if install has written exactly this hook, with whatever program.
[[nodiscard]] bool is_own_handler(const nlohmann::json& handler, const HookHost& host);
// True if the group is like the one that install writes but for its list.
[[nodiscard]] bool may_hold_own(const nlohmann::json& group, const HookHost& host);

// The hooks that install has written.
[[nodiscard]] std::vector<nlohmann::json> own_hooks(const nlohmann::json& file,
                                                    const HookHost& host);

}  // namespace reaper::agent
